"""Begins imports, and cancels them."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.importing import ImportSource
from runtime.services import organization_storage
from runtime.services.importing import job
from runtime.services.importing.assembling import Place
from runtime.services.importing.storing import Target, base_of
from runtime.store import imports, locks
from runtime.store.blobs.store import Blob
from runtime.store.jobs import TooManyJobs, enqueue
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.spaces import SpaceRow


def begin(
    session: Session,
    space: SpaceRow,
    change_request: ChangeRequestRow | None,
    page_id: str | None,
    user_id: str,
    source: ImportSource,
    *,
    url: str | None = None,
    blob: Blob | None = None,
    name: str = "",
) -> ImportRow:
    """Begin an import from an address or from what was sent.

    Raises NotFound for a page that is not there, BadRequest for one that no page can be in and for a change request
    that is closed or an organization that is full, PreconditionFailed for a space that is locked, and TooManyRequests.
    """
    organization_storage.enforce_for_files(session, space.organization_id)
    within = change_request.id if change_request is not None else None
    row = ImportRow(
        space_id=space.id, change_request_id=within, page_id=page_id, user_id=user_id, source=source, url=url,
        name=name,
    )  # fmt: skip
    if blob is not None:
        row.blob, row.blob_came_at = blob.name, blob.came_at
    _, snapshot = base_of(session, Target(space.id, within, "", user_id, Place(page_id)))
    if page_id is not None:
        page = snapshot.page_by_id.get(page_id)
        if page is None:
            raise errors.NotFound(f"There is no page `{page_id[:60]}` to import into.")
        if page.type not in ("document", "group"):
            raise errors.BadRequest(f"A {page.type} cannot contain pages; import into a page or a group.")
    session.add(row)
    session.flush()
    imports.thin(session, space.id)
    try:
        enqueue(session, job.NAME, space.organization_id, space.id, {"import": row.id})
    except TooManyJobs:
        raise errors.TooManyRequests("This organization has too many waiting jobs; try again later.") from None
    return row


def cancel(session: Session, row: ImportRow) -> None:
    """Cancel an import; has no effect once it has ended. Raises NotFound for one that is gone."""
    imports.end(session, row.id, "cancelled", imported=0)
    locks.read_anew(session, row)
