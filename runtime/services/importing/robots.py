"""Parses robots.txt in a separate process: a short one can take hours and all memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protego import Protego

from runtime.services.importing.fetching import AGENT


def rules_of(folder: Path, arguments: Any) -> dict[str, Any]:
    """Return which `addresses` the text `robots` forbids, and for how many seconds it asks between two requests."""
    rules = Protego.parse(arguments["robots"])
    return {
        "forbidden": [one for one in arguments["addresses"] if not rules.can_fetch(one, AGENT)],
        "pause": rules.crawl_delay(AGENT),
    }
