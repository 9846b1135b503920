"""Change requests of spaces."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, Integer, String, and_, false, select
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow


class ChangeRequestRow(Table):
    """A change request: `revision_id` is what it would make of the space.

    `ancestor_id` is the revision of the space that it has in common with it: the one it began with, or the one it was
    last brought up to date with, which `merged_ancestor_id` then names. `merged_id` is what merging made.
    `contributors` has how often, and when last, each person changed its content, by their ids.
    """

    __tablename__ = "change_requests"
    __table_args__ = (
        Index("change_requests_of_space", "space_id", "created_at", "id"),
        Index("change_requests_by_status", "space_id", "status", "created_at", "id"),
        Index("change_requests_by_number", "space_id", "number", unique=True),
    )
    taken: ClassVar[str] = "Another change request of this space was created concurrently; try again."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column(Integer)
    status: Mapped[str] = mapped_column(String(10), default="draft")
    subject: Mapped[str] = mapped_column(String(100), default="")
    description: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    revision_id: Mapped[str] = mapped_column(String(20))
    initial_id: Mapped[str] = mapped_column(String(20))
    ancestor_id: Mapped[str] = mapped_column(String(20))
    merged_ancestor_id: Mapped[str | None] = mapped_column(String(20))
    merged_id: Mapped[str | None] = mapped_column(String(20))
    contributors: Mapped[dict[str, dict[str, Any]]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Whoever sees the space; of visitors who were let preview it."""
        seen = cls.space_id.in_(select(SpaceRow.id).where(SpaceRow.visible_to(reach)))
        return and_(seen, cls.id == reach.preview) if reach.kind == "visitor" else seen


class SeenWithChangeRequest:
    """Mixin for tables whose rows belong to a change request: people who see it see them; must precede `Table`."""

    if TYPE_CHECKING:
        change_request_id: Any

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """People who see the change request."""
        if reach.kind != "user":
            return false()
        visible = select(ChangeRequestRow.id).where(ChangeRequestRow.visible_to(reach))
        seen: ColumnElement[bool] = cls.change_request_id.in_(visible)
        return seen


class RequestedReviewerRow(SeenWithChangeRequest, Table):
    """Somebody who was asked to review a change request as it was at a revision."""

    __tablename__ = "requested_reviewers"
    __table_args__ = (
        Index("requested_reviewers_in_order", "change_request_id", "created_at", "id"),
        Index("requested_reviewers_once", "change_request_id", "user_id", unique=True),
    )
    taken: ClassVar[str] = "They were asked to review this concurrently."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    change_request_id: Mapped[str] = mapped_column(ForeignKey("change_requests.id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    requested_by: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    revision_id: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
