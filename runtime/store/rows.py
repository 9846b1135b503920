"""The only door to a table: every read asks first for what the actor may see.

`Reach` says who is asking. `find` and `page` add the condition of the table to each query, so that no query can forget
the organisation. The host's own work (dispatch, services after a permission was checked) uses `HOST`.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar

from sqlalchemy import ColumnElement, and_, exists, false, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session

from runtime.store.database import Table
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import (
    ExternalIdRow,
    InstallationRow,
    SiteInstallationRow,
    SpaceInstallationRow,
)
from runtime.store.tables.integrations import IntegrationRow, VersionRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow, UserRow
from runtime.store.tables.sites import SiteAdaptiveSchemaRow, SiteRow, SiteSpaceRow, VisitorSessionRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.tunnels import TunnelRow

R = TypeVar("R", bound=Table)


@dataclass(frozen=True, slots=True)
class Reach:
    """Who is asking: a user with memberships, one integration, one installation, or the host itself."""

    kind: Literal["user", "integration", "installation", "host"]
    user_id: str | None = None
    organizations: frozenset[str] = frozenset()
    integration_id: str | None = None
    installation_id: str | None = None


HOST = Reach("host")


class BadCursor(ValueError):
    """The value of `page` is not one that this list gave out."""


@dataclass(frozen=True, slots=True)
class PageOf:
    """One page of rows, the number of all matching ones, and where the next page begins."""

    rows: Sequence[Any]
    count: int
    next: str | None


def find(session: Session, reach: Reach, table: type[R], *conditions: ColumnElement[bool], **by: Any) -> R | None:
    """Find the one row with these values that the actor may see; values no database can hold name nothing."""
    if any(_impossible(value) for value in by.values()):
        return None
    query = select(table).where(visible(table, reach), *conditions).filter_by(**by).limit(1)
    return session.scalars(query).first()


def _impossible(value: Any) -> bool:
    """Tell whether a value fits no column: addresses carry whatever somebody writes into them."""
    if isinstance(value, str):
        return "\x00" in value
    return isinstance(value, int) and abs(value) >= 1 << 63


def every(session: Session, reach: Reach, table: type[R], *conditions: ColumnElement[bool], **by: Any) -> list[R]:
    """List all rows with these values that the actor may see, oldest first where the table has dates."""
    query = select(table).where(visible(table, reach), *conditions).filter_by(**by)
    created = getattr(table, "created_at", None)
    if created is not None:
        query = query.order_by(created)
    return list(session.scalars(query))


def page(
    session: Session,
    reach: Reach,
    table: type[R],
    *conditions: ColumnElement[bool],
    cursor: str | None,
    limit: int,
    newest_first: bool = True,
) -> PageOf:
    """List one page by creation; raises BadCursor. The cursor holds the last row's place, not a number of rows."""
    wanted = and_(listed(table, reach), *conditions)
    count = session.scalar(select(func.count()).select_from(table).where(wanted)) or 0
    order, key = _order(table)
    query = select(table).where(wanted)
    if cursor is not None:
        query = query.where(_beyond(order, key, cursor, newest_first))
    columns = (order.desc(), key.desc()) if newest_first else (order.asc(), key.asc())
    rows = list(session.scalars(query.order_by(*columns).limit(limit + 1)))
    more = len(rows) > limit
    rows = rows[:limit]
    return PageOf(rows, count, _cursor_after(rows[-1], order, key) if more and rows else None)


def _order(table: type[Any]) -> tuple[InstrumentedAttribute[Any], InstrumentedAttribute[Any]]:
    return (table.seq, table.id) if hasattr(table, "seq") else (table.created_at, table.id)


