"""Nodes of documents as others speak of them: by their names, with what they say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from runtime.contract.slugs import Slugs, slug_of

Node = Mapping[str, Any]
_SHOWN = ("label", "alt", "formula", "expression", "icon")
"""What stands in the data of a node without text, and for it."""


class Said(NamedTuple):
    """What a node or a cell says."""

    text: str

    @property
    def digest(self) -> str:
        """Name the text by its content, to tell later whether it is another one."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def said(document: Node, name: str | None, record: str | None, definition: str | None) -> Said | None:
    """Find what a node says, or a cell of the table it is; without a name a cell is sought in all tables.

    None if there is no such node or cell.
    """
    node = document if name is None else named(document, name)
    if node is None or record is None or definition is None:
        return None if node is None else Said(text_of(node))
    table = table_with(node, record, definition)
    text = cell_of(table, record, definition) if table is not None else None
    return None if text is None else Said(text)


def named(document: Node, name: str) -> Node | None:
    """Find the first node with this name: its `key`, its `meta.id`, or an anchor of a heading (see `anchors_in`)."""
    found = next((node for node in _all(document) if name in _names(node)), None)
    return found or next((node for node, anchor in _headings(document) if anchor == name), None)


def table_with(document: Node, record: str, definition: str) -> Node | None:
    """Find the first table, which may be the node itself, that has a record and a column."""
    every = (node for node in (document, *_all(document)) if node.get("type") == "table")
    return next((table for table in every if cell_of(table, record, definition) is not None), None)


def cell_of(table: Node, record: str, definition: str) -> str | None:
    """Return what a cell of a table says; None where it has no such record or column."""
    data = table.get("data", {})
    row, columns = _object(data.get("records")).get(record), _object(data.get("definition"))
    if row is None or definition not in columns:
        return None
    value = _object(_object(row).get("values")).get(definition)
    fragments = (one for one in table.get("fragments", ()) if one.get("fragment") == value)
    fragment = next(fragments, None) if isinstance(value, str) else None
    return text_of(fragment) if fragment is not None else "" if value is None else str(value)


def text_of(node: Node) -> str:
    """Return the text of a node and of all in it, each block on a line of its own."""
    parts: list[str] = []
    for one in (node, *_all(node)):
        if one.get("object") == "text":
            parts += [leaf.get("text", "") for leaf in one.get("leaves", ())]
            continue
        if one.get("object") == "block" and parts:
            parts.append("\n")
        if not one.get("nodes") and not one.get("fragments"):
            data = one.get("data", {})
            parts += [data[name] for name in _SHOWN if isinstance(data.get(name), str)][:1]
    return "".join(parts).strip()


def anchors_in(document: Node) -> list[str]:
    """List the anchors of the headings of a document: the ids they say, and what their texts become in an address."""
    anchors: dict[str, None] = {}
    for node, anchor in _headings(document):
        names = [name for name in _names(node) if isinstance(name, str) and name]
        anchors |= dict.fromkeys([*names, anchor])
    return list(anchors)


def _headings(document: Node) -> Iterator[tuple[Node, str]]:
    """Walk over the headings, each with the anchor made from its text."""
    texts = Slugs()
    for node in _all(document):
        if str(node.get("type", "")).startswith("heading-"):
            yield node, texts.take(slug_of(text_of(node)))


def _all(document: Node) -> Iterator[Node]:
    """Walk over everything in a node, in the order of the text."""
    waiting = [*_inside(document)][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [*_inside(node)][::-1]


def _inside(node: Node) -> Iterator[Node]:
    for kind in ("nodes", "fragments"):
        yield from node.get(kind, ())


def _names(node: Node) -> tuple[Any, ...]:
    heading = str(node.get("type", "")).startswith("heading-")
    return (
        node.get("key"),
        _object(node.get("meta")).get("id"),
        _object(node.get("data")).get("id") if heading else None,
    )


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
