"""Numbers and counts of change requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import ColumnElement, String, cast, func, select
from sqlalchemy.orm import Session

from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow


def next_number(session: Session, space_id: str) -> int:
    """Return the number of a space's next change request; the requester holds the lock of the space's content."""
    last = session.scalar(select(func.max(ChangeRequestRow.number)).where(ChangeRequestRow.space_id == space_id))
    return (last or 0) + 1


def contributed_by(user_id: str) -> ColumnElement[bool]:
    """Change requests whose content somebody changed, or that they began."""
    return cast(ChangeRequestRow.contributors, String).contains(f'"{user_id}"', autoescape=True)


def counts(session: Session, space_ids: Sequence[str]) -> dict[str, Counter[str]]:
    """Count the change requests of spaces by their status, in one query."""
    query = (
        select(ChangeRequestRow.space_id, ChangeRequestRow.status, func.count())
        .where(ChangeRequestRow.space_id.in_(space_ids))
        .group_by(ChangeRequestRow.space_id, ChangeRequestRow.status)
    )
    counted: dict[str, Counter[str]] = {}
    for space_id, status, number in session.execute(query):
        counted.setdefault(space_id, Counter())[status] = number
    return counted


def reviewers(session: Session, change_request_id: str, user_ids: Sequence[str]) -> dict[str, RequestedReviewerRow]:
    """Find those of some people who were asked to review a change request, by their ids."""
    query = select(RequestedReviewerRow).where(
        RequestedReviewerRow.change_request_id == change_request_id, RequestedReviewerRow.user_id.in_(user_ids)
    )
    return {row.user_id: row for row in session.scalars(query)}