def _cursor_after(row: Any, order: InstrumentedAttribute[Any], key: InstrumentedAttribute[Any]) -> str:
    place = getattr(row, order.key)
    text = json.dumps([place if isinstance(place, int) else place.isoformat(), getattr(row, key.key)])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _beyond(order: Any, key: Any, cursor: str, newest_first: bool) -> ColumnElement[bool]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        place, last = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
        if order.key != "seq":
            place = datetime.fromisoformat(place)
            if place.tzinfo is None:
                raise ValueError("no time zone")
            place = place.astimezone(UTC)  # what has no year there, the database cannot compare either
        elif not isinstance(place, int) or isinstance(place, bool) or abs(place) >= 1 << 62:
            raise ValueError("no sequence number")
        if not isinstance(last, str) or "\x00" in last:
            raise ValueError("no id")
    except (ValueError, TypeError, binascii.Error, RecursionError, OverflowError) as error:
        raise BadCursor from error
    if newest_first:
        return or_(order < place, and_(order == place, key < last))
    return or_(order > place, and_(order == place, key > last))


def visible(table: type[Any], reach: Reach) -> ColumnElement[bool]:
    """Give the condition under which rows of a table may be seen; one without a rule is seen by the host only."""
    if reach.kind == "host":
        return true()
    rule = _RULES.get(table)
    return rule(reach) if rule is not None else false()


def listed(table: type[Any], reach: Reach) -> ColumnElement[bool]:
    """Give the condition under which rows stand in lists: what may be seen, but for what only its name finds."""
    rule = _LISTS.get(table)
    return visible(table, reach) if rule is None or reach.kind == "host" else and_(visible(table, reach), rule(reach))


def _organizations(reach: Reach) -> Any:
    """The organisations an actor belongs to or is installed in."""
    if reach.kind == "user":
        return reach.organizations
    query = select(InstallationRow.organization_id).where(InstallationRow.deleted_at.is_(None))
    if reach.kind == "integration":
        return query.where(InstallationRow.integration_id == reach.integration_id)
    return query.where(InstallationRow.id == reach.installation_id)


def _sees_organization(reach: Reach) -> ColumnElement[bool]:
    if reach.kind != "integration":
        return OrganizationRow.id.in_(_organizations(reach))
    owner = select(IntegrationRow.organization_id).where(IntegrationRow.id == reach.integration_id)
    return or_(OrganizationRow.id.in_(_organizations(reach)), OrganizationRow.id.in_(owner))


def _sees_space(reach: Reach) -> ColumnElement[bool]:
    return _sees_content(reach, SpaceRow, SpaceInstallationRow, SpaceInstallationRow.space_id, "space_selection")


def _sees_site(reach: Reach) -> ColumnElement[bool]:
    return _sees_content(reach, SiteRow, SiteInstallationRow, SiteInstallationRow.site_id, "site_selection")


def _sees_content(reach: Reach, table: Any, part: Any, part_key: Any, selection: str) -> ColumnElement[bool]:
    """Content is seen by members, and by installations that select it."""
    alive = table.deleted_at.is_(None)
    if reach.kind == "user":
        return and_(alive, table.organization_id.in_(reach.organizations))
    mine = (
        InstallationRow.id == reach.installation_id
        if reach.kind == "installation"
        else InstallationRow.integration_id == reach.integration_id
    )
    # Said outright: a query inside a query inside a query is tied to the innermost one around it only.
    installed = (
        exists()
        .where(part.installation_id == InstallationRow.id, part_key == table.id, part.deleted_at.is_(None))
        .correlate(InstallationRow, table)
    )
    covered = (
        exists()
        .where(
            mine,
            InstallationRow.deleted_at.is_(None),
            InstallationRow.organization_id == table.organization_id,
            or_(getattr(InstallationRow, selection) == "all", installed),
        )
        .correlate(table)
    )
    return and_(alive, covered)


def _sees_integration(reach: Reach) -> ColumnElement[bool]:
    """A private integration exists for its owner and for who installed it; an unlisted one is found by its name."""
    return or_(IntegrationRow.visibility.in_(("public", "unlisted")), _concerns(reach))


def _lists_integration(reach: Reach) -> ColumnElement[bool]:
    """Only public integrations are listed to everybody; to a script, of all others only itself."""
    return or_(IntegrationRow.visibility == "public", _concerns(reach))


