"""What a document refers to: pages, files, addresses and all else that a ContentRef names (docs/contract/api.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from runtime.contract.document_nodes import anchors_in

Node = Mapping[str, Any]
Relation = Literal["reference", "dependsOn"]

FIELDS = {
    "file": "file",
    "url": "url",
    "page": "page",
    "anchor": "anchor",
    "user": "user",
    "collection": "collection",
    "space": "space",
    "reusable-content": "reusableContent",
    "openapi": "spec",
}
"""Kind of reference -> the field that must name its target."""
_NAMED = tuple(FIELDS.values())
_SHOWS = ("image", "inline-image", "file", "drawing", "reusable-content", "openapi", "swagger", "openapi-operation")
"""Nodes that show what they refer to, and do not only lead there."""
MAX_REFERENCES = 5000
"""Of one document; what is beyond is not followed."""
MAX_CHARACTERS = 256 << 10
"""Characters of all references of one document together, as they are stored."""
MAX_LENGTH = 2048
"""Characters of an address or id, beyond which it is none."""
MAX_NAME = 100
"""Characters of the key or id of a node: the name is stored with each reference in it, and a longer one names none."""


_OVERHEAD = 60
"""Characters of the JSON around what a reference says."""


class Reference(NamedTuple):
    """One use of a ContentRef in a document: by the node of this key or id, where it has one."""

    ref: dict[str, Any]
    node: str | None
    relation: Relation


def found_in(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """List the references and anchors of a document, which are stored beside it, as JSON; None where it has none."""
    references, anchors = references_in(document), anchors_in(document)
    return {"references": [list(one) for one in references], "anchors": anchors} if references or anchors else None


def references_in(document: Node) -> list[Reference]:
    """List what a document refers to, in the order of its text."""
    found: list[Reference] = []
    waiting: list[tuple[Any, str | None]] = [(document, None)]
    left = MAX_CHARACTERS
    while waiting and len(found) < MAX_REFERENCES and left > 0:
        node, above = waiting.pop()
        name = _name_of(node) or above
        relation: Relation = "dependsOn" if str(node.get("type", "")).startswith(_SHOWS) else "reference"
        data = node.get("data")
        for ref in _in_data(node, data if isinstance(data, dict) else {}):
            left -= sum(map(len, ref.values())) + len(name or "") + _OVERHEAD
            if left < 0:
                break
            found.append(Reference(ref, name, relation))
        inside = [one for kind in ("nodes", "fragments") for one in node.get(kind, ()) if isinstance(one, dict)]
        waiting += [(one, name) for one in reversed(inside)]
    return found[:MAX_REFERENCES]


def is_reference(value: Any) -> bool:
    """Return whether a value is a ContentRef that names something."""
    if not isinstance(value, dict):
        return False
    kind = value.get("kind")
    field = FIELDS.get(kind) if isinstance(kind, str) else None
    target = value.get(field) if field is not None else None
    return isinstance(target, str) and 0 < len(target) <= MAX_LENGTH


def plain(ref: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a ContentRef names, without all else that somebody may have written into it."""
    named = {name: ref[name] for name in _NAMED if isinstance(ref.get(name), str) and len(ref[name]) <= MAX_LENGTH}
    return {"kind": ref["kind"], **named}


def _in_data(node: Node, data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in ("ref", "refDark", "target"):
        if is_reference(data.get(name)):
            yield plain(data[name])
    if node.get("type") == "embed" and isinstance(data.get("url"), str) and 0 < len(data["url"]) <= MAX_LENGTH:
        yield {"kind": "url", "url": data["url"]}
    if node.get("type") == "table":
        yield from _in_cells(data)


def _in_cells(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    definitions, records = data.get("definition"), data.get("records")
    if not isinstance(definitions, dict) or not isinstance(records, dict):
        return
    kinds = {name: one.get("type") for name, one in definitions.items() if isinstance(one, dict)}
    for record in records.values():
        values = record.get("values") if isinstance(record, dict) else None
        for name, value in values.items() if isinstance(values, dict) else ():
            if kinds.get(name) in ("files", "users") and isinstance(value, list):
                kind = "file" if kinds[name] == "files" else "user"
                yield from (
                    {"kind": kind, kind: one} for one in _distinct(value) if is_reference({"kind": kind, kind: one})
                )
            elif isinstance(value, dict):
                ref = value.get("ref", value)
                if is_reference(ref):
                    yield plain(ref)


def _distinct(values: Sequence[Any]) -> Iterator[str]:
    return iter(dict.fromkeys(one for one in values if isinstance(one, str)))


def _name_of(node: Node) -> str | None:
    meta = node.get("meta")
    name = node.get("key") or (meta.get("id") if isinstance(meta, dict) else None)
    return name if isinstance(name, str) and 0 < len(name) <= MAX_NAME else None
