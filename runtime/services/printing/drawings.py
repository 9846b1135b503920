"""How many elements the drawings of a book have printed: a picture of a few lines may repeat some billions of times.

What is referred to (by `use`, as pattern, marker or mask) is printed each time. This counts what WeasyPrint prints, or
more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree

MAX_IN_ONE = 100_000
"""Elements that one picture has printed: they take about six seconds."""
MAX_OF_BOOK = 500_000
"""Elements of all pictures of a book, each time that it shows one."""
MAX_ATTRIBUTES = 3_000_000
"""Attributes of a picture, with those that elements inherit."""
LOOKED_THROUGH = 80
"""Elements that are looked through for another one in the time that it takes to print one."""
GROUPS = frozenset(("clipPath", "defs", "filter", "g", "marker", "mask", "pattern", "svg", "symbol", "use"))
"""What has no outline of its own: the paints and markers of these are for what is in them, which inherits them."""
PAINTS = ("fill", "stroke")
MARKERS = ("marker", "marker-start", "marker-mid", "marker-end")
ONCE = ("mask", "clip-path", "filter")
"""What of an element refers to others: printed with each outline in it, at each point of these, and once."""
NUMBER = re.compile(r"\d+\.?\d*|\.\d+")
IN_URL = re.compile(r"url\((.+)\)")
XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"


class Drawings:
    """Which pictures of a book are shown: as many as there is time to print; the others are left out."""

    def __init__(self, folder: Path) -> None:
        """Take the folder in which they lie."""
        self._folder, self._left = folder, float(MAX_OF_BOOK)
        self._known: dict[str, float] = {}

    def take(self, name: str, url: str) -> bool:
        """Tell whether a picture, which has an address in the book, is shown once more; count it if it is."""
        if self._left < 1:
            return False
        if name not in self._known:
            self._known[name] = elements_of((self._folder / name).read_bytes(), url)
        elements = self._known[name]
        if elements > min(MAX_IN_ONE, self._left):
            return False
        self._left -= elements
        return True


def elements_of(picture: bytes, url: str) -> float:
    """Count the elements that a picture at an address has printed, at least 1; `inf` for endless or unreadable ones."""
    try:
        root = ElementTree.fromstring(picture)
    except (ElementTree.ParseError, ValueError, LookupError):  # no drawing, whatever its type says
        return 1
    if sum(1 for _ in root.iter()) > MAX_IN_ONE or _attributes_in(root) > MAX_ATTRIBUTES:
        return inf
    from weasyprint.svg import SVG  # hosts start without it

    try:
        return _Counting(SVG(root, url, None).tree, url).all()
    except Exception:  # it was made by anybody, and may be nested too deep for both
        return inf


class _Printed(NamedTuple):
    """What a node has printed: all elements, and what of it takes on the paints and markers of who refers to it."""

    elements: float = 0
    outlines: float = 0
    points: float = 0


class _Counting:
    """Counts what the nodes of a drawing have printed; they have what style sheets say and what they inherit."""

    def __init__(self, root: Any, url: str) -> None:
        self._root, self._url, self._scheme = root, url, urlsplit(url).scheme
        self._known: dict[int, _Printed] = {}
        self._begun: set[int] = set()
        self._sought: set[str] = set()
        self._by_id: dict[str | None, Any] = {}
        self._nodes = 0
        for node in _every(root):
            self._nodes += 1
            self._by_id.setdefault(node.get("id"), node)

    def all(self) -> float:
        """Count the elements of the drawing, with the time that it takes to find those that are referred to."""
        return self._printed(self._root).elements + len(self._sought) * self._nodes / LOOKED_THROUGH

    def _printed(self, node: Any) -> _Printed:
        known = self._known.get(id(node))
        if known is None:
            if id(node) in self._begun:  # it refers to itself
                return _Printed(inf, inf, inf)
            self._begun.add(id(node))
            known = self._known[id(node)] = self._counted(node)
        return known

    def _counted(self, node: Any) -> _Printed:
        if node.tag == "image" and self._is_beside(node):
            return _Printed(inf, inf, inf)
        own = _Printed(1, 0, 0)
        if node.tag not in GROUPS:
            own = _Printed(1, 1, 4 + len(NUMBER.findall(f"{node.get('d', '')} {node.get('points', '')}")))
        inside = [self._printed(child) for child in node] if node.tag != "defs" else []
        # In what is referred to, paints and markers are those of who refers, where it has none of its own.
        target = self._referred(_fragment(node.get_href(self._url))) if node.tag != "a" else _Printed()
        outlines, points = own.outlines + target.outlines, own.points + target.points
        paints = [self._referred(_painted(node.get(name))) for name in PAINTS]
        painted = sum(one.elements for one in paints)
        markers = [self._referred(_fragment(node.get(name))) for name in MARKERS]
        marked = sum(one.elements + _product(one.outlines, painted) for one in markers)
        once = sum(self._referred(_fragment(node.get(name))).elements for name in ONCE)
        elements = own.elements + target.elements + _product(outlines, painted) + _product(points, marked) + once
        return _Printed(
            elements + sum(one.elements for one in inside),
            outlines + sum(one.outlines for one in inside),
            points + sum(one.points for one in inside),
        )

    def _referred(self, name: str) -> _Printed:
        if not name:
            return _Printed()
        self._sought.add(name)
        node = self._by_id.get(name)
        return self._printed(node) if node is not None else _Printed()

    def _is_beside(self, node: Any) -> bool:
        """Tell whether an element shows a picture of the book, maybe its own: none is counted inside another."""
        url = node.get_href(node.get(XML_BASE) or self._url)
        return url is not None and urlsplit(url).scheme == self._scheme


def _every(root: Any) -> Iterator[Any]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(list(node))


def _attributes_in(root: ElementTree.Element) -> int:
    total, waiting = 0, [(root, 0)]
    while waiting:
        element, inherited = waiting.pop()
        here = inherited + len(element.attrib)
        total += here + 1
        waiting += [(child, here) for child in element]
    return total


def _painted(value: str | None) -> str:
    found = IN_URL.search(value or "")
    return _fragment(found[0]) if found is not None else ""


def _fragment(value: str | None) -> str:
    """Give the name of the element that an attribute refers to, with `url(...)` around it or without."""
    inner = (value or "").strip()
    if inner.startswith("url(") and inner.endswith(")"):
        inner = inner[4:-1].strip().strip("'\"")
    return urlsplit(inner).fragment


def _product(many: float, each: float) -> float:
    """Multiply, where nothing is nothing, however often."""
    return many * each if many and each else 0
