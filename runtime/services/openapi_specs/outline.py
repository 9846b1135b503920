"""What pages of a specification are made of: its tags with their operations, and the names of its schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.contract.json_parts import decode_json

MAX_READ = 8 * 1024 * 1024
"""Bytes of a version whose outline is made while somebody waits for it."""
MAX_OUTLINE = 2 * 1024 * 1024
"""Bytes of an outline as JSON, which is read again with each page."""
MAX_OPERATIONS = 20_000
"""Operations of all tags together; one with several tags counts for each, one that several paths refer to for each."""
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
OTHERS = "Other"
"""The tag of operations without one."""
_NOTHING: Mapping[str, Any] = {}
Outline = Mapping[str, Any]
"""`tags`: a list of `name`, perhaps `description`, and `operations` of `path` and `method`; `schemas`: names."""


class TooLarge(ValueError):
    """A specification has more than pages can show."""


def outline_of(content: bytes) -> Outline:
    """Make the outline of a version as it is stored: tags as it declares them, then others as operations name them.

    A path that is only a reference into another file has no operations here. Raises TooLarge.
    """
    files = decode_json(content)
    document = _object(next(iter(files.values()), None)) if isinstance(files, dict) else {}
    declared = [
        tag for tag in _list(document.get("tags")) if isinstance(name := _object(tag).get("name"), str) and name
    ]
    tags: dict[str, dict[str, Any]] = {}
    for tag in declared:
        described = {"description": tag["description"]} if isinstance(tag.get("description"), str) else {}
        tags.setdefault(tag["name"], {"name": tag["name"], **described, "operations": []})
    count = 0
    for path, method, names in _operations(document):
        count += len(names)
        if count > MAX_OPERATIONS:
            raise TooLarge
        for name in names:
            tag = tags.setdefault(name, {"name": name, "operations": []})
            tag["operations"].append({"path": path, "method": method})
    schemas = _object(_object(document.get("components")).get("schemas"))
    return {"tags": [tag for tag in tags.values() if tag["operations"]], "schemas": list(schemas)}


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    known: dict[str, Any] = {}
    # By the object itself: thousands of paths may refer to one, with thousands of tags.
    read: dict[int, list[tuple[str, list[str]]]] = {}
    for path, item in _object(document.get("paths")).items():
        found = _object(_followed(document, item, known))
        if id(found) not in read:
            read[id(found)] = list(_methods(found))
        for method, tags in read[id(found)]:
            yield path, method, tags


def _methods(item: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for method, operation in item.items():
        if method in METHODS and isinstance(operation, dict):
            named = [name for name in _list(operation.get("tags")) if isinstance(name, str) and name]
            yield method, list(dict.fromkeys(named)) or [OTHERS]


def _followed(document: Mapping[str, Any], item: Any, known: dict[str, Any]) -> Any:
    """Follow the references of a path inside of the document; None for one that leads back to itself.

    `known` has what references lead to in the end, and is added to: thousands of paths may go through the same ones.
    """
    passed: dict[str, None] = {}
    while isinstance(ref := _object(item).get("$ref"), str) and ref.startswith("#/"):
        if ref in known or ref in passed:
            item = known.get(ref)
            break
        passed[ref] = None
        found: Any = document
        for part in ref[2:].split("/"):
            found = _object(found).get(part.replace("~1", "/").replace("~0", "~"))
        item = found
    known.update(dict.fromkeys(passed, item))
    return item


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
