"""Reads what sites are made of: whole, to change it, or for many sites and sections at once, to show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from runtime.store.database import Table
from runtime.store.rows import Conditions
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow

R = TypeVar("R", bound=Table)


class Parts(NamedTuple):
    """The rows a site is made of, each kind in its order."""

    groups: list[SiteSectionGroupRow]
    sections: list[SiteSectionRow]
    spaces: list[SiteSpaceRow]


def parts_of(session: Session, site: SiteRow) -> Parts:
    """Read what a site is made of as it stands now, whatever was read of it before."""
    return parts_of_sites(session, [site.id])[site.id]


def parts_of_sites(session: Session, site_ids: Iterable[str]) -> dict[str, Parts]:
    """Read what sites are made of, all of them at once."""
    parts = {site_id: Parts([], [], []) for site_id in site_ids}
    for group in _in_order(session, SiteSectionGroupRow, SiteSectionGroupRow.site_id.in_(parts)):
        parts[group.site_id].groups.append(group)
    for section in _in_order(session, SiteSectionRow, SiteSectionRow.site_id.in_(parts)):
        parts[section.site_id].sections.append(section)
    for space in _in_order(session, SiteSpaceRow, SiteSpaceRow.site_id.in_(parts)):
        parts[space.site_id].spaces.append(space)
    return parts


def spaces_in(session: Session, section_ids: Iterable[str]) -> list[SiteSpaceRow]:
    """Read the spaces of sections, in their order."""
    return _in_order(session, SiteSpaceRow, SiteSpaceRow.section_id.in_(set(section_ids)))


def sites_of_spaces(session: Session, space_ids: Iterable[str]) -> list[SiteRow]:
    """Find the sites that spaces are a part of."""
    holding = select(SiteSpaceRow.site_id).where(SiteSpaceRow.space_id.in_(set(space_ids)))
    return list(session.scalars(select(SiteRow).where(SiteRow.id.in_(holding)).order_by(SiteRow.id)))


def published_places(
    session: Session, space_ids: Iterable[str], opened: str | None = None
) -> list[tuple[SiteSpaceRow, SiteSectionRow | None, SiteRow]]:
    """Find where spaces are published, on the oldest sites last, that which a share link has `opened` after them all.

    Other sites that need a share link are left out.
    """
    query = (
        select(SiteSpaceRow, SiteSectionRow, SiteRow)
        .join(SiteRow, SiteRow.id == SiteSpaceRow.site_id)
        .outerjoin(SiteSectionRow, SiteSectionRow.id == SiteSpaceRow.section_id)
        .where(SiteSpaceRow.space_id.in_(set(space_ids)), SiteRow.published, SiteRow.deleted_at.is_(None))
        .where(or_(SiteRow.visibility != "share-link", SiteRow.id == opened))
        .order_by(SiteRow.id == opened, SiteRow.created_at.desc(), SiteRow.id)
    )
    return [(part, section, site) for part, section, site in session.execute(query)]


def site_spaces(site: SiteRow, default: bool | None) -> Conditions:
    """Match the spaces of a site: all, those that are the default where they stand, or the others."""
    conditions = [SiteSpaceRow.site_id == site.id]
    if default is not None:
        conditions.append(SiteSpaceRow.default_of.is_not(None) if default else SiteSpaceRow.default_of.is_(None))
    return conditions


def _in_order(session: Session, table: type[R], condition: ColumnElement[bool]) -> list[R]:
    query = select(table).where(condition).order_by(table.position, table.id)  # type: ignore[attr-defined]
    return list(session.scalars(query.execution_options(populate_existing=True)))
