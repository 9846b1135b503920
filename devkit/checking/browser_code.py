"""Static analysis of code that a script sends to browsers: what it loads, from where, and what it stores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from devkit.checking.code import Code, Spot, Text

IN_BROWSERS = re.compile(r"\b(?:document|window|navigator|localStorage|sessionStorage)\s*\.|<script\b", re.IGNORECASE)
STORES = re.compile(r"document\.cookie|\b(?:localStorage|sessionStorage|indexedDB|cookieStore)\b")
LOADS = re.compile(r"""<script\b|createElement\(\s*["'`]script["'`]|\bimport\(""", re.IGNORECASE)
ADDRESS = r"""(?P<address>(?:https?:|wss?:)?//[\w.-]+[^\s"'`<>\\]*)"""
SOURCES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("script-src", re.compile(rf"""<script\b[^>]*\bsrc=["']{ADDRESS}""", re.IGNORECASE)),
    ("script-src", re.compile(rf"""\bimport\(\s*["'`]{ADDRESS}""")),
    ("img-src", re.compile(rf"""<img\b[^>]*\bsrc=["']{ADDRESS}""", re.IGNORECASE)),
    ("frame-src", re.compile(rf"""<iframe\b[^>]*\bsrc=["']{ADDRESS}""", re.IGNORECASE)),
    ("style-src", re.compile(rf"""<link\b[^>]*\bhref=["']{ADDRESS}""", re.IGNORECASE)),
    ("connect-src", re.compile(rf"""\b(?:fetch|sendBeacon|WebSocket|EventSource)\(\s*["'`]{ADDRESS}""")),
    ("connect-src", re.compile(rf"""\.open\(\s*["'`]\w+["'`]\s*,\s*["'`]{ADDRESS}""")),
    ("", re.compile(rf"""\.src\s*=\s*["'`]{ADDRESS}""")),
)
MADE = {"script": "script-src", "img": "img-src", "iframe": "frame-src"}
MAKES = re.compile(r"""createElement\(\s*["'`](?P<tag>script|img|iframe)["'`]|new\s+(?P<image>Image)\b""")
EVALUATES = re.compile(r"\beval\(|\bnew\s+Function\(")


@dataclass(frozen=True, slots=True)
class Load:
    """Something a browser loads: `directives` are those of which one must allow it."""

    address: str
    directives: tuple[str, ...]
    spot: Spot


def scripts(code: Code) -> list[Text]:
    """Return the texts of a script that are code for browsers."""
    return [text for text in code.texts if IN_BROWSERS.search(text.value)]


def loads(text: Text) -> Iterator[Load]:
    """Find the addresses in a text from which a browser would load."""
    directives = [MADE[match["tag"]] if match["tag"] else "img-src" for match in MAKES.finditer(text.value)]
    for directive, pattern in SOURCES:
        for match in pattern.finditer(text.value):
            needed = (directive,) if directive else tuple(dict.fromkeys(directives))
            if needed:
                yield Load(match["address"], needed, spot_of(text, match.start("address")))


def spot_of(text: Text, offset: int) -> Spot:
    """Find the place of a character of a text in its file.

    In a text over several lines it is exact where the file holds the lines as they are; else the text's own place.
    """
    source, begin = text.spot.source, text.spot
    line = text.value.count("\n", 0, offset)
    words = text.value.split("\n")[line]
    rows = source.text.split("\n")
    for number in range(begin.line - 1, min(len(rows), begin.line + line + 1)):
        column = rows[number].find(words) if words else -1
        if column >= 0 and number >= begin.line - 1 + max(0, line - 1):
            return source.at(number + 1, column + 1 + offset - (text.value.rfind("\n", 0, offset) + 1))
    return begin
