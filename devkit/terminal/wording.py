"""Formatting of values, names and places in messages."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from datetime import date
from typing import Any

KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (type(None), "empty"),
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    (list, "a list"),
    (dict, "a mapping"),
    (date, "a date"),
)
LONGEST = 60


def kind_of(value: Any) -> str:
    """Name what a value of YAML is."""
    return next((name for kind, name in KINDS if isinstance(value, kind)), type(value).__name__)


def dotted(where: Iterable[str | int]) -> str:
    """Name a place inside a manifest: `blocks[0].title`."""
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant, whatever the case of its letters."""
    by_case = {name.lower(): name for name in known}
    close = difflib.get_close_matches(word.lower(), by_case, 1, 0.6)
    return by_case[close[0]] if close else None


def all_nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the known words that may have been meant, the nearest one first; several where none is much nearer."""
    ratios = {name: difflib.SequenceMatcher(None, word.lower(), name.lower()).ratio() for name in known}
    best = max(ratios.values(), default=0.0)
    near = [name for name, ratio in ratios.items() if ratio >= max(0.6, best - 0.1)]
    return sorted(near, key=lambda name: -ratios[name])[:most]


def shown(value: Any) -> str:
    """Write a scalar as YAML writes it, shortened where it is long."""
    text = json.dumps(value) if isinstance(value, (bool, type(None))) else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def counted(number: int, singular: str, many: str) -> str:
    """Write a number with its noun."""
    return f"{number} {singular if number == 1 else many}"
