"""Installations on organizations, spaces and sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from runtime.contract.installations import (
    Installation,
    InstalledIntegration,
    OrganizationInstallation,
    SiteInstallation,
    SpaceInstallation,
)
from runtime.contract.organizations import Role, reaches
from runtime.contract.presenting import (
    PlacedPart,
    installation_object,
    site_installation_object,
    space_installation_object,
)
from runtime.serializers.integrations import integrations
from runtime.serializers.sites import sites
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import installed
from runtime.store.tables.installations import (
    Configured,
    InstallationRow,
    Part,
    SiteInstallationRow,
    SpaceInstallationRow,
)
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow


def installations(view: View, rows: Sequence[InstallationRow]) -> list[Installation]:
    """Show installations; their configuration only to administrators and to the integration itself."""
    ids = [row.id for row in rows]
    counts, names = installed.count_spaces(view.session, ids), installed.external_ids(view.session, ids)
    integration_names = installed.names_of(view.session, (row.integration_id for row in rows))
    return [
        installation_object(
            id=row.id,
            integration=integration_names[row.integration_id],
            organization=row.organization_id,
            status=row.status,
            selections=(row.space_selection, row.site_selection),
            spaces=counts.get(row.id, 0),
            configuration=_configuration(view, row, level),
            external_ids=names[row.id],
            created_at=row.created_at,
            updated_at=row.updated_at,
            at=view.at,
        )
        for row, level in zip(rows, view.levels(rows), strict=True)
    ]


def space_installations(view: View, rows: Sequence[SpaceInstallationRow]) -> list[SpaceInstallation]:
    """Show installations on spaces; `extended` puts the space instead of its id, where the actor may see it."""
    found = list(view.seen(SpaceRow, (row.space_id for row in rows)).values()) if view.extended else []
    shown = {space.id: space for space in spaces(view, found)}
    return [space_installation_object(part, view.at, shown.get(part.place)) for part in _parts(view, rows)]


def site_installations(view: View, rows: Sequence[SiteInstallationRow]) -> list[SiteInstallation]:
    """Show installations on sites; `extended` puts the site instead of its id."""
    of = view.by_id(SiteRow, (row.site_id for row in rows)) if view.extended else {}
    shown = {site.id: site for site in sites(view, list(of.values()))}
    return [site_installation_object(part, view.at, shown.get(part.place)) for part in _parts(view, rows)]


def _parts(view: View, rows: Sequence[SpaceInstallationRow | SiteInstallationRow]) -> Iterator[PlacedPart]:
    names = installed.external_ids(view.session, [row.id for row in rows])
    of = installed.integrations_of(view.session, (row.installation_id for row in rows))
    integration_names = installed.names_of(view.session, of.values())
    for row, level in zip(rows, view.levels(rows), strict=True):
        yield PlacedPart(
            integration=integration_names[of[row.installation_id]],
            installation=row.installation_id,
            place=row.space_id if isinstance(row, SpaceInstallationRow) else row.site_id,
            status=row.status,
            configuration=_configuration(view, row, level),
            external_ids=names[row.id],
        )


def _configuration(view: View, row: Configured, level: Role | None) -> dict[str, Any]:
    return row.configuration if view.reach.kind != "user" or reaches(level, "admin") else {}


def organization_installations(view: View, rows: Sequence[InstallationRow]) -> list[OrganizationInstallation]:
    """Show installations with their integrations."""
    of = view.by_id(IntegrationRow, (row.integration_id for row in rows))
    of_each = integrations(view, [of[row.integration_id] for row in rows])
    pairs = zip(of_each, installations(view, rows), strict=True)
    return [
        OrganizationInstallation(integration=integration, installation=installation)
        for integration, installation in pairs
    ]


def statuses(view: View, rows: Sequence[InstallationRow | Part]) -> list[InstalledIntegration]:
    """Show the status of installations of any kind, with their integrations."""
    parents = installed.integrations_of(view.session, [row.installation_id for row in rows if isinstance(row, Part)])
    ids = [parents[row.installation_id] if isinstance(row, Part) else row.integration_id for row in rows]
    of = view.by_id(IntegrationRow, ids)
    of_each = integrations(view, [of[one] for one in ids])
    return [
        InstalledIntegration(status=row.status, integration=integration)  # type: ignore[arg-type]
        for row, integration in zip(rows, of_each, strict=True)
    ]
