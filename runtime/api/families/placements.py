"""Installations of integrations on spaces and on sites."""

from __future__ import annotations

from typing import Any, Literal

from runtime.api.call import Call
from runtime.api.entrance import require_scope
from runtime.api.families.installations import INSTALLATION, INSTALLERS, READERS, WRITERS, update_configured
from runtime.api.families.integrations import INTEGRATION
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.families.spaces import SPACE
from runtime.api.operation import Family
from runtime.api.permission import INTEGRATION_OR_INSTALLATION, member
from runtime.api.resource import Resource, RowsOf
from runtime.contract import errors
from runtime.contract.installations import (
    ExtendedListQuery,
    ExtendedPageQuery,
    ExtendedQuery,
    InstalledIntegration,
    InstallOnSite,
    InstallOnSpace,
    SearchQuery,
    SiteInstallation,
    SpaceInstallation,
    StatusQuery,
    UpdatePart,
)
from runtime.serializers import installations as serializers
from runtime.services import installing
from runtime.store import installed, rows, searching
from runtime.store.cursors import newest_first
from runtime.store.rows import HOST, Conditions
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

SPACE_INSTALLATION = Resource(
    "space_installation",
    SpaceInstallationRow,
    at="spaces/{spaceId}",
    within=INSTALLATION,
    parent_column="installation_id",
    key="space_id",
    model=SpaceInstallation,
    serialize=serializers.space_installations,
    order=newest_first(SpaceInstallationRow.created_at, SpaceInstallationRow.id),
)
SITE_INSTALLATION = Resource(
    "site_installation",
    SiteInstallationRow,
    at="sites/{siteId}",
    within=INSTALLATION,
    parent_column="installation_id",
    key="site_id",
    model=SiteInstallation,
    serialize=serializers.site_installations,
    order=newest_first(SiteInstallationRow.created_at, SiteInstallationRow.id),
)

placements = Family("Installations", SPACE_INSTALLATION, SITE_INSTALLATION)


@placements.operation(f"POST {SPACE_INSTALLATION.collection}", SPACE_INSTALLATION, needs=INSTALLERS, status=201)
def install_integration_on_space(
    call: Call, integration: IntegrationRow, installation: InstallationRow, body: InstallOnSpace, query: ExtendedQuery
) -> SpaceInstallationRow:
    """Install an integration on a space."""
    _extend(call, "space", query.extended)
    space = _content(call, installation, SpaceRow, body.space, "space")
    return installing.install_on_space(call.session, integration, installation, space)


@placements.list(f"GET {SPACE_INSTALLATION.collection}", SPACE_INSTALLATION, needs=READERS)
def list_integration_installation_spaces(
    call: Call, installation: InstallationRow, query: ExtendedPageQuery
) -> Conditions:
    """List the spaces an installation is installed on."""
    _extend(call, "space", query.extended)
    return [SpaceInstallationRow.installation_id == installation.id]


@placements.operation(f"GET {SPACE_INSTALLATION.path}", SPACE_INSTALLATION, needs=READERS)
def get_integration_space_installation(
    call: Call, space_installation: SpaceInstallationRow, query: ExtendedQuery
) -> SpaceInstallationRow:
    """Get an installation on a space."""
    _extend(call, "space", query.extended)
    return space_installation


@placements.operation(f"PATCH {SPACE_INSTALLATION.path}", SPACE_INSTALLATION, needs=WRITERS)
def update_integration_space_installation(
    call: Call,
    integration: IntegrationRow,
    installation: InstallationRow,
    space_installation: SpaceInstallationRow,
    body: UpdatePart,
    query: ExtendedQuery,
) -> SpaceInstallationRow:
    """Change an installation on a space; its configuration is replaced as a whole."""
    _extend(call, "space", query.extended)
    update_configured(call, integration, installation, space_installation, "space", body)
    return space_installation


@placements.operation(f"DELETE {SPACE_INSTALLATION.path}", needs=INSTALLERS, status=205)
def uninstall_integration_from_space(
    call: Call, installation: InstallationRow, space_installation: SpaceInstallationRow | None
) -> None:
    """Uninstall an integration from a space."""
    _uninstall(call, installation, space_installation)


@placements.operation(f"POST {SITE_INSTALLATION.collection}", SITE_INSTALLATION, needs=INSTALLERS, status=201)
def install_integration_on_site(
    call: Call, integration: IntegrationRow, installation: InstallationRow, body: InstallOnSite, query: ExtendedQuery
) -> SiteInstallationRow:
    """Install an integration on a site."""
    _extend(call, "site", query.extended)
    site = _content(call, installation, SiteRow, body.site_id, "site")
    return installing.install_on_site(call.session, integration, installation, site)


