"""PDFs: found by their subject, and deleted when nobody requests them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.store.blobs.store import Blob
from runtime.store.tables.pdfs import PdfRow
from runtime.store.tables.spaces import SpaceRow


def find(session: Session, space_id: str, revision_id: str, page_id: str, *, only: bool) -> PdfRow | None:
    """Find the PDF of something."""
    of = {"space_id": space_id, "revision_id": revision_id, "page_id": page_id, "only": only}
    return session.scalar(select(PdfRow).filter_by(**of))


def of_living_space(session: Session, pdf_id: str) -> tuple[PdfRow, str] | None:
    """Find a PDF and the organization whose it is; None once the space was deleted."""
    query = (
        select(PdfRow, SpaceRow.organization_id)
        .join(SpaceRow, SpaceRow.id == PdfRow.space_id)
        .where(PdfRow.id == pdf_id, SpaceRow.deleted_at.is_(None))
    )
    found = session.execute(query).first()
    return (found[0], found[1]) if found is not None else None


def finish(session: Session, pdf_id: str, blob: Blob | None, problem: str | None) -> None:
    """Note that a PDF is there, or why it is not."""
    row = session.get(PdfRow, pdf_id)
    if row is not None:
        row.blob, row.size, row.problem = (blob.name, blob.size, None) if blob else (None, 0, problem)


def forget(session: Session, before: datetime, limit: int) -> int:
    """Let go of PDFs that nobody has asked for since a moment; returns how many went."""
    late = select(PdfRow.id).where(PdfRow.used_at < before).order_by(PdfRow.used_at).limit(limit)
    ids = list(session.scalars(late))
    session.execute(delete(PdfRow).where(PdfRow.id.in_(ids), PdfRow.used_at < before))
    return len(ids)


def make_room(session: Session, space_id: str, most: int) -> None:
    """Let go of the PDFs of a space that were not asked for the longest time, until there are at most so many."""
    late = select(PdfRow.id).where(PdfRow.space_id == space_id).order_by(PdfRow.used_at.desc(), PdfRow.id).offset(most)
    session.execute(delete(PdfRow).where(PdfRow.id.in_(list(session.scalars(late)))))
