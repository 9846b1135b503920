"""A document as its sections: each heading with the text below it, as plain text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from runtime.contract.document_nodes import Node, text_of
from runtime.contract.inclusions import Inclusions

HEADINGS = frozenset(("heading-1", "heading-2", "heading-3"))
MAX_TEXT = 200_000
"""Characters of one page that are read; the rest of it is not searched."""
MOST_READ = 5 * MAX_TEXT
"""The same with the white space, and the combining characters, that are left out of it."""
MAX_SECTIONS = 1000
MAX_BLOCKS = 20_000
"""Blocks of one page that are looked at, with those of the contents it includes."""
MOST_MARKS = 30
"""Combining characters in a row: putting them in order takes the square of their number."""
_MARKS = re.compile(rf"[^\w\s\x00-\u02ff]{{{MOST_MARKS + 1},}}")
"""Where there may be more of them, in any script: they are neither letters nor digits."""
Included = Callable[[str], Node | None]
"""Gives the document of a reusable content by its id."""


class Section(NamedTuple):
    """A heading with what stands below it; what stands before the first heading has no anchor and no title."""

    anchor: str
    title: str
    text: str


def sections_of(document: Node, included: Included = lambda content_id: None) -> list[Section]:
    """Split a document at its headings; texts have no line breaks but between blocks."""
    sections: list[tuple[str, str, list[str]]] = [("", "", [])]
    taken: dict[str, int] = {}
    left, unread = MAX_TEXT, MOST_READ
    for block in islice(_blocks(document, included, Inclusions()), MAX_BLOCKS):
        raw = text_of(block)[:unread]
        text = _plain(raw)[:left]
        left, unread = left - len(text), unread - len(raw)
        if block.get("type") in HEADINGS and len(sections) < MAX_SECTIONS:
            sections.append((_anchor(block, text, taken), text, []))
        elif text:
            sections[-1][2].append(text)
        if left <= 0 or unread <= 0:
            break
    return [Section(anchor, title, "\n".join(texts)) for anchor, title, texts in sections if title or texts]


def includes(document: Node) -> bool:
    """Return whether a document shows anything that stands elsewhere: reusable contents, or variables."""
    waiting: list[Any] = [document]
    while waiting:
        node = waiting.pop()
        if node.get("type") in ("reusable-content", "expression"):
            return True
        waiting += [*node.get("nodes", ()), *node.get("fragments", ())]
    return False


def _blocks(document: Node, included: Included, inclusions: Inclusions) -> Iterator[Node]:
    for block in document.get("nodes", ()):
        content = _reused(block)
        if content is None:
            yield block
            continue
        with inclusions.of(content) as allowed:
            inner = included(content) if allowed else None
            if inner is not None:
                yield from _blocks(inner, included, inclusions)


def _reused(block: Node) -> str | None:
    """Return the id of the reusable content that a block includes."""
    if block.get("type") != "reusable-content":
        return None
    ref = block.get("data", {}).get("ref")
    content = ref.get("reusableContent") if isinstance(ref, dict) else None
    return content if isinstance(content, str) else ""


def storable(text: str) -> str:
    """Replace what no column can store: NUL, and halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode().replace("\x00", " ")


def _plain(text: str) -> str:
    """Write each line with single spaces, as it can be stored."""
    text = unicodedata.normalize("NFC", _MARKS.sub(_fewer_marks, storable(text)))
    return "\n".join(line for line in (" ".join(line.split()) for line in text.split("\n")) if line)


def _fewer_marks(found: re.Match[str]) -> str:
    """Leave out combining characters beyond `MOST_MARKS` in a row, as Unicode's stream-safe text format does."""
    kept, row = [], 0
    for sign in found[0]:
        combines = unicodedata.combining(sign) or unicodedata.combining(unicodedata.normalize("NFD", sign)[0])
        row = row + 1 if combines else 0
        if row <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def _anchor(heading: Node, title: str, taken: dict[str, int]) -> str:
    """Name a heading: by the id it was given, else by what it says, each name once in a page."""
    given = (_text(heading.get("data"), "id"), _text(heading.get("meta"), "id"))
    name = next((one for one in given if one), "") or re.sub(r"[^\w-]+", "-", title.lower()).strip("-")[:100]
    name = name or "section"
    taken[name] = number = taken.get(name, 0) + 1
    return name if number == 1 else f"{name}-{number - 1}"


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, Mapping) else None
    return storable(found[:200]) if isinstance(found, str) else ""
