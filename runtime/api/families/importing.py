"""Imports of content into spaces and change requests: begun, followed, cancelled."""

from __future__ import annotations

import time
from typing import Any

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.entrance import find_resource
from runtime.api.families.change_requests import CHANGE_REQUEST, person_of
from runtime.api.families.spaces import SPACE
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.api.uploads import Upload
from runtime.contract import errors
from runtime.contract.importing import (
    BeginImport,
    Import,
    ImportContent,
    ImportContentResult,
    ImportSource,
    UploadImportQuery,
)
from runtime.contract.organizations import Role
from runtime.contract.spaces import ApplyTemplate
from runtime.engines.shares import NoneLeft
from runtime.serializers import imports as serializers
from runtime.services import organization_storage, sample_content
from runtime.services.files import MAX_FILE
from runtime.services.importing import lifecycle
from runtime.store import rows
from runtime.store.blobs.store import Blob
from runtime.store.cursors import newest_first
from runtime.store.imports import UNDER_WAY
from runtime.store.reach import HOST
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.spaces import SpaceRow

IMPORT = Resource(
    "import_",
    ImportRow,
    at="imports/{importId}",
    within=SPACE,
    parent_column="space_id",
    model=Import,
    serialize=serializers.imports,
    order=newest_first(ImportRow.created_at, ImportRow.id),
)
importing = Family("Import", IMPORT)
CREATORS, EDITORS = member("create"), member("edit")
IN_SPACE, IN_CHANGE_REQUEST = f"{SPACE.path}/content", f"{CHANGE_REQUEST.path}/content"
BEGUN: dict[str, Any] = {"status": 201, "own_transaction": True, "also": ("412", "429")}
"""Settings that operations share which start an import and wait for it."""
LONGEST_WAIT = 100.0
"""Seconds that the answer waits for the import."""
LOOKS = (0.05, 1.0)
"""Seconds between two checks of the import, at first and at most."""


@importing.operation(
    f"POST {IN_SPACE}/import",
    ImportContentResult,
    needs=CREATORS,
    **BEGUN,
)
def import_content(call: Call, space: SpaceRow, body: ImportContent) -> ImportContentResult:
    """Import content into a space."""
    return _imported(call, space, None, None, body, "create")


@importing.operation(f"POST {IN_SPACE}/template", needs=CREATORS, status=201, also=("412",))
def apply_template_to_space(call: Call, space: SpaceRow, body: ApplyTemplate) -> None:
    """Add the pages of a template to a space."""
    sample_content.add(call.session, call.host.addresses, space, person_of(call))


@importing.operation(
    f"POST {IN_SPACE}/page/{{pageId}}/import",
    ImportContentResult,
    needs=EDITORS,
    **BEGUN,
)
def import_content_in_page_by_id(call: Call, space: SpaceRow, body: ImportContent) -> ImportContentResult:
    """Import content into a page of a space."""
    return _imported(call, space, None, call.path["pageId"], body, "edit")


@importing.operation(
    f"POST {IN_CHANGE_REQUEST}/import",
    ImportContentResult,
    needs=EDITORS,
    **BEGUN,
)
def import_content_in_change_request(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, body: ImportContent
) -> ImportContentResult:
    """Import content into a change request."""
    return _imported(call, space, change_request, None, body, "edit")


@importing.operation(
    f"POST {IN_CHANGE_REQUEST}/page/{{pageId}}/import",
    ImportContentResult,
    needs=EDITORS,
    **BEGUN,
)
def import_content_in_change_request_page_by_id(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, body: ImportContent
) -> ImportContentResult:
    """Import content into a page of a change request."""
    return _imported(call, space, change_request, call.path["pageId"], body, "edit")


@importing.operation(
    f"POST {IN_SPACE}/import/upload",
    Import,
    needs=EDITORS,
    status=201,
    max_body_bytes=MAX_FILE,
    own_transaction=True,
    also=("412", "429"),
)
def upload_import(call: Call, space: SpaceRow, query: UploadImportQuery, upload: Upload) -> Import:
    """Start importing the body of the request into a space, a page or a change request (extension)."""
    into_space = query.page is None and query.change_request is None
    if into_space:  # before the body is read
        with call.host.database.transaction(writes=False) as session:
            call.opened = session
            call.require("create", call.find(SpaceRow, id=space.id), "this space", session)
    with call.host.database.transaction(writes=False) as session:
        organization_storage.enforce_for_files(session, space.organization_id, upload.length)
    with upload.stored(call, space.organization_id) as blob, call.host.database.transaction(writes=True) as session:
        call.opened = session
        within = call.find(SpaceRow, id=space.id)
        organization_storage.enforce(session, within.organization_id, blob.size)
        made = _begun(call, within, query.source, query.page, query.change_request, blob=blob, name=query.name)
        shown = serializers.imports(call.view(session), [made])[0]
    call.after.append(call.host.jobs.wake)
    call.location = call.host.addresses.api("spaces", space.id, "imports", made.id)
    return shown


