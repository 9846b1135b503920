"""Installations, as matching and planning need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, delete, exists, func, literal, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from runtime.store import rows
from runtime.store.epoch_cache import record_of
from runtime.store.levels import number_of
from runtime.store.loaded import loaded
from runtime.store.page_weight import length_of
from runtime.store.reach import Reach
from runtime.store.tables.installations import (
    ExternalIdRow,
    InstallationRow,
    SiteInstallationRow,
    SpaceInstallationRow,
)
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow


@dataclass(frozen=True, slots=True)
class Installed:
    """One installation with the status of its parts; `spaces` and `sites` map an id to the status of that part."""

    installation_id: str
    integration_id: str
    status: str
    scopes: tuple[str, ...]
    space_selection: str
    site_selection: str
    spaces: dict[str, str] = field(default_factory=dict)
    sites: dict[str, str] = field(default_factory=dict)


def in_organization(
    session: Session, organization_id: str, integration_id: str | None = None, *, place: str | None = None
) -> list[Installed]:
    """List the installations of an organization, oldest first; of one integration where it is given.

    With `place`, a space or site, they name that alone of their spaces and sites, of which there may be millions. What
    is kept of them rests on the epochs of the organization and of their integrations.
    """
    query = (
        select(
            InstallationRow.id,
            InstallationRow.integration_id,
            InstallationRow.status,
            IntegrationRow.manifest["scopes"],
            InstallationRow.space_selection,
            InstallationRow.site_selection,
        )
        .join(IntegrationRow, IntegrationRow.id == InstallationRow.integration_id)
        .where(InstallationRow.organization_id == organization_id, InstallationRow.deleted_at.is_(None))
        .order_by(InstallationRow.created_at)
    )
    if integration_id is not None:
        query = query.where(InstallationRow.integration_id == integration_id)
    matches = session.execute(query).all()
    if (record := record_of(session)) is not None:
        record.looked({organization_id, *(row[1] for row in matches)}, ())
    ids = [row[0] for row in matches]
    spaces = _statuses(session, SpaceInstallationRow, SpaceInstallationRow.space_id, ids, place)
    sites = _statuses(session, SiteInstallationRow, SiteInstallationRow.site_id, ids, place)
    return [
        Installed(
            installation_id=installation_id,
            integration_id=integration_id,
            status=status,
            scopes=tuple(scopes),
            space_selection=space_selection,
            site_selection=site_selection,
            spaces=spaces.get(installation_id, {}),
            sites=sites.get(installation_id, {}),
        )
        for installation_id, integration_id, status, scopes, space_selection, site_selection in matches
    ]


class LivePart(NamedTuple):
    """What is installed on a space or site, and how many bytes its configuration has: all together may be gigabytes."""

    id: str
    installation_id: str
    content_id: str
    size: int


def live_parts(session: Session, table: Any, *conditions: ColumnElement[bool]) -> list[LivePart]:
    """List what is installed on spaces or on sites (`table`) and meets these conditions, oldest first."""
    content = table.space_id if table is SpaceInstallationRow else table.site_id
    size = func.length(table.configuration)
    query = select(table.id, table.installation_id, content, size).where(table.deleted_at.is_(None), *conditions)
    return [LivePart(*row) for row in session.execute(query.order_by(table.created_at))]


def _statuses(session: Session, table: Any, key: Any, ids: list[str], place: str | None) -> dict[str, dict[str, str]]:
    statuses: dict[str, dict[str, str]] = {}
    query = select(table.installation_id, key, table.status).where(
        table.installation_id.in_(ids), table.deleted_at.is_(None)
    )
    query = query.where(key == place) if place is not None else query
    for installation_id, part_id, status in session.execute(query):
        statuses.setdefault(installation_id, {})[part_id] = status
    return statuses


def length_of_integration(
    table: type[InstallationRow] | type[SpaceInstallationRow] | type[SiteInstallationRow],
) -> ColumnElement[int]:
    """Return the SQL for the length of the integration that an installation of any kind is shown with."""
    query = select(length_of(IntegrationRow))
    if issubclass(table, InstallationRow):
        query = query.where(IntegrationRow.id == table.integration_id)
    else:
        parent = aliased(InstallationRow)
        query = query.where(IntegrationRow.id == parent.integration_id, parent.id == table.installation_id)
    return func.coalesce(query.correlate(table).scalar_subquery(), 0)


def administered(session: Session, reach: Reach, installation_ids: Iterable[str]) -> set[str]:
    """Name those of some installations that an actor administers; their configurations, which may be long, stay."""
    query = select(InstallationRow.id).where(InstallationRow.id.in_(set(installation_ids)))
    return set(session.scalars(query.where(InstallationRow.level_for(reach) >= number_of("admin"))))


def names_of(session: Session, integration_ids: Iterable[str]) -> dict[str, str]:
    """Return the names of integrations: what else there is of them may be long."""
    return _never_changed(session, IntegrationRow.name, integration_ids)


def integrations_of(session: Session, installation_ids: Iterable[str]) -> dict[str, str]:
    """Return the ids of the integrations of installations."""
    return _never_changed(session, InstallationRow.integration_id, installation_ids)


def _never_changed(session: Session, column: InstrumentedAttribute[str], row_ids: Iterable[str]) -> dict[str, str]:
    """Return by id what is in a column that is never updated: what the session has loaded is not read again."""
    table: Any = column.class_
    ids = set(row_ids)
    values = {id_: getattr(row, column.key) for id_, row in loaded(session, table, ids).items()}
    if missing := ids - values.keys():
        values |= dict(session.execute(select(table.id, column).where(table.id.in_(missing))).all())
    return values


def external_ids(session: Session, owner_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the external ids of installations of any kind, in the order they were set."""
    values: dict[str, list[str]] = {owner: [] for owner in owner_ids}
    query = select(ExternalIdRow).where(ExternalIdRow.owner_id.in_(owner_ids)).order_by(ExternalIdRow.position)
    for row in session.scalars(query):
        values[row.owner_id].append(row.value)
    return values


