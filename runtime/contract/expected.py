"""What patterns of the contract expect, in words: an error says it in place of the pattern."""

from __future__ import annotations

_WORDS: dict[str, str] = {}


def expecting(words: str, pattern: str) -> str:
    """Note what a pattern expects, to be read after "must be"; returns the pattern."""
    _WORDS[pattern] = words
    return pattern


def expected(pattern: str) -> str | None:
    """Return what a pattern expects, in words; None for one that nobody put into words."""
    return _WORDS.get(pattern)


NEW_ID = expecting("an id of 1 to 40 letters and digits", r"^[a-zA-Z0-9]{1,40}$")
DOTTED = expecting("letters, digits, hyphens, dots and underscores", r"^[a-zA-Z0-9-_.]+$")
