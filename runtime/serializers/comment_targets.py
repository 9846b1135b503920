"""What comments are about: pages as they are now, and whether a node still says what was commented on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import MISSING

from runtime.contract.comments import CommentNode, CommentPage, CommentTarget, TableCellTarget
from runtime.contract.document_nodes import said
from runtime.serializers.view import View
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.comments import CommentRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

NOTHING = Snapshot()


def page_of(page: Page, path: str) -> dict[str, str]:
    """Write what is shown of a page with a comment on it."""
    shown = {"id": page.id, "title": page.title, "emoji": page.emoji, "icon": page.icon, "path": path}
    shown |= {"created_at": page.created_at, "updated_at": page.updated_at}
    return {name: value for name, value in shown.items() if value is not None}


def targets(view: View, rows: Sequence[CommentRow], spaces: Mapping[str, SpaceRow]) -> list[CommentTarget]:
    """Show what comments are about; those on no page need no look at any content."""
    current = _current(view, [row for row in rows if row.page_id is not None], spaces)
    documents = _documents(view, rows, current)
    return [
        CommentTarget(
            node=MISSING if row.node_id is None else CommentNode(id=row.node_id, preview=row.node_preview or MISSING),
            table_cell=_cell(row),
            change_request=row.change_request_id or MISSING,
            review=row.review_id or MISSING,
            page=_page(row, current.get(row.place_id, NOTHING), documents),
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


def _documents(
    view: View, rows: Sequence[CommentRow], current: Mapping[str, Snapshot]
) -> dict[tuple[str, str], Mapping[str, Any]]:
    """Read what pages say now that said something else when a node of them was commented on."""
    wanted: dict[str, set[str]] = {}
    for row in rows:
        page = current.get(row.place_id, NOTHING).page_by_id.get(row.page_id or "")
        if row.node_digest is not None and page is not None and page.document not in (None, row.document_id):
            wanted.setdefault(row.space_id, set()).add(str(page.document))
    return {
        (space_id, name): document
        for space_id, names in wanted.items()
        for name, document in revisions.documents(view.session, space_id, sorted(names)).items()
    }


def _page(row: CommentRow, snapshot: Snapshot, documents: Mapping[tuple[str, str], Mapping[str, Any]]) -> Any:
    if row.page_id is None:
        return MISSING
    page = snapshot.page_by_id.get(row.page_id)
    path = snapshot.path_of.get(row.page_id)
    if page is None or path is None:
        return CommentPage(**(row.page or {}), outdated=True)
    if row.node_digest is None or page.document == row.document_id:
        return CommentPage(**page_of(page, path), outdated=False)
    document = documents.get((row.space_id, page.document or ""), {})
    found = said(document, row.node_id, row.record_id, row.definition_id)
    return CommentPage(**page_of(page, path), outdated=found is None or found.digest != row.node_digest)
