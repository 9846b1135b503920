"""What a revision changed, said in terms of pages, files, reusable contents and variables (docs/contract/api.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.store import rows
from runtime.store.content.entries import Entry, File, Page, ReusableContent
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.reach import HOST
from runtime.store.tables.content import RevisionRow

SemanticChange = dict[str, Any]
AddressOf = Callable[[File], str]

_PAGE_FIELDS = {
    "document": ("title", "description", "slug", "document", "cover", "emoji", "layout", "variables"),
    "group": ("title", "emoji", "slug"),
    "link": ("title", "emoji", "target"),
    "computed": ("title", "emoji"),
}


def of(session: Session, row: RevisionRow, address_of: AddressOf) -> list[SemanticChange]:
    """List the changes from a revision's first parent to it; from nothing where it has none.

    Raises NotFound where the revision before was a step that is kept no longer.
    """
    before = rows.find(session, HOST, RevisionRow, id=row.parents[0], space_id=row.space_id) if row.parents else None
    if before is None and row.parents:
        raise errors.NotFound("The previous revision was an intermediate step, and is no longer stored.")
    first = snapshot_of(session, before) if before is not None else Snapshot()
    return between(first, snapshot_of(session, row), address_of)


def between(before: Snapshot, after: Snapshot, address_of: AddressOf) -> list[SemanticChange]:
    """List the changes from one snapshot to another: pages in the order of the new one, then what is gone.

    `address_of` gives the address of a file's bytes.
    """

    def file(one: File) -> dict[str, Any]:
        return {"id": one.id, "name": one.name, "contentType": one.content_type, "downloadURL": address_of(one)}

    changes = [*_pages(before, after)]
    changes += _others(
        "file", before.file_by_id, after.file_by_id, file, ("name", "size", "content_type", "dimensions")
    )
    changes += _others(
        "reusable_content",
        before.reusable_content_by_id,
        after.reusable_content_by_id,
        _reusable_content,
        ("title", "document"),
    )
    names = [
        name for name in {**before.variables, **after.variables} if _differs(before.variables, after.variables, name)
    ]
    if names:
        variables = {name: _attribute(before.variables.get(name), after.variables.get(name)) for name in sorted(names)}
        changes.append({"type": "variables_edited", "variables": variables})
    return changes


def _pages(before: Snapshot, after: Snapshot) -> Iterator[SemanticChange]:
    for page in after.pages:
        old = before.page_by_id.get(page.id)
        if old is None:
            yield {"type": "page_created", "page": _page(after, page)}
            continue
        if old is page or old == page:
            continue
        attributes = _attributes(old, page, _PAGE_FIELDS[page.type])
        if attributes:
            yield {"type": "page_edited", "page": _page(after, page), "attributes": attributes}
        if old.parent != page.parent:
            parents = {"before": _at(before, old.parent), "after": _at(after, page.parent)}
            moved = {side: parent for side, parent in parents.items() if parent is not None}
            yield {"type": "page_moved", "page": _page(after, page), "parent": moved}
    for page in before.pages:
        if page.id not in after.page_by_id:
            yield {"type": "page_deleted", "page": _page(before, page)}


def _others(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any], shown: Any, fields: Sequence[str]
) -> Iterator[SemanticChange]:
    key = "reusableContent" if name == "reusable_content" else name
    for one in after.values():
        old = before.get(one.id)
        if old is None:
            yield {"type": f"{name}_created", key: shown(one)}
        elif attributes := _attributes(old, one, fields):
            yield {"type": f"{name}_edited", key: shown(one), "attributes": attributes}
    for old in before.values():
        if old.id not in after:
            yield {"type": f"{name}_deleted", key: shown(old)}


def _attributes(before: Entry, after: Entry, fields: Sequence[str]) -> dict[str, Any]:
    pairs = {field: (getattr(before, field), getattr(after, field)) for field in fields}
    names = {"content_type": "contentType"}
    return {names.get(field, field): _attribute(old, new) for field, (old, new) in pairs.items() if old != new}


def _attribute(before: Any, after: Any) -> dict[str, Any]:
    return {side: value for side, value in (("before", before), ("after", after)) if value is not None}


def _differs(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> bool:
    # `True == 1` in Python, but not on the wire.
    return (name in before) != (name in after) or repr(before[name]) != repr(after[name])


def _at(snapshot: Snapshot, page_id: str | None) -> dict[str, Any] | None:
    return _page(snapshot, snapshot.page_by_id[page_id]) if page_id is not None else None


def _page(snapshot: Snapshot, page: Page) -> dict[str, Any]:
    shown = {"id": page.id, "type": page.type, "title": page.title}
    path = snapshot.path_of.get(page.id)
    return {**shown, "path": path} if path is not None else shown


def _reusable_content(content: ReusableContent) -> dict[str, Any]:
    document = {"document": content.document} if content.document is not None else {}
    return {"id": content.id, "title": content.title, **document}
