"""Installations of integrations on organisations, spaces and sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from runtime.api.call import Call, refusal
from runtime.api.families.integrations import shown_integrations
from runtime.api.operation import Family
from runtime.api.permission import INTEGRATION_ONLY, INTEGRATION_OR_INSTALLATION, USER, member, own
from runtime.api.permitting import permit_more
from runtime.contract import errors
from runtime.contract.base import ListOf
from runtime.contract.installations import (
    ExtendedListQuery,
    ExtendedPageQuery,
    ExtendedQuery,
    Installation,
    InstallationQuery,
    InstallationStatus,
    InstalledIntegration,
    InstallIntegration,
    InstallOnSite,
    InstallOnSpace,
    OrganizationInstallation,
    SearchQuery,
    SiteInstallation,
    SpaceInstallation,
    StatusQuery,
    TemporaryToken,
    UpdateInstallation,
    UpdatePart,
)
from runtime.contract.integrations import Integration, IntegrationQuery
from runtime.contract.organizations import reaches
from runtime.dispatch import objects
from runtime.services import installing
from runtime.store import installed, rows, searching, tokens
from runtime.store.rows import HOST
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

installations = Family("Installations")

BASE = "/v1/integrations/{integrationName}/installations"
ONE = BASE + "/{installationId}"
P = TypeVar("P", SpaceInstallationRow, SiteInstallationRow)
READERS = own(member("read"))
WRITERS = own(member("admin"))
WHERE = (
    "People decide where an integration is installed: ask an administrator of the organization. The integration itself "
    "may change configuration, external ids and status of what they installed."
)
INSTALLERS = member("admin", instead=WHERE)
"""Who decides where an integration acts: a script's token never does."""


@installations.operation(f"GET {BASE}", ListOf[Installation], needs=INTEGRATION_OR_INSTALLATION)
def list_integration_installations(call: Call, query: InstallationQuery) -> ListOf[Installation]:
    """List the installations of an integration."""
    conditions = [InstallationRow.integration_id == call.integration.id]
    if query.external_id is not None:
        conditions.append(installed.known_as(InstallationRow, query.external_id))

    def show(found: Sequence[InstallationRow]) -> list[Installation]:
        return shown_installations(call, found)

    return call.page(InstallationRow, query, show, *conditions)


@installations.operation(f"POST {BASE}", Installation, needs=USER, status=201)
def install_integration(call: Call, body: InstallIntegration) -> Installation:
    """Install an integration on an organization."""
    organization = rows.find(call.session, call.actor.reach, OrganizationRow, id=body.organization)
    if organization is None:
        raise errors.NotFound(f"There is no organization `{body.organization[:60]}`, or this token may not see it.")
    call.require_role("admin", organization.id)
    row = installing.install(call.session, call.integration, organization.id)
    shown = shown_installations(call, [row])[0]
    call.location = shown.urls.location
    return shown


@installations.operation(f"GET {ONE}", Installation, needs=READERS)
def get_integration_installation_by_id(call: Call) -> Installation:
    """Get an installation."""
    return shown_installations(call, [call.installation])[0]


@installations.operation(f"PATCH {ONE}", Installation, needs=WRITERS)
def update_integration_installation(call: Call, body: UpdateInstallation) -> Installation:
    """Change an installation; its configuration is replaced as a whole."""
    row = call.installation
    for kind, wanted in (("space", body.space_selection), ("site", body.site_selection)):
        if not isinstance(wanted, str):
            continue
        if call.actor.kind != "user":
            needed = "a user token with the role `admin` to change a selection"
            raise errors.Forbidden(f"{refusal(call.actor, needed)} {WHERE}")
        setattr(row, f"{kind}_selection", wanted)
        if wanted == "all":
            installing.select_all(call.session, call.integration, row, "space" if kind == "space" else "site")
    _update(call, row, "account", body)
    return shown_installations(call, [row])[0]


@installations.operation(f"DELETE {ONE}", needs=INSTALLERS, status=205, missing="installationId")
def uninstall_integration(call: Call) -> None:
    """Uninstall an integration from an organization, with all its spaces and sites."""
    if call.objects.installation is None:
        call.status = 204
        return
    installing.uninstall(call.session, call.objects.installation)


