"""Spaces."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Index, String, and_, case, or_, select
from sqlalchemy.orm import Mapped, aliased, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store import content_levels
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import ORGANIZATION, EpochRules
from runtime.store.page_weight import ShortJson
from runtime.store.reach import Reach
from runtime.store.tables.collections import CollectionRow, at_the_end
from runtime.store.tables.installations import SpaceInstallationRow, gone, selected_content

PARENT = aliased(CollectionRow, name="parent")


class SpaceRow(Table):
    """A space. `revision_id` is what it says, `previous_id` what it said until `revised_at`."""

    __tablename__ = "spaces"
    __table_args__ = (
        Index("spaces_of_organization", "organization_id", "created_at", "id"),
        Index("spaces_in_collection", "collection_id", "position", "id"),
        Index("spaces_by_change", "updated_at"),
        gone("spaces_gone"),
    )
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (ORGANIZATION,),
        frozenset(
            (
                "title",
                "emoji",
                "icon",
                "language",
                "revision_id",
                "previous_id",
                "revised_at",
                "position",
                "created_at",
                "updated_at",
            )
        ),
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    collection_id: Mapped[str | None] = mapped_column(ForeignKey("collections.id", ondelete="SET NULL"))
    position: Mapped[int] = mapped_column(BigInteger, default=at_the_end)
    title: Mapped[str] = mapped_column(String(50))
    emoji: Mapped[str] = mapped_column(String(50))
    visibility: Mapped[str] = mapped_column(String(20), default="private")
    edit_mode: Mapped[str] = mapped_column(String(10), default="locked")
    icon: Mapped[str | None] = mapped_column(String(2048))
    merge_rules: Mapped[dict[str, Any]] = mapped_column(ShortJson, default=lambda: {"type": "inherit"})
    language: Mapped[str | None] = mapped_column(String(10))
    revision_id: Mapped[str] = mapped_column(String(20), default=new_id)
    previous_id: Mapped[str | None] = mapped_column(String(20))
    revised_at: Mapped[datetime | None] = mapped_column(UtcTime)
    default_level: Mapped[str | None] = mapped_column(String(10).evaluates_none(), default="inherit")
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    updated_at: Mapped[datetime] = mapped_column(UtcTime, default=now, onupdate=now)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """People who have a level on it, installations that select it, and visitors for whom it is there."""
        alive = cls.deleted_at.is_(None)
        if reach.kind == "visitor":
            return and_(alive, cls.organization_id == reach.home_id, cls.id.in_(reach.spaces))
        if reach.kind == "user":
            given = or_(
                cls.id.in_(content_levels.spaces_given(reach)),
                cls.collection_id.in_(content_levels.collections_given(reach)),
            )
            return and_(alive, content_levels.visible(reach, cls.organization_id, cls.default_number(), given))
        return and_(
            alive, selected_content(reach, cls, SpaceInstallationRow, SpaceInstallationRow.space_id, "space_selection")
        )

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The default level that holds here, or what was granted on it or on a collection above it."""
        own = content_levels.given_on(reach, content_levels.GRANT.space_id, cls)
        above = content_levels.given_above(reach, cls.collection_id, cls)
        return content_levels.level(reach, cls.organization_id, cls.default_number(), own, above)

    @classmethod
    def default_number(cls) -> ColumnElement[int | None]:
        """The number of the default level that holds: its own, or that of the collection; null where none does."""
        inherited = select(PARENT.effective_level).where(PARENT.id == cls.collection_id).correlate(cls)
        own = content_levels.number_in(cls.default_level)
        return case((cls.default_level == content_levels.INHERIT, inherited.scalar_subquery()), else_=own)