@importing.operation(f"POST {IMPORT.collection}", IMPORT, needs=EDITORS, status=201, also=("412", "429"))
def begin_import(call: Call, space: SpaceRow, body: BeginImport) -> ImportRow:
    """Start importing content without waiting for its end (extension)."""
    page, change_request = (None if one is MISSING else one for one in (body.page, body.change_request))
    made = _begun(call, space, body.source, page, change_request, url=body.url)
    call.after.append(call.host.jobs.wake)
    call.location = call.host.addresses.api("spaces", space.id, "imports", made.id)
    return made


crud.list_of(importing, IMPORT, "listImports", "List the imports into a space (extension).", needs=member("read"))
crud.get(importing, IMPORT, "getImportById", "Get an import into a space (extension).", needs=member("read"))


@importing.operation(f"POST {IMPORT.path}/cancel", IMPORT, needs=EDITORS)
def cancel_import(call: Call, import_: ImportRow) -> ImportRow:
    """Cancel an import; a finished one stays as it is (extension)."""
    if import_.blob is not None:  # as it is before the import ends
        sent = Blob(import_.blob, 0, import_.blob_came_at)
        call.after.append(lambda: call.host.blobs.discard(sent))
    lifecycle.cancel(call.session, import_)
    return import_


def _begun(
    call: Call, space: SpaceRow, source: ImportSource, page: str | None, change_request: str | None, **given: Any
) -> ImportRow:
    """Start an import if the caller may: importing into a space needs a higher level than into a part of it."""
    role: Role = "create" if page is None and change_request is None else "edit"
    call.require(role, space, "this space", call.session)
    row: ChangeRequestRow | None = None
    if change_request is not None:
        found = find_resource(call, call.session, CHANGE_REQUEST, change_request, space)
        if found is None:
            raise errors.not_seen(f"There is no {CHANGE_REQUEST.word} `{change_request[:60]}`")
        row = found[0]
    return lifecycle.begin(call.session, space, row, page, person_of(call), source, **given)


def _imported(
    call: Call,
    space: SpaceRow,
    change_request: ChangeRequestRow | None,
    page: str | None,
    body: ImportContent,
    role: Role,
) -> ImportContentResult:
    """Start an import and wait for its end; if it takes longer, return the counts so far.

    Raises BadRequest, with the error message, if it failed.
    """
    try:
        with call.host.capacity.calls.place(call.actor.owner):
            with call.host.database.transaction(writes=True) as session:
                call.opened = session
                within: Any = call.find(SpaceRow, id=space.id)
                call.require(role, within, "this space", session)
                row = call.find(ChangeRequestRow, id=change_request.id) if change_request is not None else None
                made = lifecycle.begin(session, within, row, page, person_of(call), body.source, url=body.url)
                import_id = made.id
            call.host.jobs.wake()
            done = _wait(call, import_id)
    except NoneLeft:
        raise errors.Unavailable("Too many requests are waiting for imports; try again in a moment.") from None
    if done.status in ("failed", "cancelled"):
        raise errors.BadRequest(done.error or "The import was cancelled.")
    call.location = call.host.addresses.api("spaces", space.id, "revisions", done.revision_id)
    return ImportContentResult(revision=done.revision_id, imported_resources=done.imported, total_resources=done.total)


def _wait(call: Call, import_id: str) -> ImportRow:
    """Wait until an import is finished, or for as long as an answer may; returns its row."""
    until = time.monotonic() + LONGEST_WAIT
    pause = LOOKS[0]
    while True:
        with call.host.database.transaction(writes=False) as session:
            row = rows.find(session, HOST, ImportRow, id=import_id)
            if row is None:
                raise errors.NotFound("The space was deleted a moment ago.")
            session.expunge(row)
        if row.status not in UNDER_WAY or time.monotonic() > until:
            return row
        time.sleep(pause)
        pause = min(pause * 1.5, LOOKS[1])
