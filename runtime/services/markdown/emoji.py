"""Maps names of emoji in Markdown (`:rocket:`) to the codes that documents use."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

CODES = {
    "smile": "1f604", "grinning": "1f600", "joy": "1f602", "heart": "2764", "thumbsup": "1f44d", "thumbsdown": "1f44e",
    "wave": "1f44b", "tada": "1f389", "fire": "1f525", "eyes": "1f440", "warning": "26a0", "bulb": "1f4a1",
    "white_check_mark": "2705", "x": "274c", "star": "2b50", "zap": "26a1", "bug": "1f41b", "memo": "1f4dd",
    "lock": "1f512", "key": "1f511", "mag": "1f50d", "link": "1f517", "gear": "2699", "wrench": "1f527",
    "hammer": "1f528", "books": "1f4da", "book": "1f4d6", "point_right": "1f449", "question": "2753",
    "exclamation": "2757", "100": "1f4af", "clap": "1f44f", "pray": "1f64f", "muscle": "1f4aa", "thinking": "1f914",
    "information_source": "2139", "construction": "1f6a7", "checkered_flag": "1f3c1", "calendar": "1f4c5",
    "computer": "1f4bb", "robot": "1f916", "house": "1f3e0", "globe_with_meridians": "1f310",
}  # fmt: skip
"""Short names in common use; any other emoji goes by its name in Unicode, with `_` for spaces."""
NAMES = {code: name for name, code in CODES.items()}
CODE = re.compile(r"[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,15}")
LONGEST = 100
"""Characters of a name, or of a code; what is longer is none, and must not be remembered."""


def code_of(name: str) -> str | None:
    """Return the hexadecimal code of a named emoji; None if it is unknown."""
    return _code_of(name) if len(name) <= LONGEST else None


def name_of(code: str) -> str | None:
    """Return the name of an emoji's code, the inverse of `code_of`; None if there is none."""
    return _name_of(code) if len(code) <= LONGEST else None


@lru_cache(maxsize=4096)
def _code_of(name: str) -> str | None:
    if name in CODES:
        return CODES[name]
    try:
        character = unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return None
    return f"{ord(character):x}" if len(character) == 1 and _is_emoji(character) else None


@lru_cache(maxsize=4096)
def _name_of(code: str) -> str | None:
    if code in NAMES:
        return NAMES[code]
    character = character_of(code)
    if len(character) != 1 or not _is_emoji(character):
        return None
    name = unicodedata.name(character, "").lower().replace(" ", "_")
    return name if re.fullmatch(r"[a-z0-9_\-]{1,60}", name) and code_of(name) == code else None


def character_of(code: str) -> str:
    """Return the character of a code; "" if it is invalid."""
    if not CODE.fullmatch(code):
        return ""
    numbers = [int(part, 16) for part in code.split("-")]
    if any(number > 0x10FFFF or 0xD800 <= number < 0xE000 or number < 0x20 for number in numbers):
        return ""
    return "".join(map(chr, numbers))


def _is_emoji(character: str) -> bool:
    return unicodedata.category(character) == "So" and ord(character) >= 0x2600
