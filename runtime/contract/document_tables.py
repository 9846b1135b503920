"""What the tables of documents show of their options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LONGEST_LABEL = 100
"""Characters that are shown of the label of a select column's option, which thousands of cells may name."""


def option_labels(column: Mapping[str, Any]) -> dict[str, str]:
    """Return what is shown of the options of a select column, by their values; stored content may be malformed."""
    options = column.get("options")
    known = [one for one in options if isinstance(one, dict)] if isinstance(options, list) else []
    return {_text_in(one, "value"): _text_in(one, "label")[:LONGEST_LABEL] for one in known}


def _text_in(option: Mapping[str, Any], name: str) -> str:
    text = option.get(name)
    return text if isinstance(text, str) else ""
