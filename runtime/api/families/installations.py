"""Installations of integrations on organizations."""

from __future__ import annotations

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call, refusal
from runtime.api.families.integrations import INTEGRATION
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import INTEGRATION_ONLY, INTEGRATION_OR_INSTALLATION, USER, member, own
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.installations import (
    Installation,
    InstallationQuery,
    InstallationStatus,
    InstallIntegration,
    OrganizationInstallation,
    SearchQuery,
    TemporaryToken,
    UpdateInstallation,
    UpdatePart,
)
from runtime.contract.integrations import IntegrationQuery
from runtime.serializers import installations as serializers
from runtime.services import installing
from runtime.store import installed, organizations, searching, tokens
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.installations import Configured, InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow

INSTALLATION = Resource(
    "installation",
    InstallationRow,
    at="installations/{installationId}",
    within=INTEGRATION,
    parent_column="integration_id",
    model=Installation,
    serialize=serializers.installations,
    order=newest_first(InstallationRow.created_at, InstallationRow.id),
)

installations = Family("Installations", INSTALLATION)

READERS = own(member("read"))
WRITERS = own(member("admin"))
WHERE = (
    "People decide where an integration is installed: ask an administrator of the organization. The integration itself "
    "may change configuration, external ids and status of what they installed."
)
INSTALLERS = member("admin", instead=WHERE)
"""Permission to decide where an integration is installed: never for a script's token."""


@installations.list(f"GET {INSTALLATION.collection}", INSTALLATION, needs=INTEGRATION_OR_INSTALLATION)
def list_integration_installations(call: Call, integration: IntegrationRow, query: InstallationQuery) -> Conditions:
    """List the installations of an integration."""
    of = InstallationRow.integration_id == integration.id
    return [of] if query.external_id is None else [of, installed.known_as(InstallationRow, query.external_id)]


@installations.operation(f"POST {INSTALLATION.collection}", INSTALLATION, needs=USER, status=201)
def install_integration(call: Call, integration: IntegrationRow, body: InstallIntegration) -> InstallationRow:
    """Install an integration on an organization."""
    organization = organizations.named(call.session, call.actor.reach, body.organization)
    if organization is None:
        raise errors.not_seen(f"There is no organization `{body.organization[:60]}`")
    call.require("admin", organization, f"organization {organization.id}", call.session)
    return installing.install(call.session, integration, organization.id)


crud.get(installations, INSTALLATION, "getIntegrationInstallationById", "Get an installation.", needs=READERS)


@installations.operation(f"PATCH {INSTALLATION.path}", INSTALLATION, needs=WRITERS)
def update_integration_installation(
    call: Call, integration: IntegrationRow, installation: InstallationRow, body: UpdateInstallation
) -> InstallationRow:
    """Change an installation; its configuration is replaced as a whole."""
    for kind, selection in (("space", body.space_selection), ("site", body.site_selection)):
        if selection is MISSING:
            continue
        if call.actor.kind != "user":
            needed = "a user token with the role `admin` to change a selection"
            raise errors.Forbidden(f"{refusal(call.actor, needed)} {WHERE}")
        setattr(installation, f"{kind}_selection", selection)
        call.session.flush()  # the row is read again below, when nobody else can change it
        if selection == "all":
            installing.select_all(call.session, integration, installation, "space" if kind == "space" else "site")
    update_configured(call, integration, installation, installation, "account", body)
    return installation


crud.delete(
    installations,
    INSTALLATION,
    "uninstallIntegration",
    "Uninstall an integration from an organization, with all its spaces and sites.",
    needs=INSTALLERS,
    by=lambda call, row: installing.uninstall(call.session, row),
)


@installations.operation(f"POST {INSTALLATION.path}/tokens", TemporaryToken, needs=INTEGRATION_ONLY)
def create_integration_installation_token(
    call: Call, integration: IntegrationRow, installation: InstallationRow
) -> TemporaryToken:
    """Create a token that acts as an installation, for one hour."""
    scopes = integration.manifest["scopes"]
    return TemporaryToken(token=tokens.sign(integration.id, installation.id, installation.organization_id, scopes))


@installations.list(f"GET {ORGANIZATION.path}/integrations", INTEGRATION, needs=member("read"))
def list_organization_integrations(call: Call, organization: OrganizationRow, query: IntegrationQuery) -> Conditions:
    """List the integrations an organization may install."""
    return [searching.in_catalogue(organization.id), *searching.integrations(query)]


@installations.list(
    f"GET {ORGANIZATION.path}/installations",
    INSTALLATION.shown_as(
        OrganizationInstallation,
        serializers.organization_installations,
        beside=installed.length_of_integration(InstallationRow),
    ),
    needs=member("read"),
)
def list_organization_installations(call: Call, organization: OrganizationRow, query: SearchQuery) -> Conditions:
    """List what is installed on an organization."""
    return searching.installations_in(organization.id, query.search)


@installations.operation(
    f"GET {ORGANIZATION.path}/integrations/{{integrationName}}/installation_status",
    InstallationStatus,
    needs=member("read", on="organization"),
)
def get_organization_integration_status(
    call: Call, organization: OrganizationRow, integration: IntegrationRow
) -> InstallationStatus:
    """Get the status of an integration in an organization."""
    row = installed.covering_organization(call.session, integration.id, organization.id)
    if row is None:
        raise errors.NotFound(f"`{integration.name}` is not installed on this organization.")
    return InstallationStatus(status=row.status)  # type: ignore[arg-type]


def update_configured(
    call: Call,
    integration: IntegrationRow,
    installation: InstallationRow,
    row: Configured,
    kind: installing.TargetKind,
    body: UpdatePart,
) -> None:
    """Change an installation of any kind; a script's token cannot resume what a person paused."""
    person = call.actor.kind == "user"
    if body.status == "active" and row.paused and row.paused_by_person and not person:
        needed = "a user token with the role `admin` to resume what a person paused"
        raise errors.Forbidden(f"{refusal(call.actor, needed)} {WHERE}")
    installing.update(call.session, integration, installation, row, kind, body, by_person=person)
