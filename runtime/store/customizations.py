"""How sites and their spaces look, as far as somebody said so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from runtime.store.tables.site_publishing import SiteCustomizationRow, SiteSpaceCustomizationRow


def of_site(session: Session, site_id: str) -> dict[str, Any] | None:
    """Return how a site looks; None where nobody said so."""
    return session.scalar(select(SiteCustomizationRow.settings).where(SiteCustomizationRow.site_id == site_id))


def of_spaces(session: Session, site_space_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return what spaces have otherwise, by id; those that have nothing are left out."""
    columns = (SiteSpaceCustomizationRow.site_space_id, SiteSpaceCustomizationRow.overrides)
    query = select(*columns).where(SiteSpaceCustomizationRow.site_space_id.in_(set(site_space_ids)))
    return dict(session.execute(query).all())


def set_site(session: Session, site_id: str, settings: dict[str, Any]) -> None:
    """Keep how a site looks."""
    session.merge(SiteCustomizationRow(site_id=site_id, settings=settings))
    session.flush()


def set_space(session: Session, site_space_id: str, overrides: dict[str, Any]) -> bool:
    """Keep what a space has otherwise; tells whether it had something before."""
    found = SiteSpaceCustomizationRow.site_space_id == site_space_id
    had = session.scalar(select(SiteSpaceCustomizationRow.site_space_id).where(found)) is not None
    if overrides:
        session.merge(SiteSpaceCustomizationRow(site_space_id=site_space_id, overrides=overrides))
    elif had:
        session.execute(delete(SiteSpaceCustomizationRow).where(found))
    session.flush()
    return had
