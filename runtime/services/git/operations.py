"""Begins imports and exports and records their results, with their events in the same transactions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.git import ExportToGitRepository, GitInfo, ImportGitRepository
from runtime.dispatch import outbox
from runtime.engines.git_http import without_credentials
from runtime.store import installed, jobs, rows
from runtime.store.database import now
from runtime.store.locks import acquire
from runtime.store.reach import HOST, Reach
from runtime.store.tables.git import GitOperationRow, GitSyncRow
from runtime.store.tables.spaces import SpaceRow

KIND = "git-sync"
UNKNOWN = "0" * 40
"""What stands for a commit that nobody got to know."""
State = Literal["success", "failure"]


def begin(session: Session, space: SpaceRow, reach: Reach, body: ImportGitRepository | ExportToGitRepository) -> None:
    """Queue an import or export of a person or a script behind those of the same space; raises TooManyJobs."""
    direction = "import" if isinstance(body, ImportGitRepository) else "export"
    values: dict[str, Any] = {
        "tree_url": None if body.repo_tree_url is MISSING else body.repo_tree_url,
        "commit_url": None if body.repo_commit_url is MISSING else body.repo_commit_url,
    }
    if isinstance(body, ImportGitRepository):
        values["standalone"] = body.standalone
    else:
        values["message"] = body.commit_message
    row = GitOperationRow(
        space_id=space.id,
        direction=direction,
        url=body.url,
        ref=body.ref,
        directory="" if body.repo_project_directory is MISSING else body.repo_project_directory,
        values=values,
        asked_at=None if body.timestamp is MISSING else body.timestamp,
        force=body.force,
        user_id=reach.user_id,
        integration_id=reach.integration_id,
        installation_id=reach.installation_id,
    )
    session.add(row)
    session.flush()
    jobs.enqueue(session, KIND, space.organization_id, space.id, {"operation": row.id})
    if body.git_info is not MISSING:
        _note_info(sync_of(session, space.id), body.git_info)


def _note_info(sync: GitSyncRow, info: GitInfo) -> None:
    if info.provider is not MISSING:
        sync.provider = info.provider
    if info.url is not MISSING:
        sync.url = info.url
    sync.updated_at = now()


def sync_of(session: Session, space_id: str) -> GitSyncRow:
    """Find or create the row of a space's synchronization; needs a writing transaction."""
    acquire(session, f"git of {space_id}")
    row = rows.find(session, HOST, GitSyncRow, space_id=space_id)
    if row is None:
        row = GitSyncRow(space_id=space_id)
        session.add(row)
        session.flush()
    return row


def started(session: Session, space: SpaceRow, operation: GitOperationRow, revision_id: str, commit: str) -> None:
    """Emit the event that an operation on a commit has begun, once."""
    if operation.commit_id == commit:
        return
    first = operation.commit_id is None
    operation.commit_id = commit
    session.flush()
    if first:
        _emit(session, space, "space_gitsync_started", {"revisionId": revision_id, "commitId": commit})


def succeeded(
    session: Session,
    space: SpaceRow,
    operation: GitOperationRow,
    revision_id: str,
    commit: str,
    problems: list[str],
    *,
    same: bool = True,
) -> None:
    """Record that an operation succeeded and emit its event; deletes its row, with the credentials.

    `same` tells whether revision and commit have the same content.
    """
    sync = _ended(session, operation, "success", commit, revision_id)
    sync.repository, sync.ref, sync.directory = repository_of(operation.url), operation.ref, operation.directory
    if not operation.values.get("standalone"):
        sync.revision_id, sync.commit_id, sync.same = revision_id, commit, same
    sync.asked_at = _later(sync.asked_at, operation.asked_at)
    sync.error, sync.problems = None, problems
    fields = {"state": "success", "revisionId": revision_id, "commitId": commit}
    _emit(session, space, "space_gitsync_completed", fields)
    session.delete(operation)
    session.flush()


def failed(session: Session, space: SpaceRow, operation: GitOperationRow, sentence: str) -> None:
    """Record why an operation failed and emit its event; deletes its row, with the credentials."""
    commit = operation.commit_id or UNKNOWN
    sync = _ended(session, operation, "failure", commit, space.revision_id)
    sync.error, sync.problems = sentence, []
    fields = {"state": "failure", "revisionId": space.revision_id, "commitId": commit}
    _emit(session, space, "space_gitsync_completed", fields)
    session.delete(operation)
    session.flush()


def _ended(session: Session, operation: GitOperationRow, state: State, commit: str, revision_id: str) -> GitSyncRow:
    sync = sync_of(session, operation.space_id)
    sync.direction, sync.state, sync.ended_at = operation.direction, state, now()
    return sync


def _emit(session: Session, space: SpaceRow, kind: str, fields: dict[str, Any]) -> None:
    candidates = installed.in_organization(session, space.organization_id, place=space.id)
    outbox.emit(session, kind, candidates, fields, space_id=space.id)


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)


def is_outdated(sync: GitSyncRow | None, operation: GitOperationRow) -> bool:
    """Return whether a later operation was already done; an outdated one is skipped unless it is forced."""
    if sync is None or sync.asked_at is None or operation.asked_at is None or operation.force:
        return False
    return operation.asked_at < sync.asked_at


def is_same_place(sync: GitSyncRow | None, operation: GitOperationRow) -> bool:
    """Return whether the last operation used the same folder of the same branch."""
    return sync is not None and (sync.repository, sync.ref, sync.directory) == (
        repository_of(operation.url),
        operation.ref,
        operation.directory,
    )


def repository_of(url: str) -> str:
    """Normalize a repository's address: without credentials and a trailing `.git`."""
    return without_credentials(url).rstrip("/").removesuffix(".git")


def commit_of(operation: GitOperationRow, oid: str, message: str, *, ours: bool) -> dict[str, Any]:
    """Return the `git` field of a revision (contract): the commit it corresponds to."""
    said: dict[str, Any] = {"oid": oid, "message": message, "created_by_service": ours, "created_by_git_book": ours}
    prefix = operation.values.get("commit_url")
    if prefix:
        said["url"] = f"{prefix.rstrip('/')}/{oid}"
    return {**said, "ref": operation.ref}
