"""Parses untrusted HTML into a mutable tree of bounded size, in linear time."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import Any

from bs4 import BeautifulSoup, Comment, Doctype, ProcessingInstruction, XMLParsedAsHTMLWarning
from bs4.element import PageElement, Tag

from runtime.engines.separate_process.answers import Refused

PARSER = "lxml"
"""It closes elements that were left open, as browsers do."""
MAX_ELEMENTS = 200_000
DEEPEST = 400
NEAR = 100
"""How far from the child found last `Element.index` looks first."""


class Element(Tag):
    """An element that looks for a child near the one it found last.

    The library searches all children for each one that is changed; with a hundred thousand children that takes minutes.
    """

    _last = 0

    def index(self, element: PageElement) -> int:
        """Find the position of a child; raises ValueError for anything else."""
        children = self.contents
        last = min(self._last, len(children))
        for place in chain(range(last, min(last + NEAR, len(children))), range(last - 1, max(last - NEAR, 0) - 1, -1)):
            if children[place] is element:
                break
        else:
            place = super().index(element)
        self._last = place
        return place


def parsed(source: str) -> BeautifulSoup:
    """Parse HTML without comments; raises `Refused` for too many or too deeply nested elements."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        # The parser works on UTF-8, stops at a NUL and fails on half of a surrogate pair.
        source = source.replace("\0", "").encode("utf-8", "replace").decode()
        soup = BeautifulSoup(source, PARSER, element_classes={Tag: Element})
    _check_size(soup)
    for one in [one for one in soup.descendants if isinstance(one, (Comment, Doctype, ProcessingInstruction))][::-1]:
        one.extract()
    return soup


def every(element: Any, *names: str) -> list[Any]:
    """List the descendants with these names, in document order; the library's own search takes ten times as long."""
    return [one for one in element.descendants if isinstance(one, Tag) and one.name in names]


def classed(element: Any, names: frozenset[str]) -> list[Any]:
    """List the descendants that have any of these classes, in document order."""
    return [one for one in element.descendants if isinstance(one, Tag) and not names.isdisjoint(one.get("class") or ())]


def without(elements: Any) -> None:
    """Remove elements and their descendants from the tree; `elements` are in document order.

    The last one goes first, so that lists of children shrink at their ends.
    """
    for element in reversed(elements):
        element.decompose()


def _check_size(soup: BeautifulSoup) -> None:
    waiting: list[tuple[Any, int]] = [(soup, 0)]
    count = 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if depth > DEEPEST or count > MAX_ELEMENTS:
            raise Refused("html", f"A page has more than {MAX_ELEMENTS} elements, or more than {DEEPEST} nested ones.")
        waiting += [(child, depth + 1) for child in node.children if isinstance(child, Tag)]
