"""One form for all the ways in which JSON, URLs, forms and HTML write a text, also inside each other.

The form is for comparing, not for reading: backslashes are gone, a line feed is an `n` as after one, a `+` is a space.
Two writings of one text have the same form. The time is linear in the text.
"""

from __future__ import annotations

import html
import re
from array import array
from dataclasses import dataclass

DEPTH = 6
"""Ways of writing inside each other that are undone; of one kind alone (`%252525…`, `&amp;amp;…`) any number is."""

_UNIT = re.compile(
    r"(?P<percent>(?:%(?:25)*[0-9A-Fa-f]{2})+)"
    r"|\\+u(?P<high>[dD][89abAB][0-9A-Fa-f]{2})\\+u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\+u(?P<code>[0-9A-Fa-f]{4})"
    r"|\\+"
    r"|(?P<entity>&(?:amp;)*(?P<name>amp|lt|gt|quot|apos|#0?[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)"
    r"|[+\n\r\t\b\f]"
)
_BYTE = re.compile(r"%(?:25)*([0-9A-Fa-f]{2})")
_PLAIN = {"+": " ", "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text in the one form; `starts[i]` and `ends[i]` say where in the original its character `i` comes from."""

    text: str
    starts: array[int]
    ends: array[int]


def unescape(text: str) -> Unescaped:
    """Return the one form of a text."""
    form = Unescaped(text, array("L", range(len(text))), array("L", range(1, len(text) + 1)))
    for _ in range(DEPTH):
        undone = _undo(form)
        if undone is None:
            break
        form = undone
    return form


def _undo(form: Unescaped) -> Unescaped | None:
    """Undo the outermost way of writing; None if there is none left."""
    text = form.text
    parts: list[str] = []
    starts, ends = array("L"), array("L")
    at = 0
    for unit in _UNIT.finditer(text):
        first, after = unit.span()
        parts.append(text[at:first])
        starts += form.starts[at:first]
        ends += form.ends[at:first]
        at = after
        for character, begins, stops in _characters(unit):
            parts.append(character)
            starts.append(form.starts[begins])
            ends.append(form.ends[stops - 1])
    if at == 0:
        return None
    return Unescaped("".join([*parts, text[at:]]), starts + form.starts[at:], ends + form.ends[at:])


def _characters(unit: re.Match[str]) -> list[tuple[str, int, int]]:
    """Return what a unit writes: characters, and where each begins and stops."""
    begins, stops = unit.span()
    if unit["percent"]:
        return _of_bytes(unit)
    if unit["high"]:
        return [(bytes.fromhex(unit["high"] + unit["low"]).decode("utf-16-be"), begins, stops)]
    if unit["code"]:
        return [(chr(int(unit["code"], 16)), begins, stops)]
    if unit["entity"]:
        return [(one, begins, stops) for one in html.unescape(f"&{unit['name']};")]
    plain = _PLAIN.get(unit[0])
    return [(plain, begins, stops)] if plain else []


def _of_bytes(unit: re.Match[str]) -> list[tuple[str, int, int]]:
    places = [(int(one[1], 16), *one.span()) for one in _BYTE.finditer(unit.string, *unit.span())]
    written = bytes(value for value, _, _ in places).decode(errors="surrogateescape")
    characters, at = [], 0
    for character in written:
        size = len(character.encode(errors="surrogateescape"))
        characters.append((character, places[at][1], places[at + size - 1][2]))
        at += size
    return characters