@installations.operation(f"POST {ONE}/tokens", TemporaryToken, needs=INTEGRATION_ONLY)
def create_integration_installation_token(call: Call) -> TemporaryToken:
    """Make a token that acts as an installation, for one hour."""
    row, scopes = call.installation, call.integration.manifest["scopes"]
    return TemporaryToken(token=tokens.sign(call.integration.id, row.id, row.organization_id, scopes))


@installations.operation(f"POST {ONE}/spaces", SpaceInstallation, needs=INSTALLERS, status=201)
def install_integration_on_space(call: Call, body: InstallOnSpace, query: ExtendedQuery) -> SpaceInstallation:
    """Install an integration on a space."""
    space = _content(call, SpaceRow, body.space)
    row = installing.install_on_space(call.session, call.integration, call.installation, space)
    shown = _space_parts(call, query.extended)([row])[0]
    call.location = shown.urls.location
    return shown


@installations.operation(f"GET {ONE}/spaces", ListOf[SpaceInstallation], needs=READERS)
def list_integration_installation_spaces(call: Call, query: ExtendedPageQuery) -> ListOf[SpaceInstallation]:
    """List the spaces an installation is installed on."""
    of = SpaceInstallationRow.installation_id == call.installation.id
    return call.page(SpaceInstallationRow, query, _space_parts(call, query.extended), of)


@installations.operation(f"GET {ONE}/spaces/{{spaceId}}", SpaceInstallation, needs=READERS)
def get_integration_space_installation(call: Call, query: ExtendedQuery) -> SpaceInstallation:
    """Get an installation on a space."""
    return _space_parts(call, query.extended)([_part(call.objects.space_installation)])[0]


@installations.operation(f"PATCH {ONE}/spaces/{{spaceId}}", SpaceInstallation, needs=WRITERS)
def update_integration_space_installation(call: Call, body: UpdatePart, query: ExtendedQuery) -> SpaceInstallation:
    """Change an installation on a space; its configuration is replaced as a whole."""
    row = _part(call.objects.space_installation)
    _update(call, row, "space", body)
    return _space_parts(call, query.extended)([row])[0]


@installations.operation(f"DELETE {ONE}/spaces/{{spaceId}}", needs=INSTALLERS, status=205, missing="spaceId")
def uninstall_integration_from_space(call: Call) -> None:
    """Uninstall an integration from a space."""
    _uninstall_part(call, call.objects.space_installation)


@installations.operation(f"POST {ONE}/sites", SiteInstallation, needs=INSTALLERS, status=201)
def install_integration_on_site(call: Call, body: InstallOnSite, query: ExtendedQuery) -> SiteInstallation:
    """Install an integration on a site."""
    site = _content(call, SiteRow, body.site_id)
    row = installing.install_on_site(call.session, call.integration, call.installation, site)
    shown = _site_parts(call, query.extended)([row])[0]
    call.location = shown.urls.location
    return shown


@installations.operation(f"GET {ONE}/sites", ListOf[SiteInstallation], needs=READERS)
def list_integration_installation_sites(call: Call, query: ExtendedPageQuery) -> ListOf[SiteInstallation]:
    """List the sites an installation is installed on."""
    of = SiteInstallationRow.installation_id == call.installation.id
    return call.page(SiteInstallationRow, query, _site_parts(call, query.extended), of)


@installations.operation(f"GET {ONE}/sites/{{siteId}}", SiteInstallation, needs=READERS)
def get_integration_site_installation(call: Call, query: ExtendedQuery) -> SiteInstallation:
    """Get an installation on a site."""
    return _site_parts(call, query.extended)([_part(call.objects.site_installation)])[0]


@installations.operation(f"PATCH {ONE}/sites/{{siteId}}", SiteInstallation, needs=WRITERS)
def update_integration_site_installation(call: Call, body: UpdatePart, query: ExtendedQuery) -> SiteInstallation:
    """Change an installation on a site; its configuration is replaced as a whole."""
    row = _part(call.objects.site_installation)
    _update(call, row, "site", body)
    return _site_parts(call, query.extended)([row])[0]


@installations.operation(f"DELETE {ONE}/sites/{{siteId}}", needs=INSTALLERS, status=205, missing="siteId")
def uninstall_integration_from_site(call: Call) -> None:
    """Uninstall an integration from a site."""
    _uninstall_part(call, call.objects.site_installation)


