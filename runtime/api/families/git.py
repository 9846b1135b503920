"""Git: imports from repositories and exports to them, which go on in the background, and content as a folder."""

from __future__ import annotations

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.content import PEOPLE_AND_SCRIPTS, REVISION
from runtime.api.families.spaces import SPACE
from runtime.api.listing import list_of, page_of
from runtime.api.operation import Family
from runtime.api.permission import member, scoped
from runtime.contract import errors
from runtime.contract.base import ListOf
from runtime.contract.git import ExportToGitRepository, FolderFile, FolderQuery, GitSyncState, ImportGitRepository
from runtime.serializers.file_urls import address_of
from runtime.serializers.git import git_sync_state, git_syncs
from runtime.services.folders.configuration import Configuration
from runtime.services.folders.listing import FolderOf
from runtime.services.git import operations
from runtime.store.content import revisions
from runtime.store.content.pieces import unpack_sized
from runtime.store.content.revisions import snapshot_of
from runtime.store.jobs import TooManyJobs
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

git = Family("Git")
MOST_TEXT = 4_000_000
"""Characters of all texts of one answer, except for the last."""
MOST_READ = 16 * 1024 * 1024
"""Bytes of JSON of all documents read for one answer, except for the last: a large document may have little text."""
SYNCS = scoped(member("admin"), "space:git:sync")


@git.operation(f"POST {SPACE.path}/git/import", needs=SYNCS, status=204, also=("429",))
def import_git_repository(call: Call, space: SpaceRow, body: ImportGitRepository) -> None:
    """Start importing a branch of a repository."""
    _begin(call, space, body)


@git.operation(f"POST {SPACE.path}/git/export", needs=SYNCS, status=204, also=("429",))
def export_to_git_repository(call: Call, space: SpaceRow, body: ExportToGitRepository) -> None:
    """Start exporting a space to a branch of a repository."""
    _begin(call, space, body)


@git.operation(f"GET {SPACE.path}/git/info", GitSyncState, needs=scoped(member("read"), "space:git:sync"))
def get_space_git_info(call: Call, space: SpaceRow) -> GitSyncState:
    """Get the repository that a space is synchronized with, and how the last operation ended."""
    row = git_syncs(call.session, [space.id]).get(space.id)
    state = git_sync_state(row) if row is not None else None
    if state is None:
        raise errors.NotFound("This space is not synchronized with a Git repository.")
    return state


@git.operation(f"GET {REVISION.path}/folder", ListOf[FolderFile], needs=PEOPLE_AND_SCRIPTS)
def list_folder_of_revision_by_id(call: Call, revision: RevisionRow, query: FolderQuery) -> ListOf[FolderFile]:
    """List the files of a revision as a folder of Markdown, as an export writes it (extension).

    `root`, `readme` and `summary` are what the folder's `.gitbook.yaml` sets.
    A page of the list ends early where texts, or the documents they are made from, are long.
    """
    snapshot = snapshot_of(call.session, revision)
    folder = FolderOf(snapshot, Configuration(query.root, query.readme, query.summary))
    every = folder.every()
    page, following = page_of(every, query, lambda one: one.key)
    shown: list[FolderFile] = []
    left, unread = MOST_TEXT, MOST_READ
    for one in page:
        documents, length = {}, 0
        if one.document is not None:
            packed = revisions.packed_documents(call.session, revision.space_id, [one.document])[one.document]
            documents[one.document], length = unpack_sized(packed)
        text = folder.text(one, documents)
        file = snapshot.file_by_id[one.id] if text is None else None
        size = file.size if file is not None else len((text or "").encode("utf-8", "replace"))
        address = address_of(call.host.addresses, revision.space_id, file) if file is not None else MISSING
        said = text if text is not None else MISSING
        shown.append(FolderFile(path=one.path, size=size, text=said, downloadURL=address))
        left -= len(text or "")
        unread -= length
        if left < 0 or unread < 0:
            _, following = page_of(every, query.model_copy(update={"limit": len(shown)}), lambda one: one.key)
            break
    return list_of(shown, len(every), following)


def _begin(call: Call, space: SpaceRow, body: ImportGitRepository | ExportToGitRepository) -> None:
    try:
        operations.begin(call.session, space, call.actor.reach, body)
    except TooManyJobs:
        raise errors.TooManyRequests(
            "This organization has too many waiting jobs; try again when some are done."
        ) from None
    call.after.append(call.host.jobs.wake)
