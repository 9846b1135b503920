"""Reviews: which were superseded, and the comments they came with."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from runtime.store import comments
from runtime.store.page_weight import length_of
from runtime.store.tables.comments import CommentRow
from runtime.store.tables.reviews import ReviewRow


def outdated_among(session: Session, ids: Sequence[str]) -> set[str]:
    """Name those of some reviews that were superseded."""
    return set(session.scalars(select(ReviewRow.id).where(ReviewRow.id.in_(ids), ReviewRow.outdated())))


def length_of_comments() -> ColumnElement[int]:
    """Return the SQL for the length of the comment that a review is shown with, and of the reactions to it."""
    length = length_of(CommentRow) + comments.length_of_reactions(CommentRow)
    return func.coalesce(select(func.sum(length)).where(CommentRow.review_id == ReviewRow.id).scalar_subquery(), 0)


def comments_of(session: Session, ids: Sequence[str]) -> dict[str, CommentRow]:
    """Find the comments that came with reviews, by the ids of these."""
    rows = session.scalars(select(CommentRow).where(CommentRow.review_id.in_(ids)))
    return {row.review_id: row for row in rows if row.review_id is not None}