@installations.operation(
    "GET /v1/integrations/{integrationName}/spaces", ListOf[SpaceInstallation], needs=INTEGRATION_OR_INSTALLATION
)
def list_integration_space_installations(call: Call, query: ExtendedListQuery) -> ListOf[SpaceInstallation]:
    """List all spaces an integration is installed on."""
    conditions = [] if query.external_id is None else [installed.known_as(SpaceInstallationRow, query.external_id)]
    return call.page(SpaceInstallationRow, query, _space_parts(call, query.extended), *conditions)


@installations.operation(
    "GET /v1/integrations/{integrationName}/sites", ListOf[SiteInstallation], needs=INTEGRATION_OR_INSTALLATION
)
def list_integration_site_installations(call: Call, query: ExtendedListQuery) -> ListOf[SiteInstallation]:
    """List all sites an integration is installed on."""
    conditions = [] if query.external_id is None else [installed.known_as(SiteInstallationRow, query.external_id)]
    return call.page(SiteInstallationRow, query, _site_parts(call, query.extended), *conditions)


@installations.operation("GET /v1/orgs/{organizationId}/integrations", ListOf[Integration], needs=member("read"))
def list_organization_integrations(call: Call, query: IntegrationQuery) -> ListOf[Integration]:
    """List the integrations an organization may install."""
    conditions = [searching.in_catalogue(call.organization.id), *searching.integrations(query)]
    return call.page(IntegrationRow, query, shown_integrations(call), *conditions)


@installations.operation(
    "GET /v1/orgs/{organizationId}/installations", ListOf[OrganizationInstallation], needs=member("read")
)
def list_organization_installations(call: Call, query: SearchQuery) -> ListOf[OrganizationInstallation]:
    """List what is installed on an organization."""

    def show(found: Sequence[InstallationRow]) -> list[OrganizationInstallation]:
        known = searching.names(call.session, {row.integration_id for row in found})
        shown = shown_integrations(call)([known[row.integration_id] for row in found])
        pairs = zip(shown, shown_installations(call, found), strict=True)
        return [OrganizationInstallation(integration=one, installation=other) for one, other in pairs]

    return call.page(InstallationRow, query, show, *searching.installations_in(call.organization.id, query.search))


@installations.operation(
    "GET /v1/orgs/{organizationId}/integrations/installations-status",
    ListOf[InstalledIntegration],
    needs=member("read"),
)
def list_organization_integrations_status(call: Call, query: StatusQuery) -> ListOf[InstalledIntegration]:
    """List the status of each integration installed on an organization, its spaces or its sites."""
    tables: dict[str, Any] = {
        "organization": InstallationRow,
        "space": SpaceInstallationRow,
        "site": SiteInstallationRow,
    }
    table = tables[query.target]

    def show(found: Sequence[Any]) -> list[InstalledIntegration]:
        parents = {
            row.id: row for row in rows.every(call.session, HOST, InstallationRow, organization_id=call.organization.id)
        }
        owners = [row if isinstance(row, InstallationRow) else parents[row.installation_id] for row in found]
        known = searching.names(call.session, {row.integration_id for row in owners})
        shown = shown_integrations(call)([known[row.integration_id] for row in owners])
        return [InstalledIntegration(status=row.status, integration=one) for row, one in zip(found, shown, strict=True)]

    return call.page(table, query, show, searching.within(table, call.organization.id))


@installations.operation(
    "GET /v1/orgs/{organizationId}/integrations/{integrationName}/installation_status",
    InstallationStatus,
    needs=member("read"),
)
def get_organization_integration_status(call: Call) -> InstallationStatus:
    """Get the status of an integration in an organization."""
    row = installed.covering_organization(call.session, call.integration.id, call.organization.id)
    if row is None:
        raise errors.NotFound(f"`{call.integration.name}` is not installed on this organization.")
    return InstallationStatus(status=row.status)  # type: ignore[arg-type]


@installations.operation("GET /v1/spaces/{spaceId}/integrations", ListOf[Integration], needs=member("read"))
def list_space_integrations(call: Call, query: SearchQuery) -> ListOf[Integration]:
    """List the integrations installed on a space."""
    conditions = searching.integrations_on_space(call.space, query.search)
    return call.page(IntegrationRow, query, shown_integrations(call), *conditions)


