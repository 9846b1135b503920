"""Files of the content: of spaces, of each revision, and of change requests, to which they are uploaded."""

from __future__ import annotations

from runtime.api.call import Call
from runtime.api.families.change_requests import CHANGE_REQUEST, READ_CHANGE_REQUEST, person_of
from runtime.api.families.content import READERS, REVISION
from runtime.api.families.spaces import SPACE
from runtime.api.listing import list_of, page_of
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import PathValue
from runtime.api.uploads import Upload
from runtime.contract.base import ListOf
from runtime.contract.content import FileQuery, FilesQuery, RevisionFile, UploadQuery
from runtime.serializers import content as serializers
from runtime.services import change_requests as editing
from runtime.services import content, organization_storage
from runtime.services.files import MAX_FILE, file_in, file_of
from runtime.store.content.revisions import snapshot_of
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

files = Family("Files", PathValue("files/{fileId}"), PathValue("content/files/{fileId}"))
IN_SPACE, IN_REVISION = f"{SPACE.path}/content/files", f"{REVISION.path}/files"
IN_CHANGE_REQUEST = f"{CHANGE_REQUEST.path}/content/files"
Files = ListOf[RevisionFile]


@files.operation(f"GET {IN_SPACE}", Files, needs=READERS)
def list_files(call: Call, space: SpaceRow, query: FilesQuery) -> Files:
    """List the files of a space."""
    return shown_files(call, content.current(call.session, space), query)


@files.operation(f"GET {IN_SPACE}/{{fileId}}", RevisionFile, needs=READERS)
def get_file_by_id(call: Call, space: SpaceRow, query: FileQuery) -> RevisionFile:
    """Get a file of a space."""
    return shown_file(call, content.current(call.session, space), query)


@files.operation(f"GET {IN_REVISION}", Files, needs=READERS)
def list_files_in_revision_by_id(call: Call, revision: RevisionRow, query: FilesQuery) -> Files:
    """List the files of a revision."""
    return shown_files(call, revision, query)


@files.operation(f"GET {IN_REVISION}/{{fileId}}", RevisionFile, needs=READERS)
def get_file_in_revision_by_id(call: Call, revision: RevisionRow, query: FileQuery) -> RevisionFile:
    """Get a file of a revision."""
    return shown_file(call, revision, query)


@files.operation(f"GET {IN_CHANGE_REQUEST}", Files, needs=READ_CHANGE_REQUEST)
def list_files_in_change_request_by_id(call: Call, change_request: ChangeRequestRow, query: FilesQuery) -> Files:
    """List the files of a change request."""
    return shown_files(call, editing.content_of(call.session, change_request), query)


@files.operation(f"GET {IN_CHANGE_REQUEST}/{{fileId}}", RevisionFile, needs=READ_CHANGE_REQUEST)
def get_file_in_change_request_by_id(call: Call, change_request: ChangeRequestRow, query: FileQuery) -> RevisionFile:
    """Get a file of a change request."""
    return shown_file(call, editing.content_of(call.session, change_request), query)


@files.operation(
    f"POST {IN_CHANGE_REQUEST}",
    RevisionFile,
    needs=member("edit"),
    status=201,
    max_body_bytes=MAX_FILE,
    own_transaction=True,
)
def upload_file_to_change_request(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, query: UploadQuery, upload: Upload
) -> RevisionFile:
    """Add a file to a change request, or replace its bytes, with the body of the request (extension)."""
    with call.host.database.transaction(writes=False) as session:
        organization_storage.enforce_for_files(session, space.organization_id, upload.length)
    with upload.stored(call, space.organization_id) as blob:
        file = file_of(call.host.blobs, blob, query.name, upload.content_type, query.id)
        with call.host.database.transaction(writes=True) as session:
            call.opened = session
            within, row = call.find(SpaceRow, id=space.id), call.find(ChangeRequestRow, id=change_request.id)
            call.require("edit", within, "this space", session)
            editing.put_file(session, within, row, person_of(call), file)
    at = call.host.addresses
    call.location = at.api("spaces", space.id, "change-requests", row.id, "content", "files", file.id)
    return serializers.file(at, space.id, file, metadata=True)


def shown_files(call: Call, row: RevisionRow, query: FilesQuery) -> Files:
    """Show a page of the files of a revision."""
    every = snapshot_of(call.session, row).files
    page, following = page_of(every, query, lambda file: file.id)
    at = call.host.addresses
    shown = [serializers.file(at, row.space_id, file, metadata=query.metadata) for file in page]
    return list_of(shown, len(every), following)


def shown_file(call: Call, row: RevisionRow, query: FileQuery) -> RevisionFile:
    """Show the file that the path names."""
    file = file_in(snapshot_of(call.session, row), call.path["fileId"])
    return serializers.file(call.host.addresses, row.space_id, file, metadata=query.metadata)
