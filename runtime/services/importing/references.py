"""Replaces keys by ids in imported documents, and drops references that could run scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.services.markdown.links import is_safe

Node = dict[str, Any]

KEYED = {"page": "page", "file": "file", "reusable-content": "reusableContent"}
"""Kinds of reference that name something of the import, and the field that has its key."""
NOWHERE = "#"


class Ids:
    """The ids of imported items, by kind and key."""

    def __init__(self, pages: Mapping[str, str], files: Mapping[str, str], reusable: Mapping[str, str]) -> None:
        """Take the ids of pages, files and reusable contents, each by its key."""
        self.pages, self.files, self.reusable_contents = dict(pages), dict(files), dict(reusable)
        self._of = {"page": self.pages, "file": self.files, "reusable-content": self.reusable_contents}

    def to_json(self) -> dict[str, Any]:
        """Serialize for another process."""
        return {"pages": self.pages, "files": self.files, "reusable": self.reusable_contents}

    def reference(self, ref: Mapping[str, Any]) -> Node:
        """Return a ContentRef with an id instead of a key; an unknown key becomes a URL."""
        kind, there = ref.get("kind"), dict(ref)
        if there.get("space"):  # it is about something that was there before
            return there
        if kind == "anchor":
            page = ref.get("page")
            if page is None or page in self.pages:
                return {**there, "page": self.pages[page]} if page is not None else there
            return _url(f"{page}#{ref.get('anchor', '')}")
        if kind in KEYED:
            key = ref.get(KEYED[kind])
            found = self._of[kind].get(key) if isinstance(key, str) else None
            return {**there, KEYED[kind]: found} if found is not None else _url(key)
        return there if is_safe(there) else _url(None)

    def document(self, document: Node) -> Node:
        """Replace keys by ids in a document, in place."""
        waiting: list[Any] = [document]
        while waiting:
            node = waiting.pop()
            data = node.get("data")
            if isinstance(data, dict):
                self._in_data(node, data)
            waiting += [one for kind in ("nodes", "fragments") for one in node.get(kind, ()) if isinstance(one, dict)]
        return document

    def _in_data(self, node: Node, data: Node) -> None:
        for name in ("ref", "refDark", "target"):
            if isinstance(data.get(name), dict):
                data[name] = self.reference(data[name])
        if "url" in data and not is_safe({"kind": "url", "url": data["url"]}):
            data["url"] = NOWHERE
        if node.get("type") == "table":
            for values, name, kind in _cells(data):
                value = values[name]
                if kind == "files" and isinstance(value, list):
                    ids = [self.files.get(one) for one in value if isinstance(one, str)]
                    values[name] = [one for one in ids if one is not None]
                elif isinstance(value, dict) and isinstance(value.get("ref"), dict):
                    value["ref"] = self.reference(value["ref"])
                elif isinstance(value, dict) and "kind" in value:
                    values[name] = self.reference(value)


def _cells(data: Node) -> Iterator[tuple[Node, str, Any]]:
    definitions, records = data.get("definition"), data.get("records")
    if not isinstance(definitions, dict) or not isinstance(records, dict):
        return
    kinds = {name: one.get("type") for name, one in definitions.items() if isinstance(one, dict)}
    for record in records.values():
        values = record.get("values") if isinstance(record, dict) else None
        if isinstance(values, dict):
            yield from ((values, name, kinds.get(name)) for name in [*values])


def _url(target: object) -> Node:
    ref = {"kind": "url", "url": target}
    return ref if isinstance(target, str) and target and is_safe(ref) else {"kind": "url", "url": NOWHERE}
