"""HTML of others as a tree that may be changed: bounded, and in time that grows as the page does."""

from __future__ import annotations

import warnings
from itertools import chain
from typing import Any

from bs4 import BeautifulSoup, Comment, Doctype, ProcessingInstruction, XMLParsedAsHTMLWarning
from bs4.element import PageElement, Tag

from runtime.engines.apart.answers import Refused

PARSER = "lxml"
"""Which ends elements that nobody ended, as browsers do."""
MAX_ELEMENTS = 200_000
DEEPEST = 400
NEAR = 100
"""How far from the last child that was looked for the next one is sought first."""


class Element(Tag):
    """An element that looks for a child near the last one it was asked for.

    The library goes through all children for each that is changed, which for a hundred thousand takes minutes.
    """

    _last = 0

    def index(self, element: PageElement) -> int:
        """Find the place of a child; raises ValueError for what is none."""
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
    """Read HTML without its comments. Raises `Refused` for more elements, or deeper ones, than anybody writes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        # The parser reads bytes inside, which end at a NUL and have no halves of characters.
        source = source.replace("\0", "").encode("utf-8", "replace").decode()
        soup = BeautifulSoup(source, PARSER, element_classes={Tag: Element})
    _check_size(soup)
    for one in [one for one in soup.descendants if isinstance(one, (Comment, Doctype, ProcessingInstruction))][::-1]:
        one.extract()
    return soup


def every(element: Any, *names: str) -> list[Any]:
    """List the elements of these names in one, in their order; the library takes ten times as long."""
    return [one for one in element.descendants if isinstance(one, Tag) and one.name in names]


def classed(element: Any, names: frozenset[str]) -> list[Any]:
    """List the elements in one that have any of these classes, in their order."""
    return [one for one in element.descendants if isinstance(one, Tag) and not names.isdisjoint(one.get("class") or ())]


def without(elements: Any) -> None:
    """Take elements out of the tree, each with what is in it; `elements` are in the order in which they stand there.

    From the last one on: so lists of children become shorter at their ends.
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
            raise Refused("html", f"A page has more than {MAX_ELEMENTS} elements, or {DEEPEST} in each other.")
        waiting += [(child, depth + 1) for child in node.children if isinstance(child, Tag)]
