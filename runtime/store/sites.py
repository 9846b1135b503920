"""Sites that are there for everybody."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from runtime.store.rows import HOST, visible
from runtime.store.tables.sites import SiteRow


def findable(session: Session, most: int) -> list[str]:
    """List the ids of published sites that search engines may list and that are reached at this host, oldest first."""
    query = (
        select(SiteRow.id)
        .where(visible(SiteRow, HOST), SiteRow.deleted_at.is_(None), SiteRow.published)
        .where(SiteRow.visibility == "public", SiteRow.proxy.is_(None))
        .order_by(SiteRow.created_at, SiteRow.id)
        .limit(most)
    )
    return list(session.scalars(query))
