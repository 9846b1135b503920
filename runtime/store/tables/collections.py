"""Collections: folders of spaces and of other collections."""

from __future__ import annotations

import time
from datetime import datetime
from typing import ClassVar

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Index, Integer, String, false
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store import content_levels
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import ORGANIZATION, EpochRules
from runtime.store.reach import Reach


def at_the_end() -> int:
    """Return the position of what is new: the microsecond it was made in, so that nobody asks what is there already."""
    return time.time_ns() // 1000


class CollectionRow(Table):
    """A collection. `position` orders what is in one place, spaces and collections together.

    `effective_level` is the number of the nearest default level, of the collection itself or above; null where none
    says anything. It is kept with each change, so that no list climbs the tree.
    """

    __tablename__ = "collections"
    __table_args__ = (
        Index("collections_of_organization", "organization_id", "position", "id"),
        Index("collections_in_collection", "parent_id", "position", "id"),
    )
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (ORGANIZATION,), frozenset(("title", "description", "position", "created_at", "updated_at"))
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(String(50))
    description: Mapped[str | None] = mapped_column(String(100))
    default_level: Mapped[str | None] = mapped_column(String(10).evaluates_none(), default=content_levels.INHERIT)
    effective_level: Mapped[int | None] = mapped_column(Integer)
    position: Mapped[int] = mapped_column(BigInteger, default=at_the_end)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """People who have a level on it."""
        if reach.kind != "user":
            return false()
        given = cls.id.in_(content_levels.collections_given(reach))
        return content_levels.visible(reach, cls.organization_id, cls.effective_level, given)

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The default level that holds here, or what was granted on it or above it."""
        above = content_levels.given_above(reach, cls.id, cls)
        return content_levels.level(reach, cls.organization_id, cls.effective_level, above)
