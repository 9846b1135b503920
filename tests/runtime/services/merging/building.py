"""Documents, pages and snapshots for the tests of merging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.services.merging.snapshots import Merge, merge_snapshots
from runtime.store.content.entries import Page
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import Snapshot, in_order

Node = Mapping[str, Any]


def text(words: str, type_: str = "paragraph", **more: Any) -> dict[str, Any]:
    leaf = {"object": "leaf", "text": words, "marks": []}
    return {"object": "block", "type": type_, "nodes": [{"object": "text", "leaves": [leaf]}], **more}


def box(type_: str, *nodes: Node, **data: Any) -> dict[str, Any]:
    return {"object": "block", "type": type_, "data": data, "nodes": list(nodes)}


def bullets(*words: str) -> dict[str, Any]:
    return box("list-unordered", *(box("list-item", text(one)) for one in words))


def doc(*blocks: Node | str) -> dict[str, Any]:
    nodes = [text(block) if isinstance(block, str) else block for block in blocks]
    return {"object": "document", "data": {"schemaVersion": 1}, "nodes": nodes}


def words(node: Any) -> list[str]:
    """Read the texts of a document from top to bottom."""
    if isinstance(node, list):
        return [word for one in node for word in words(one)]
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if node.get("object") == "leaf" else []
    return own + [word for name in ("nodes", "fragments", "leaves") for word in words(node.get(name))]


def pages(outline: str) -> list[Page]:
    """Read pages from an outline such as "a(b c(d)) e"; the slug is the id, and so is the title."""
    made: list[Page] = []
    above: list[str | None] = [None]
    for word in outline.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            above.append(made[-1].id)
        elif word == ")":
            above.pop()
        else:
            made.append(Page(word, title=word, slug=word, parent=above[-1]))
    return made


def outline(snapshot: Snapshot | None, parent: str | None = None) -> str:
    """Write pages as `pages` reads them, by their ids."""
    assert snapshot is not None
    parts = []
    for page in snapshot.children.get(parent, ()):
        inside = outline(snapshot, page.id)
        parts.append(f"{page.id}({inside})" if inside else page.id)
    return " ".join(parts)


class Library:
    """Documents by their names."""

    def __init__(self) -> None:
        self.documents: dict[str, Node] = {}

    def add(self, document: Node) -> str:
        name = name_of(document)
        self.documents[name] = document
        return name

    def merge(self, base: Snapshot, ours: Snapshot, theirs: Snapshot) -> Merge:
        return merge_snapshots(base, ours, theirs, self.documents.__getitem__)


def tree(outline: str, **changes: Mapping[str, Any]) -> Snapshot:
    """Make a snapshot of an outline; `changes` are fields of pages by their ids."""
    stored = [{**page.to_json(), **changes.get(page.id, {})} for page in pages(outline)]
    return snapshot(pages=in_order(Page.from_json(one) for one in stored))


def snapshot(**lists: Any) -> Snapshot:
    """Make a snapshot with lists, as the store reads them: a list equals no tuple."""
    return Snapshot(**{"pages": [], "files": [], "reusable_contents": [], **lists})
