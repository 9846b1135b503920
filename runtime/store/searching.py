"""Conditions and joins of lists: filters as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, String, and_, cast, exists, func, or_, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.contract.integrations import IntegrationQuery
from runtime.store.installed import covers_every_space
from runtime.store.rows import HOST, Reach, visible
from runtime.store.rows import listed as listed_to
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

Conditions = list[ColumnElement[bool]]


AT_ONCE = 10
"""Integrations that are read at once where each is looked at and let go."""


def contains(column: Any, text: str) -> ColumnElement[bool]:
    """Match a text anywhere in a column, whatever its case; `%` and `_` mean themselves."""
    escaped = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return func.lower(column).like(f"%{escaped}%", escape="\\")


def _holds(key: str, value: str) -> ColumnElement[bool]:
    """Match a value inside a list of the manifest; the lists hold names of a fixed alphabet."""
    return cast(IntegrationRow.manifest[key], String).like(f'%"{value}"%')


def _has(key: str) -> ColumnElement[bool]:
    return cast(IntegrationRow.manifest[key], String).like('%"id"%')


def listed(search: str | None) -> Conditions:
    """Match integrations by name or title."""
    if not search:
        return []
    return [or_(contains(IntegrationRow.name, search), contains(IntegrationRow.title, search))]


def integrations(query: IntegrationQuery) -> Conditions:
    """Build the filters of the integration list (docs/contract/api.md, "Filters")."""
    conditions = listed(query.search)
    if query.category:
        conditions.append(_holds("categories", query.category))
    if query.scope:
        conditions.append(_holds("scopes", query.scope))
    if query.block_domain:
        conditions.append(contains(cast(IntegrationRow.manifest["blocks"], String), query.block_domain))
    for present_, key in ((query.blocks, "blocks"), (query.content_sources, "contentSources")):
        if present_ is not None:
            present = func.coalesce(_has(key), False)
            conditions.append(present if present_ else ~present)
    if query.owner:
        conditions.append(IntegrationRow.organization_id == query.owner)
    if query.target:
        conditions.append(IntegrationRow.target == query.target)
    return conditions


def in_catalogue(organization_id: str) -> ColumnElement[bool]:
    """Match what an organization may install: public integrations, and private ones it owns or has installed."""
    installed = exists().where(
        InstallationRow.integration_id == IntegrationRow.id,
        InstallationRow.organization_id == organization_id,
        InstallationRow.deleted_at.is_(None),
    )
    own = IntegrationRow.organization_id == organization_id
    return or_(IntegrationRow.visibility == "public", own, installed)


def sites(
    reach: Reach,
    organization_id: str,
    title: str | None,
    space: str | None,
    published: bool | None,
    types: Sequence[str] | None,
) -> Conditions:
    """Build the filters of the site list."""
    conditions = [SiteRow.organization_id == organization_id]
    if title:
        conditions.append(contains(SiteRow.title, title))
    if space:
        of_site = (SiteSpaceRow.site_id == SiteRow.id, SiteSpaceRow.space_id == space)
        conditions.append(exists().where(*of_site, visible(SiteSpaceRow, reach)))
    if published is not None:
        conditions.append(SiteRow.published == published)
    if types:
        conditions.append(SiteRow.type.in_(types))
    return conditions


def site_at(session: Session, proxies: Sequence[str]) -> SiteRow | None:
    """Find the published site that is reached at the longest of some addresses."""
    query = select(SiteRow).where(SiteRow.proxy.in_(proxies), SiteRow.published, SiteRow.deleted_at.is_(None))
    return session.scalars(query.order_by(func.length(SiteRow.proxy).desc()).limit(1)).first()


def proxied_by_others(session: Session, organization_id: str, host: str) -> bool:
    """Return whether another organization has a site that is reached at some path of a host."""
    query = exists().where(
        SiteRow.organization_id != organization_id,
        SiteRow.deleted_at.is_(None),
        SiteRow.proxy.startswith(f"{host}/", autoescape=True),
    )
    return bool(session.scalar(select(query)))


def spaces_among(session: Session, organization_id: str, ids: Sequence[str]) -> list[SpaceRow]:
    """Find those of the given spaces that are there, in one organization."""
    query = select(SpaceRow).where(
        SpaceRow.organization_id == organization_id, SpaceRow.id.in_(ids), SpaceRow.deleted_at.is_(None)
    )
    return list(session.scalars(query))


def scripts_of_site(
    session: Session, site: SiteRow
) -> Iterator[tuple[IntegrationRow, InstallationRow, SiteInstallationRow]]:
    """Find the active installations whose integration injects a script into a site, oldest first.

    `AT_ONCE` are held at once: manifests and configurations may be long.
    """
    query = (
        select(IntegrationRow, InstallationRow, SiteInstallationRow)
        .join(InstallationRow, InstallationRow.integration_id == IntegrationRow.id)
        .join(SiteInstallationRow, SiteInstallationRow.installation_id == InstallationRow.id)
        .where(
            SiteInstallationRow.site_id == site.id,
            SiteInstallationRow.deleted_at.is_(None),
            SiteInstallationRow.status == "active",
            InstallationRow.deleted_at.is_(None),
            InstallationRow.status == "active",
            _holds("scopes", "site:script:inject"),
        )
        .order_by(SiteInstallationRow.created_at)
    )
    ids = session.scalars(query.with_only_columns(SiteInstallationRow.id, maintain_column_froms=True)).all()
    for batch in batched(ids, AT_ONCE):
        some = query.where(SiteInstallationRow.id.in_(batch))
        yield from ((integration, installation, part) for integration, installation, part in session.execute(some))


def _installed_on(
    table: type[SiteInstallationRow] | type[SpaceInstallationRow], there: ColumnElement[bool]
) -> ColumnElement[bool]:
    return exists().where(
        InstallationRow.integration_id == IntegrationRow.id,
        InstallationRow.deleted_at.is_(None),
        table.installation_id == InstallationRow.id,
        there,
        table.deleted_at.is_(None),
    )


def integrations_on_site(site: SiteRow, search: str | None) -> Conditions:
    """Match the integrations installed on a site."""
    return [_installed_on(SiteInstallationRow, SiteInstallationRow.site_id == site.id), *listed(search)]


def own_integrations_on_site(session: Session, site: SiteRow) -> list[str]:
    """Name the integrations installed on a site that the site's organization owns."""
    query = select(IntegrationRow.name).where(*integrations_on_site(site, None))
    own = query.where(IntegrationRow.organization_id == site.organization_id)
    return list(session.scalars(own.order_by(IntegrationRow.name)))


