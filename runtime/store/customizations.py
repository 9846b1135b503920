"""Customizations of sites and their spaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, delete, func, select
from sqlalchemy.orm import Session

from runtime.store.tables.site_publishing import SiteCustomizationRow, SiteSpaceCustomizationRow
from runtime.store.tables.site_structure import SiteSpaceRow


def of_site(session: Session, site_id: str) -> dict[str, Any] | None:
    """Return the customization of a site; None if there is none."""
    return session.scalar(select(SiteCustomizationRow.settings).where(SiteCustomizationRow.site_id == site_id))


def favicons(session: Session, site_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the icons of sites, by id; sites without one are left out."""
    columns = (SiteCustomizationRow.site_id, SiteCustomizationRow.settings["favicon"])
    query = select(*columns).where(SiteCustomizationRow.site_id.in_(set(site_ids)))
    return {site_id: favicon for site_id, favicon in session.execute(query) if favicon}


def of_spaces(session: Session, site_space_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the overrides of spaces, by id; spaces without any are left out."""
    columns = (SiteSpaceCustomizationRow.site_space_id, SiteSpaceCustomizationRow.overrides)
    query = select(*columns).where(SiteSpaceCustomizationRow.site_space_id.in_(set(site_space_ids)))
    return dict(session.execute(query).all())


def length(session: Session, site_id: str) -> int:
    """Return how many characters the customizations of a site and its spaces have together.

    That of the site counts for each space with overrides as well: each is shown with all settings.
    """
    own = select(_length(SiteCustomizationRow.settings)).where(SiteCustomizationRow.site_id == site_id)
    overrides = (
        select(func.count(), func.coalesce(func.sum(_length(SiteSpaceCustomizationRow.overrides)), 0))
        .join(SiteSpaceRow, SiteSpaceRow.id == SiteSpaceCustomizationRow.site_space_id)
        .where(SiteSpaceRow.site_id == site_id)
    )
    count, characters = session.execute(overrides).one()
    return (session.scalar(own) or 0) * (count + 1) + int(characters)


def _length(column: Any) -> ColumnElement[int]:
    return func.length(cast(column, Text))


def set_site(session: Session, site_id: str, settings: dict[str, Any]) -> None:
    """Store the customization of a site."""
    session.merge(SiteCustomizationRow(site_id=site_id, settings=settings))
    session.flush()


def set_space(session: Session, site_space_id: str, overrides: dict[str, Any]) -> bool:
    """Store the overrides of a space; returns whether it had some before."""
    found = SiteSpaceCustomizationRow.site_space_id == site_space_id
    had = session.scalar(select(SiteSpaceCustomizationRow.site_space_id).where(found)) is not None
    if overrides:
        session.merge(SiteSpaceCustomizationRow(site_space_id=site_space_id, overrides=overrides))
    elif had:
        session.execute(delete(SiteSpaceCustomizationRow).where(found))
    session.flush()
    return had
