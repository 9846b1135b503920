"""API specifications: their sources, and the versions that come of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.store import jobs, locks, rows
from runtime.store.blobs.store import Blob
from runtime.store.database import now
from runtime.store.reach import HOST, Reach
from runtime.store.tables.jobs import JobRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow

MAX_VERSIONS = 20
"""Versions that are kept of a specification."""
MAX_SPECS = 500
"""Specifications of an organization."""


def is_full(session: Session, organization_id: str) -> bool:
    """Return whether an organization has as many specifications as it may have."""
    of = select(func.count()).select_from(OpenApiSpecRow).where(OpenApiSpecRow.organization_id == organization_id)
    return (session.scalar(of) or 0) >= MAX_SPECS


def by_slug(session: Session, organization_id: str, slug: str) -> OpenApiSpecRow | None:
    """Find a specification as it is now; others who change it wait."""
    spec = rows.find(session, HOST, OpenApiSpecRow, organization_id=organization_id, slug=slug)
    return spec if spec is not None and _locked(session, spec) else None


def remove(session: Session, spec: OpenApiSpecRow) -> bool:
    """Delete a specification; others who change one of its organization wait. False where somebody else did."""
    lock_specs(session, spec.organization_id)
    return rows.remove(session, spec)


def lock_specs(session: Session, organization_id: str) -> None:
    """Let nobody else make, replace or delete specifications of an organization until the transaction ends."""
    locks.acquire(session, f"openapi:{organization_id}")


def _locked(session: Session, spec: OpenApiSpecRow) -> bool:
    try:
        rows.lock(session, spec)
    except errors.NotFound:
        return False
    return True


def by_slugs(session: Session, reach: Reach, organization_id: str, slugs: Collection[str]) -> list[OpenApiSpecRow]:
    """Find what an actor sees of the specifications that these slugs name; an organization has not many."""
    if not slugs:
        return []
    every = rows.every(session, reach, OpenApiSpecRow, organization_id=organization_id)
    return [spec for spec in every if spec.slug in slugs]


def source_given(session: Session, spec: OpenApiSpecRow, url: str | None, blob: str | None) -> None:
    """Write down another source."""
    spec.source_url, spec.source_blob = url, blob
    spec.revision += 1
    spec.state = "pending"
    spec.updated_at = now()
    session.flush()


def enqueue(session: Session, kind: str, spec: OpenApiSpecRow, seconds: float) -> None:
    """Have a specification processed, in the transaction that wrote its source; raises `TooManyJobs`.

    A job that waits takes the newest source when it begins; one that runs looks again before it ends.
    """
    waiting = select(JobRow.id).where(JobRow.kind == kind, JobRow.subject == spec.id, JobRow.holder.is_(None))
    if session.scalar(waiting.limit(1)) is None:
        jobs.enqueue(session, kind, spec.organization_id, spec.id, {"seconds": seconds})


def waiting(session: Session, spec_id: str) -> OpenApiSpecRow | None:
    """Find a specification that is not processed yet."""
    spec = rows.find(session, HOST, OpenApiSpecRow, id=spec_id)
    return spec if spec is not None and spec.state != "complete" else None


def begin(session: Session, spec_id: str) -> OpenApiSpecRow | None:
    """Note that a specification is being processed; gives its source, None where there is nothing to do."""
    spec = waiting(session, spec_id)
    if spec is None or not _locked(session, spec):
        return None
    spec.state = "progress"
    session.flush()
    session.expunge(spec)
    return spec


def finish(
    session: Session, began: OpenApiSpecRow, blob: Blob | None, code: str | None, sentences: Sequence[str]
) -> bool:
    """Write down what came of a source; False where another one was given meanwhile.

    There is a new version where the content is not that of the last one; the oldest go.
    """
    spec = rows.find(session, HOST, OpenApiSpecRow, id=began.id)
    if spec is None or not _locked(session, spec):
        return True
    if spec.revision != began.revision:
        return False
    if blob is not None and not _is_last(session, spec, blob.name):
        version = OpenApiVersionRow(spec_id=spec.id, blob=blob.name, size=blob.size)
        session.add(version)
        session.flush()
        spec.last_version = version.id
        _let_go(session, spec)
    spec.state = "complete"
    spec.source_blob = None
    spec.error_code, spec.errors = code, list(sentences)
    spec.last_processed_at = now()
    return True


def version_of(session: Session, spec: OpenApiSpecRow) -> OpenApiVersionRow | None:
    """Find the last version of a specification."""
    if spec.last_version is None:
        return None
    return rows.find(session, HOST, OpenApiVersionRow, spec_id=spec.id, id=spec.last_version)


def _is_last(session: Session, spec: OpenApiSpecRow, blob: str) -> bool:
    last = version_of(session, spec)
    return last is not None and last.blob == blob


def _let_go(session: Session, spec: OpenApiSpecRow) -> None:
    newest = (OpenApiVersionRow.created_at.desc(), OpenApiVersionRow.id.desc())
    query = select(OpenApiVersionRow).where(OpenApiVersionRow.spec_id == spec.id).order_by(*newest)
    for version in session.scalars(query.offset(MAX_VERSIONS)):
        session.delete(version)


def waiting_source(spec: OpenApiSpecRow) -> Blob | None:
    """Return the source that no job has read yet; any other one is deleted by the job that reads it."""
    if spec.source_blob is None or spec.state != "pending":
        return None
    return Blob(spec.source_blob, 0, spec.source_blob_came_at)