def set_external_ids(session: Session, owner_id: str, values: Sequence[str]) -> None:
    """Replace the external ids of an installation of any kind."""
    session.execute(delete(ExternalIdRow).where(ExternalIdRow.owner_id == owner_id))
    session.add_all(ExternalIdRow(owner_id=owner_id, position=place, value=value) for place, value in enumerate(values))
    session.flush()


def known_as(table: Any, external_id: str) -> Any:
    """Return the condition that an installation of any kind is known by this external id."""
    return exists().where(ExternalIdRow.owner_id == table.id, ExternalIdRow.value == external_id)


def count_spaces(session: Session, installation_ids: Sequence[str]) -> dict[str, int]:
    """Count the spaces each installation is installed on."""
    query = (
        select(SpaceInstallationRow.installation_id, func.count())
        .where(SpaceInstallationRow.installation_id.in_(installation_ids), SpaceInstallationRow.deleted_at.is_(None))
        .group_by(SpaceInstallationRow.installation_id)
    )
    return dict(session.execute(query).all())


def count_site_spaces(session: Session, reach: Reach, site_ids: Sequence[str]) -> dict[str, int]:
    """Count the spaces attached to each site that an actor may see."""
    query = (
        select(SiteSpaceRow.site_id, func.count())
        .where(SiteSpaceRow.site_id.in_(site_ids), rows.visible(SiteSpaceRow, reach))
        .group_by(SiteSpaceRow.site_id)
    )
    return dict(session.execute(query).all())


def covering_space(session: Session, integration: IntegrationRow, space: SpaceRow) -> InstallationRow | None:
    """Find the installation of an integration that covers a space, in the organization that owns it.

    An integration for organizations is on no single space: its installation covers all of them. One that became an
    integration for organizations later covers what was selected for it: where it is, its author does not decide.
    """
    part = exists().where(
        SpaceInstallationRow.installation_id == InstallationRow.id,
        SpaceInstallationRow.space_id == space.id,
        SpaceInstallationRow.deleted_at.is_(None),
    )
    return _covering(
        session, integration.id, space.organization_id, or_(covers_every_space(literal(integration.target)), part)
    )


def covers_every_space(target: Any) -> ColumnElement[bool]:
    """Match installations that cover each space of their organization; `target` is the integration's, as SQL."""
    for_organization = and_(InstallationRow.for_organization, target == "organization")
    return or_(InstallationRow.space_selection == "all", for_organization)


def covering_site(session: Session, integration_id: str, site: SiteRow) -> InstallationRow | None:
    """Find the installation of an integration that covers a site, in the organization that owns it."""
    part = exists().where(
        SiteInstallationRow.installation_id == InstallationRow.id,
        SiteInstallationRow.site_id == site.id,
        SiteInstallationRow.deleted_at.is_(None),
    )
    return _covering(session, integration_id, site.organization_id, or_(InstallationRow.site_selection == "all", part))


def covering_organization(session: Session, integration_id: str, organization_id: str) -> InstallationRow | None:
    """Find the installation of an integration on an organization."""
    return _covering(session, integration_id, organization_id)


def _covering(session: Session, integration_id: str, organization_id: str, *conditions: Any) -> InstallationRow | None:
    query = select(InstallationRow).where(
        InstallationRow.integration_id == integration_id,
        InstallationRow.organization_id == organization_id,
        InstallationRow.deleted_at.is_(None),
        *conditions,
    )
    return session.scalars(query.limit(1)).first()
