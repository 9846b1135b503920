"""What comments are about: pages as they are now, and whether a node still says what was commented on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from pydantic import MISSING

from runtime.contract.batches import batched
from runtime.contract.comments import CommentNode, CommentPage, CommentTarget, TableCellTarget
from runtime.contract.document_nodes import said
from runtime.serializers.view import View
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.pieces import unpack_within
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

NOTHING = Snapshot()
MOST_READ = 32 * 1024 * 1024
"""Bytes of documents, as JSON, that are read for one answer; any single one fits."""
AT_ONCE = 20
"""Documents that are held as they are stored, compressed."""


def page_of(page: Page, path: str) -> dict[str, str]:
    """Write what is shown of a page with a comment on it."""
    shown = {"id": page.id, "title": page.title, "emoji": page.emoji, "icon": page.icon, "path": path}
    shown |= {"created_at": page.created_at, "updated_at": page.updated_at}
    return {name: value for name, value in shown.items() if value is not None}


def targets(view: View, rows: Sequence[CommentRow], spaces: Mapping[str, SpaceRow]) -> list[CommentTarget]:
    """Show what comments are about; those on no page need no look at any content."""
    current = _current(view, [row for row in rows if row.page_id is not None], spaces)
    outdated = _outdated(view, rows, current)
    return [
        CommentTarget(
            node=MISSING if row.node_id is None else CommentNode(id=row.node_id, preview=row.node_preview or MISSING),
            table_cell=_cell(row),
            change_request=row.change_request_id or MISSING,
            review=row.review_id or MISSING,
            page=_page(row, current.get(row.place_id, NOTHING), outdated),
            space=row.space_id,
            revision=row.revision_id,
        )
        for row in rows
    ]


def _cell(row: CommentRow) -> Any:
    if row.record_id is None or row.definition_id is None:
        return MISSING
    return TableCellTarget(record=row.record_id, definition=row.definition_id)


def _current(view: View, rows: Sequence[CommentRow], spaces: Mapping[str, SpaceRow]) -> dict[str, Snapshot]:
    """Read the current content of the spaces and change requests that comments are on, by the ids of these."""
    changes = view.at_hand(ChangeRequestRow, {row.change_request_id for row in rows if row.change_request_id})
    named = {row.place_id: changes.get(row.place_id, spaces[row.space_id]).revision_id for row in rows}
    found = view.by_id(RevisionRow, named.values())
    return {
        place: revisions.snapshot_of(view.session, found[revision])
        for place, revision in named.items()
        if revision in found
    }


def _outdated(view: View, rows: Sequence[CommentRow], current: Mapping[str, Snapshot]) -> set[str]:
    """Name the comments on a node that is gone, or says something else than it did, on a page that has changed since.

    One document is held after the other, and `MOST_READ` of them are read for one answer: what is said then of comments
    on nodes of further pages is that they are outdated, because their page is not what it was.
    """
    wanted: dict[tuple[str, str], list[CommentRow]] = {}
    for row in rows:
        page = current.get(row.place_id, NOTHING).page_by_id.get(row.page_id or "")
        if row.node_digest is not None and page is not None and page.document != row.document_id:
            wanted.setdefault((row.space_id, page.document or ""), []).append(row)
    outdated = {row.id for those in wanted.values() for row in those}
    left = MOST_READ
    for (space_id, name), stored in _stored(view, [*wanted]):
        found = unpack_within(stored, left)
        if found is not None:
            document, length = found
            left -= length
            outdated -= {row.id for row in wanted[space_id, name] if _says_the_same(document, row)}
        if left <= 0:
            break
    return outdated


def _stored(view: View, wanted: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], bytes]]:
    """Read documents as they are stored, by their spaces and names, some at a time."""
    for space_id in sorted({space_id for space_id, _ in wanted}):
        names = sorted(name for space, name in wanted if space == space_id)
        for batch in batched(names, AT_ONCE):
            packed = revisions.packed_documents(view.session, space_id, batch)
            yield from (((space_id, name), stored) for name, stored in packed.items())


def _says_the_same(document: Mapping[str, Any], row: CommentRow) -> bool:
    found = said(document, row.node_id, row.record_id, row.definition_id)
    return found is not None and found.digest == row.node_digest


def _page(row: CommentRow, snapshot: Snapshot, outdated: Set[str]) -> Any:
    if row.page_id is None:
        return MISSING
    page = snapshot.page_by_id.get(row.page_id)
    path = snapshot.path_of.get(row.page_id)
    if page is None or path is None:
        return CommentPage(**(row.page or {}), outdated=True)
    return CommentPage(**page_of(page, path), outdated=row.id in outdated)