@placements.list(f"GET {SITE_INSTALLATION.collection}", SITE_INSTALLATION, needs=READERS)
def list_integration_installation_sites(
    call: Call, installation: InstallationRow, query: ExtendedPageQuery
) -> Conditions:
    """List the sites an installation is installed on."""
    _extend(call, "site", query.extended)
    return [SiteInstallationRow.installation_id == installation.id]


@placements.operation(f"GET {SITE_INSTALLATION.path}", SITE_INSTALLATION, needs=READERS)
def get_integration_site_installation(
    call: Call, site_installation: SiteInstallationRow, query: ExtendedQuery
) -> SiteInstallationRow:
    """Get an installation on a site."""
    _extend(call, "site", query.extended)
    return site_installation


@placements.operation(f"PATCH {SITE_INSTALLATION.path}", SITE_INSTALLATION, needs=WRITERS)
def update_integration_site_installation(
    call: Call,
    integration: IntegrationRow,
    installation: InstallationRow,
    site_installation: SiteInstallationRow,
    body: UpdatePart,
    query: ExtendedQuery,
) -> SiteInstallationRow:
    """Change an installation on a site; its configuration is replaced as a whole."""
    _extend(call, "site", query.extended)
    update_configured(call, integration, installation, site_installation, "site", body)
    return site_installation


@placements.operation(f"DELETE {SITE_INSTALLATION.path}", needs=INSTALLERS, status=205)
def uninstall_integration_from_site(
    call: Call, installation: InstallationRow, site_installation: SiteInstallationRow | None
) -> None:
    """Uninstall an integration from a site."""
    _uninstall(call, installation, site_installation)


@placements.list(f"GET {INTEGRATION.path}/spaces", SPACE_INSTALLATION, needs=INTEGRATION_OR_INSTALLATION)
def list_integration_space_installations(
    call: Call, integration: IntegrationRow, query: ExtendedListQuery
) -> Conditions:
    """List all spaces an integration is installed on."""
    _extend(call, "space", query.extended)
    return [] if query.external_id is None else [installed.known_as(SpaceInstallationRow, query.external_id)]


@placements.list(f"GET {INTEGRATION.path}/sites", SITE_INSTALLATION, needs=INTEGRATION_OR_INSTALLATION)
def list_integration_site_installations(
    call: Call, integration: IntegrationRow, query: ExtendedListQuery
) -> Conditions:
    """List all sites an integration is installed on."""
    _extend(call, "site", query.extended)
    return [] if query.external_id is None else [installed.known_as(SiteInstallationRow, query.external_id)]


def _status_of(resource: Resource[Any]) -> Resource[Any]:
    return resource.shown_as(
        InstalledIntegration, serializers.statuses, beside=installed.length_of_integration(resource.row)
    )


STATUSES = {
    "organization": _status_of(INSTALLATION),
    "space": _status_of(SPACE_INSTALLATION),
    "site": _status_of(SITE_INSTALLATION),
}


@placements.list(
    f"GET {ORGANIZATION.path}/integrations/installations-status", STATUSES["organization"], needs=member("read")
)
def list_organization_integrations_status(call: Call, organization: OrganizationRow, query: StatusQuery) -> RowsOf:
    """List the status of each integration installed on an organization, its spaces or its sites."""
    resource = STATUSES[query.target]
    return RowsOf(resource, [resource.row.within(organization.id)])


@placements.list(f"GET {SPACE.path}/integrations", INTEGRATION, needs=member("read"))
def list_space_integrations(call: Call, space: SpaceRow, query: SearchQuery) -> Conditions:
    """List the integrations installed on a space."""
    return searching.integrations_on_space(space, query.search)


def _extend(call: Call, kind: Literal["space", "site"], extended: bool) -> None:
    """Show whole spaces or sites where a query asks for them; a script needs the scope to see them."""
    if extended:
        require_scope(
            call, f"whole {kind}s (`extended`)", "space:metadata:read" if kind == "space" else "site:metadata:read"
        )
        call.extended = True


def _content(call: Call, installation: InstallationRow, table: Any, content_id: str, word: str) -> Any:
    """Find a space or site of the installed organization; raises NotFound."""
    by = {"id": content_id, "organization_id": installation.organization_id, "deleted_at": None}
    row = rows.find(call.session, HOST, table, **by)
    if row is None:
        raise errors.NotFound(f"There is no {word} `{content_id[:60]}` in the organization of this installation.")
    return row


def _uninstall(
    call: Call, installation: InstallationRow, part: SpaceInstallationRow | SiteInstallationRow | None
) -> None:
    if part is None:
        call.status = 204
    else:
        installing.uninstall_part(call.session, installation, part)
