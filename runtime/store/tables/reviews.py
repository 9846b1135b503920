"""Reviews of change requests."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ColumnElement, ForeignKey, Index, String, exists, or_
from sqlalchemy.orm import Mapped, aliased, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.tables.change_requests import RequestedReviewerRow, SeenWithChangeRequest


class ReviewRow(SeenWithChangeRequest, Table):
    """What somebody thinks of a change request as it was at a revision; `requested_by` is who asked them to."""

    __tablename__ = "change_request_reviews"
    __table_args__ = (
        Index("reviews_of_change_request", "change_request_id", "created_at", "id"),
        Index("reviews_of_person", "user_id"),
        Index("reviews_asked_by", "requested_by"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    change_request_id: Mapped[str] = mapped_column(ForeignKey("change_requests.id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    requested_by: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    revision_id: Mapped[str] = mapped_column(String(20))
    status: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def outdated(cls) -> ColumnElement[bool]:
        """Match those that a later review of the same person, or a later request for one, has superseded."""
        later, asked = aliased(ReviewRow), RequestedReviewerRow
        again = exists().where(
            later.change_request_id == cls.change_request_id,
            later.user_id == cls.user_id,
            later.created_at > cls.created_at,
        )
        anew = exists().where(
            asked.change_request_id == cls.change_request_id,
            asked.user_id == cls.user_id,
            asked.created_at > cls.created_at,
        )
        return or_(again.correlate(cls), anew.correlate(cls))
