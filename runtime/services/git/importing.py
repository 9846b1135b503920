"""Imports the commit of a branch as a revision of a space."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobFailed
from runtime.contract.organizations import reaches
from runtime.engines.git_http import GitRemote
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed
from runtime.services.folders.walking import MAX_FILE
from runtime.services.git import operations
from runtime.services.git.reading_commit import PACK, read_content
from runtime.services.imported_tree import Imported
from runtime.services.importing import storing
from runtime.services.importing.assembling import Place
from runtime.services.importing.transfer import read_imported
from runtime.store import membership, rows
from runtime.store.reach import HOST, Reach
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.git import GitOperationRow, GitSyncRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.spaces import SpaceRow

log = logging.getLogger(__name__)

MEMORY = 2 << 30
SCOPE = "space:git:sync"
SECONDS = 300.0
NETWORK_SECONDS = 900.0


def import_repository(job: Job, operation: GitOperationRow) -> None:
    """Create a revision from the branch's current content; raises JobFailed, GitFailed, EgressRefused."""
    remote = GitRemote(job.tools.egress, operation.url, NETWORK_SECONDS, job.check)
    references = remote.references("git-upload-pack")
    oid = references.oids.get(operation.ref)
    if oid is None:
        raise JobFailed(f"The repository has no branch {operation.ref.removeprefix('refs/heads/')[:200]}.")
    with job.tools.database.transaction(writes=True) as session:
        job.still_ours(session)
        space, row = find(session, operation)
        operations.started(session, space, row, space.revision_id, oid)
        if _is_there(session, space, row, oid):
            operations.succeeded(session, space, row, space.revision_id, oid, [])
            return
    with job.tools.folders.lent() as folder:
        with (folder / PACK).open("wb") as pack:
            remote.fetch(oid, references.capabilities, pack, MAX_FILE)
        arguments = {"commit": oid, "directory": operation.directory}
        try:
            said = job.tools.separate_process.run(
                read_content, folder, arguments, memory=MEMORY, seconds=SECONDS, file_bytes=1 << 30, check=job.check
            )
            imported = read_imported(folder)
        except Refused as error:
            raise JobFailed(error.message) from error
        except SeparateProcessFailed as error:
            log.warning("a commit of space %s could not be read: %s", operation.space_id, error)
            raise JobFailed(storing.sentence_of(error)) from error
        _keep(job, folder, imported, operation, oid, said["message"])


def _keep(job: Job, folder: Path, imported: Imported, operation: GitOperationRow, oid: str, message: str) -> None:
    target = storing.Target(
        operation.space_id,
        None,
        operation.revision_id,
        operation.user_id,
        Place(replace=True),
        obeys_lock=False,
        shown=not operation.values.get("standalone"),
        values={"git": operations.commit_of(operation, oid, message, ours=False)},
    )

    def end(session: Session, stored: storing.Stored) -> None:
        space, row = find(session, operation)
        problems = [*imported.problems, *stored.problems]
        operations.succeeded(session, space, row, operation.revision_id, oid, problems)

    storing.store_import(job, folder, imported, target, end)


def _is_there(session: Session, space: SpaceRow, operation: GitOperationRow, oid: str) -> bool:
    """Return whether the space already has the commit's content: it was imported from it or exported as it."""
    sync = rows.find(session, HOST, GitSyncRow, space_id=space.id)
    wanted = operation.force or operation.values.get("standalone")
    if wanted or sync is None or not sync.same or not operations.is_same_place(sync, operation):
        return False
    revision = rows.find(session, HOST, RevisionRow, id=space.revision_id, space_id=space.id)
    return revision is not None and revision.git is not None and revision.git.get("oid") == oid


def find(session: Session, operation: GitOperationRow, *, pushed: bool = False) -> tuple[SpaceRow, GitOperationRow]:
    """Load an operation and its space; raises JobFailed if either was deleted.

    Also where who began it may do so no longer, unless a commit of it was `pushed` already.
    """
    row = rows.find(session, HOST, GitOperationRow, id=operation.id)
    space = rows.find(session, HOST, SpaceRow, id=operation.space_id)
    if row is None or space is None or space.deleted_at is not None:
        raise JobFailed("The space was deleted a moment ago.")
    if not pushed:
        _must_be_allowed(session, space, row)
    return space, row


def _must_be_allowed(session: Session, space: SpaceRow, row: GitOperationRow) -> None:
    """Raise JobFailed unless who began an operation might begin it now."""
    if row.user_id is not None:
        if not reaches(membership.level_of_person(session, row.user_id, space), "admin"):
            raise JobFailed("The person who began this is no longer an administrator of this space, as Git needs.")
        return
    integration = rows.find(session, HOST, IntegrationRow, id=row.integration_id) if row.integration_id else None
    kind: Literal["installation", "integration"] = "installation" if row.installation_id else "integration"
    theirs = Reach(kind, integration_id=row.integration_id, installation_id=row.installation_id)
    if (
        integration is None
        or SCOPE not in integration.manifest["scopes"]
        or rows.find(session, theirs, SpaceRow, id=space.id) is None
    ):
        raise JobFailed("The integration that began this is not installed on this space any more, or asks for less.")
