"""The background job of imports and exports; those of one space run one after the other."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.background.jobs import MAX_ATTEMPTS, Job, JobFailed, JobKind
from runtime.engines.egress import EgressRefused
from runtime.engines.git_http import GitFailed
from runtime.services.git import operations
from runtime.services.git.exporting import export_to_repository
from runtime.services.git.importing import import_repository
from runtime.store import rows
from runtime.store.reach import HOST
from runtime.store.tables.git import GitOperationRow, GitSyncRow
from runtime.store.tables.spaces import SpaceRow


def _run(job: Job) -> None:
    with job.tools.database.transaction(writes=True) as session:
        operation = rows.find(session, HOST, GitOperationRow, id=job.payload["operation"])
        if operation is None:  # an attempt that died later than it ended
            return
        sync = rows.find(session, HOST, GitSyncRow, space_id=operation.space_id)
        if operations.is_outdated(sync, operation):
            session.delete(operation)
            return
        session.expunge(operation)
    try:
        if operation.direction == "import":
            import_repository(job, operation)
        else:
            export_to_repository(job, operation)
    except GitFailed as error:
        if error.passes and job.attempt < MAX_ATTEMPTS:
            raise
        raise JobFailed(str(error)) from error
    except EgressRefused as error:
        raise JobFailed(str(error)) from error


def _give_up(job: Job, sentence: str) -> None:
    with job.tools.database.transaction(writes=True) as session:
        operation = rows.find(session, HOST, GitOperationRow, id=job.payload["operation"])
        space = rows.find(session, HOST, SpaceRow, id=job.subject)
        if operation is not None and space is not None:
            operations.failed(session, space, operation, sentence)


def _is_in_vain(session: Session, job: Job) -> bool:
    return rows.find(session, HOST, SpaceRow, id=job.subject, deleted_at=None) is None


GIT_SYNC = JobKind(operations.KIND, _run, _give_up, is_in_vain=_is_in_vain)