def integrations_on_space(space: SpaceRow, search: str | None) -> Conditions:
    """Match the integrations installed on a space."""
    return [_installed_on(SpaceInstallationRow, SpaceInstallationRow.space_id == space.id), *listed(search)]


def active_on_space(session: Session, space: SpaceRow, reach: Reach = HOST) -> Iterator[IntegrationRow]:
    """Find the integrations whose installation on a space is active, in the order they were installed.

    With `reach`, those that are listed to an actor. `AT_ONCE` are held at once: manifests may be long.
    """
    return _few_at_once(session, _active_on(space, listed_to(IntegrationRow, reach)))


def is_active_on_space(session: Session, integration_id: str, space: SpaceRow) -> bool:
    """Return whether the installation of an integration on a space is active."""
    query = _active_on(space, IntegrationRow.id == integration_id).with_only_columns(
        IntegrationRow.id, maintain_column_froms=True
    )
    return session.scalar(query.limit(1)) is not None


class Length(NamedTuple):
    """How long the blocks of an integration are, as JSON, and which organization publishes it."""

    id: str
    owner: str
    length: int


def lengths_of_blocks(session: Session, space: SpaceRow, reach: Reach) -> list[Length]:
    """Give how long the blocks of the integrations are that `active_on_space` finds."""
    length = func.coalesce(func.length(cast(IntegrationRow.manifest["blocks"], String)), 0)
    query = _active_on(space, listed_to(IntegrationRow, reach)).with_only_columns(
        IntegrationRow.id, IntegrationRow.organization_id, length, maintain_column_froms=True
    )
    return [Length(*row) for row in session.execute(query)]


class Current(NamedTuple):
    """An integration, by its id, and its current version."""

    id: str
    version_id: str


def current_on_space(session: Session, space: SpaceRow, reach: Reach) -> list[Current]:
    """List the integrations that `active_on_space` finds, without their manifests."""
    return _current(session, _active_on(space, listed_to(IntegrationRow, reach)))


def current_for(session: Session, reach: Reach) -> list[Current]:
    """List the integrations of the active installations that an actor may see, in the order they were installed."""
    return _current(session, _active().where(visible(InstallationRow, reach)))


def _current(session: Session, query: Select[IntegrationRow]) -> list[Current]:
    columns = query.with_only_columns(IntegrationRow.id, IntegrationRow.version_id, maintain_column_froms=True)
    # Once each: several organizations of an actor may have the same one.
    return list({id_: Current(id_, version) for id_, version in session.execute(columns)}.values())


def _active_on(space: SpaceRow, which: ColumnElement[bool]) -> Select[IntegrationRow]:
    part = exists().where(
        SpaceInstallationRow.installation_id == InstallationRow.id,
        SpaceInstallationRow.space_id == space.id,
        SpaceInstallationRow.deleted_at.is_(None),
    )
    active = part.where(SpaceInstallationRow.status == "active")
    return (
        _active()
        .where(InstallationRow.organization_id == space.organization_id)
        .where(or_(active, and_(covers_every_space(IntegrationRow.target), ~part)), which)
    )


def _few_at_once(session: Session, query: Select[IntegrationRow]) -> Iterator[IntegrationRow]:
    # By their ids and not with a cursor of the database: PostgreSQL has none outside of a transaction.
    ids = session.scalars(query.with_only_columns(IntegrationRow.id, maintain_column_froms=True)).all()
    for some in batched(ids, AT_ONCE):
        found = {row.id: row for row in session.scalars(select(IntegrationRow).where(IntegrationRow.id.in_(some)))}
        yield from (found[one] for one in some if one in found)


def _active() -> Select[IntegrationRow]:
    return (
        select(IntegrationRow)
        .join(InstallationRow, InstallationRow.integration_id == IntegrationRow.id)
        .where(InstallationRow.deleted_at.is_(None), InstallationRow.status == "active")
        .order_by(InstallationRow.created_at, InstallationRow.id)
    )


def installations_in(organization_id: str, search: str | None) -> Conditions:
    """Match the installations of an organization, by the integration's name or title."""
    conditions = [InstallationRow.organization_id == organization_id]
    if search:
        named = and_(IntegrationRow.id == InstallationRow.integration_id, *listed(search))
        conditions.append(exists().where(named))
    return conditions


def contents(session: Session, table: Any, ids: Iterable[str]) -> dict[str, Any]:
    """Load spaces or sites by id."""
    return {row.id: row for row in session.scalars(select(table).where(table.id.in_(list(ids))))}


def within(table: Any, organization_id: str) -> ColumnElement[bool]:
    """Match installations of any kind that belong to an organization."""
    if table is InstallationRow:
        return InstallationRow.organization_id == organization_id
    parent = and_(InstallationRow.id == table.installation_id, InstallationRow.organization_id == organization_id)
    return exists().where(parent)