def shown_installations(call: Call, found: Sequence[InstallationRow]) -> list[Installation]:
    """Show installations; their configuration only to administrators and to the integration itself."""
    ids = [row.id for row in found]
    spaces, names = installed.count_spaces(call.session, ids), installed.external_ids(call.session, ids)
    known = searching.names(call.session, {row.integration_id for row in found})
    return [
        objects.installation_object(
            row,
            known[row.integration_id].name,
            call.host.addresses,
            spaces=spaces.get(row.id, 0),
            external_ids=names[row.id],
            reveal=_reveals(call, row.organization_id),
        )
        for row in found
    ]


def _reveals(call: Call, organization_id: str) -> bool:
    return call.actor.kind != "user" or reaches(call.actor.role_in(organization_id), "admin")


def _space_parts(call: Call, extended: bool) -> Callable[[Sequence[SpaceInstallationRow]], list[SpaceInstallation]]:
    """Give the function that shows installations on spaces; `extended` puts the space in place of its id."""

    if extended:
        permit_more(call, "whole spaces (`extended`)", "space:metadata:read")

    def show(found: Sequence[SpaceInstallationRow]) -> list[SpaceInstallation]:
        names, roles, reveal = _around(call, found)
        spaces = searching.contents(call.session, SpaceRow, {row.space_id for row in found} if extended else ())
        return [
            objects.space_installation_object(
                row,
                call.integration.name,
                call.host.addresses,
                external_ids=names[row.id],
                reveal=reveal[row.id],
                space=objects.space_object(spaces[row.space_id], call.host.addresses, roles[row.id])
                if extended
                else row.space_id,
            )
            for row in found
        ]

    return show


def _site_parts(call: Call, extended: bool) -> Callable[[Sequence[SiteInstallationRow]], list[SiteInstallation]]:
    """Give the function that shows installations on sites; `extended` puts the site in place of its id."""

    if extended:
        permit_more(call, "whole sites (`extended`)", "site:metadata:read")

    def show(found: Sequence[SiteInstallationRow]) -> list[SiteInstallation]:
        names, _, reveal = _around(call, found)
        ids = {row.site_id for row in found} if extended else set()
        sites, counts = (
            searching.contents(call.session, SiteRow, ids),
            installed.count_site_spaces(call.session, [*ids]),
        )
        return [
            objects.site_installation_object(
                row,
                call.integration.name,
                call.host.addresses,
                external_ids=names[row.id],
                reveal=reveal[row.id],
                site=objects.site_object(sites[row.site_id], call.host.addresses, counts.get(row.site_id, 0))
                if extended
                else row.site_id,
            )
            for row in found
        ]

    return show


def _around(
    call: Call, found: Sequence[SpaceInstallationRow | SiteInstallationRow]
) -> tuple[dict[str, list[str]], dict[str, str | None], dict[str, bool]]:
    """Give, for each row, its external ids, the actor's role where it is, and whether its configuration is shown."""
    parents = searching.contents(call.session, InstallationRow, {row.installation_id for row in found})
    owners = {row.id: parents[row.installation_id].organization_id for row in found}
    names = installed.external_ids(call.session, [row.id for row in found])
    roles = {place: call.actor.role_in(owner) for place, owner in owners.items()}
    return names, roles, {place: _reveals(call, owner) for place, owner in owners.items()}


def _update(call: Call, row: Any, kind: installing.Kind, body: UpdatePart) -> None:
    """Change an installation of any kind; what a person paused, no script's token resumes."""
    person = call.actor.kind == "user"
    if body.status == "active" and row.paused and row.paused_by_person and not person:
        needed = "a user token with the role `admin` to resume what a person paused"
        raise errors.Forbidden(f"{refusal(call.actor, needed)} {WHERE}")
    installing.update(call.session, call.integration, call.installation, row, kind, body, by_person=person)


def _part(row: P | None) -> P:
    if row is None:
        raise LookupError("this operation's path names no part of an installation")
    return row


def _content(call: Call, table: Any, content_id: str) -> Any:
    """Find a space or site of the installed organisation; raises NotFound."""
    organization_id = call.installation.organization_id
    row = rows.find(call.session, HOST, table, id=content_id, organization_id=organization_id, deleted_at=None)
    if row is None:
        what = "space" if table is SpaceRow else "site"
        raise errors.NotFound(f"There is no {what} `{content_id[:60]}` in the organization of this installation.")
    return row


def _uninstall_part(call: Call, part: Any) -> None:
    if part is None:
        call.status = 204
        return
    installing.uninstall_part(call.session, call.installation, part)