def _concerns(reach: Reach) -> ColumnElement[bool]:
    """Match an actor's integrations: a script's own; those a person's organizations own or have installed."""
    if reach.kind != "user":
        return IntegrationRow.id == reach.integration_id
    # Said outright: a query that joins installations would take this one's for its own.
    installed = (
        exists()
        .where(
            InstallationRow.integration_id == IntegrationRow.id,
            InstallationRow.deleted_at.is_(None),
            InstallationRow.organization_id.in_(reach.organizations),
        )
        .correlate(IntegrationRow)
    )
    return or_(IntegrationRow.organization_id.in_(reach.organizations), installed)


def _sees_installation(reach: Reach) -> ColumnElement[bool]:
    alive = InstallationRow.deleted_at.is_(None)
    if reach.kind == "integration":
        return and_(alive, InstallationRow.integration_id == reach.integration_id)
    if reach.kind == "installation":
        return and_(alive, InstallationRow.id == reach.installation_id)
    return and_(alive, InstallationRow.organization_id.in_(reach.organizations))


def _sees_part(table: Any) -> Callable[[Reach], ColumnElement[bool]]:
    def rule(reach: Reach) -> ColumnElement[bool]:
        parent = exists().where(InstallationRow.id == table.installation_id, _sees_installation(reach))
        return and_(table.deleted_at.is_(None), parent)

    return rule


def _sees_event(reach: Reach) -> ColumnElement[bool]:
    """Events are seen by the integration, its owners, and an installation sees its own."""
    if reach.kind == "integration":
        return EventRow.integration_id == reach.integration_id
    if reach.kind == "installation":
        return EventRow.installation_id == reach.installation_id
    return EventRow.integration_id.in_(
        select(IntegrationRow.id).where(IntegrationRow.organization_id.in_(reach.organizations))
    )


def _sees_user(reach: Reach) -> ColumnElement[bool]:
    if reach.kind != "user":
        return false()
    shared = select(MemberRow.user_id).where(MemberRow.organization_id.in_(reach.organizations))
    return or_(UserRow.id == reach.user_id, UserRow.id.in_(shared))


def _sees_token(reach: Reach) -> ColumnElement[bool]:
    return TokenRow.user_id == reach.user_id if reach.kind == "user" else false()


def _sees_tunnel(reach: Reach) -> ColumnElement[bool]:
    """A tunnel leads to one person's machine: nobody else sees it."""
    if reach.kind != "user":
        return false()
    return and_(TunnelRow.user_id == reach.user_id, TunnelRow.organization_id.in_(reach.organizations))


def _sees_version(reach: Reach) -> ColumnElement[bool]:
    if reach.kind != "user":
        return false()
    return VersionRow.integration_id.in_(
        select(IntegrationRow.id).where(IntegrationRow.organization_id.in_(reach.organizations))
    )


_RULES: dict[type[Any], Callable[[Reach], ColumnElement[bool]]] = {
    OrganizationRow: _sees_organization,
    SpaceRow: _sees_space,
    SiteRow: _sees_site,
    IntegrationRow: _sees_integration,
    InstallationRow: _sees_installation,
    SpaceInstallationRow: _sees_part(SpaceInstallationRow),
    SiteInstallationRow: _sees_part(SiteInstallationRow),
    EventRow: _sees_event,
    UserRow: _sees_user,
    TokenRow: _sees_token,
    TunnelRow: _sees_tunnel,
    VersionRow: _sees_version,
}

_LISTS: dict[type[Any], Callable[[Reach], ColumnElement[bool]]] = {IntegrationRow: _lists_integration}

TABLES: tuple[type[Table], ...] = (
    OrganizationRow,
    UserRow,
    MemberRow,
    TokenRow,
    SpaceRow,
    SiteRow,
    SiteSpaceRow,
    SiteAdaptiveSchemaRow,
    VisitorSessionRow,
    IntegrationRow,
    VersionRow,
    InstallationRow,
    SpaceInstallationRow,
    SiteInstallationRow,
    ExternalIdRow,
    EventRow,
    TunnelRow,
)
"""All tables: importing this module makes the whole schema known."""
