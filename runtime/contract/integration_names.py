"""The names that integrations may have; apart from `identifiers`, so that `devkit new` need not import pydantic."""

from __future__ import annotations

import re

from runtime.contract.expected import DOTTED

LONGEST_NAME = 100
"""Characters of the longest name."""
RULE = f"names have 1 to {LONGEST_NAME} letters, digits, hyphens, dots and underscores, and not only dots"
_NAME = re.compile(DOTTED)


def is_integration_name(name: str) -> bool:
    """Return whether an integration may have a name; one of dots alone would be a folder in addresses."""
    return len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None and set(name) != {"."}
