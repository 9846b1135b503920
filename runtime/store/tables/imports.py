"""Imports of content into spaces."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, Integer, String, Text, false, select, text
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow

HAS_BLOB = text("blob IS NOT NULL")


class ImportRow(Table):
    """An import: from `url`, or from `blob`, which is what was sent and is null when it is over.

    `revision_id` is that of the revision to come, from the start; without `change_request_id` it is of the space.
    """

    __tablename__ = "imports"
    __table_args__ = (
        Index("imports_of_space", "space_id", "created_at", "id"),
        Index("imports_of_change_request", "change_request_id"),
        Index("imports_with_blob", "blob"),
        Index("imports_that_keep_blobs", "space_id", "blob", sqlite_where=HAS_BLOB, postgresql_where=HAS_BLOB),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    change_request_id: Mapped[str | None] = mapped_column(ForeignKey("change_requests.id", ondelete="CASCADE"))
    page_id: Mapped[str | None] = mapped_column(String(40))
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    source: Mapped[str] = mapped_column(String(20))
    url: Mapped[str | None] = mapped_column(Text)
    blob: Mapped[str | None] = mapped_column(String(64))
    blob_came_at: Mapped[datetime | None] = mapped_column(UtcTime)
    name: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[str] = mapped_column(String(20), default="pending")
    imported: Mapped[int] = mapped_column(Integer, default=0)
    total: Mapped[int] = mapped_column(Integer, default=0)
    problems: Mapped[list[str]] = mapped_column(JSON, default=list)
    error: Mapped[str | None] = mapped_column(Text)
    revision_id: Mapped[str] = mapped_column(String(20), default=new_id)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    finished_at: Mapped[datetime | None] = mapped_column(UtcTime)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """People who see the space."""
        if reach.kind != "user":
            return false()
        return cls.space_id.in_(select(SpaceRow.id).where(SpaceRow.visible_to(reach)))
