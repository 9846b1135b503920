"""Path parameters -> rows the actor may see: what is missing, deleted or somebody else's answers 404, all alike."""

from __future__ import annotations

from collections.abc import Callable

from runtime.api.call import Call
from runtime.contract import errors
from runtime.store import rows
from runtime.store.database import Table
from runtime.store.rows import HOST, find
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow, TokenRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.tunnels import TunnelRow

WHAT = {
    "organizationId": "organization",
    "spaceId": "space",
    "siteId": "site",
    "integrationName": "integration",
    "installationId": "installation",
    "eventId": "event",
    "tunnelId": "tunnel",
    "tokenId": "token",
}


def resolve(call: Call, parameters: tuple[str, ...], missing: frozenset[str]) -> None:
    """Load what a path names, from left to right; raises NotFound unless the parameter is in `missing`."""
    for name in parameters:
        value = call.path[name]
        row = _RESOLVERS[name](call, value) if "\x00" not in value and len(value) <= 200 else None
        if row is None and name not in missing:
            raise errors.NotFound(f"There is no {WHAT[name]} `{value[:60]}`, or this token may not see it.")


def _organization(call: Call, value: str) -> Table | None:
    call.objects.organization = find(call.session, call.actor.reach, OrganizationRow, id=value)
    return call.objects.organization


def _space(call: Call, value: str) -> Table | None:
    if call.objects.installation is not None:
        part = find(
            call.session,
            call.actor.reach,
            SpaceInstallationRow,
            installation_id=call.objects.installation.id,
            space_id=value,
        )
        call.objects.space_installation = part
        return part
    call.objects.space = find(call.session, call.actor.reach, SpaceRow, id=value)
    return call.objects.space


def _site(call: Call, value: str) -> Table | None:
    if call.objects.installation is not None:
        part = find(
            call.session,
            call.actor.reach,
            SiteInstallationRow,
            installation_id=call.objects.installation.id,
            site_id=value,
        )
        call.objects.site_installation = part
        return part
    by = {"organization_id": call.objects.organization.id} if call.objects.organization else {}
    call.objects.site = find(call.session, call.actor.reach, SiteRow, id=value, **by)
    return call.objects.site


def _integration(call: Call, value: str) -> Table | None:
    # Publishing and unpublishing must know a name that is taken even where its owner is hidden.
    call.objects.integration = find(call.session, call.actor.reach, IntegrationRow, name=value)
    return call.objects.integration


def _installation(call: Call, value: str) -> Table | None:
    call.objects.installation = find(
        call.session, call.actor.reach, InstallationRow, id=value, integration_id=call.integration.id
    )
    return call.objects.installation


def _event(call: Call, value: str) -> Table | None:
    call.objects.event = find(call.session, call.actor.reach, EventRow, id=value, integration_id=call.integration.id)
    return call.objects.event


def _tunnel(call: Call, value: str) -> Table | None:
    by = {"organization_id": call.organization.id}
    call.objects.tunnel = find(call.session, call.actor.reach, TunnelRow, id=value, **by)
    return call.objects.tunnel


def _token(call: Call, value: str) -> Table | None:
    call.objects.token = find(call.session, call.actor.reach, TokenRow, id=value)
    return call.objects.token


def name_taken(call: Call, name: str) -> IntegrationRow | None:
    """Find whoever holds an integration name, seen or not."""
    return rows.find(call.session, HOST, IntegrationRow, name=name)


_RESOLVERS: dict[str, Callable[[Call, str], Table | None]] = {
    "organizationId": _organization,
    "spaceId": _space,
    "siteId": _site,
    "integrationName": _integration,
    "installationId": _installation,
    "eventId": _event,
    "tunnelId": _tunnel,
    "tokenId": _token,
}
"""Path parameter -> how it is found; a new parameter is a row here."""
