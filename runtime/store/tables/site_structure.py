"""What sites are made of: spaces, in sections, in groups.

`position` orders all of a site's sections and groups as one reads its structure from top to bottom, and its spaces
likewise; whoever changes the structure numbers it again (`runtime/services/site_outline.py`). `default_of` holds the
site, or the section, that a row is the default of; the database lets each have one.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, Integer, String, and_, exists
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table
from runtime.store.epoch_rules import NOT_KEPT, EpochRules
from runtime.store.reach import Reach
from runtime.store.tables.sites import OF_SITE, PartOfSite
from runtime.store.tables.spaces import SpaceRow

TITLE = ("title", "icon")


class SiteSectionGroupRow(PartOfSite, Table):
    """A title over sections; groups may be in groups."""

    __tablename__ = "site_section_groups"
    __table_args__ = (Index("site_section_groups_in_order", "site_id", "position", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(OF_SITE, frozenset(TITLE))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("site_section_groups.id", ondelete="SET NULL"), index=True)
    title: Mapped[str] = mapped_column(String(100))
    icon: Mapped[str | None] = mapped_column(String(50))
    position: Mapped[int] = mapped_column(Integer, default=0)


class SiteSectionRow(PartOfSite, Table):
    """A part of a site, made of spaces of which one is the default; `path` is its place in the site's addresses."""

    __tablename__ = "site_sections"
    __table_args__ = (
        Index("site_sections_in_order", "site_id", "position", "id"),
        Index("site_sections_by_path", "site_id", "path", unique=True),
        Index("site_sections_default", "default_of", unique=True),
    )
    taken: ClassVar[str] = "The site already has a section at this path, or a default section."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(OF_SITE, frozenset((*TITLE, "description")))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    group_id: Mapped[str | None] = mapped_column(ForeignKey("site_section_groups.id", ondelete="SET NULL"), index=True)
    title: Mapped[str] = mapped_column(String(128))
    description: Mapped[str | None] = mapped_column(String(256))
    path: Mapped[str] = mapped_column(String(100))
    icon: Mapped[str | None] = mapped_column(String(50))
    condition: Mapped[str | None] = mapped_column(String(1024))
    default_of: Mapped[str | None] = mapped_column(String(20))
    position: Mapped[int] = mapped_column(Integer, default=0)


class SiteSpaceRow(PartOfSite, Table):
    """A space attached to a site; `holder_id` is its section, or the site where that has no sections."""

    __tablename__ = "site_spaces"
    __table_args__ = (
        Index("site_spaces_once", "site_id", "space_id", unique=True),
        Index("site_spaces_in_order", "site_id", "position", "id"),
        Index("site_spaces_by_path", "holder_id", "path", unique=True),
        Index("site_spaces_default", "default_of", unique=True),
    )
    taken: ClassVar[str] = "The site already has this space, a space at this path, or a default space."

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), index=True)
    section_id: Mapped[str | None] = mapped_column(ForeignKey("site_sections.id", ondelete="CASCADE"), index=True)
    holder_id: Mapped[str] = mapped_column(String(20))
    path: Mapped[str] = mapped_column(String(100))
    condition: Mapped[str | None] = mapped_column(String(1024))
    default_of: Mapped[str | None] = mapped_column(String(20))
    position: Mapped[int] = mapped_column(Integer, default=0)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Who sees the site sees it; people who may not see the space do not."""
        of_site = super().visible_to(reach)
        if reach.kind != "user":
            return of_site
        return and_(of_site, exists().where(SpaceRow.id == cls.space_id, SpaceRow.visible_to(reach)))


class DeletedSpacePlaceRow(Table):
    """The place that a deleted space had in a site, for when it is restored (`runtime/services/site_places.py`)."""

    __tablename__ = "deleted_space_places"
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    space_id: Mapped[str] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"), primary_key=True)
    site_id: Mapped[str] = mapped_column(ForeignKey("sites.id", ondelete="CASCADE"), primary_key=True, index=True)
    place: Mapped[dict[str, Any]] = mapped_column(JSON)
