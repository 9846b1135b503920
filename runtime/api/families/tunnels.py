"""Tunnels: a public address of the host for a developer's machine (extension)."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.contract.base import ListOf, ListQuery
from runtime.contract.organizations import Role
from runtime.contract.tunnels import OpenTunnel, Tunnel
from runtime.store import tunnels as leases
from runtime.store.database import now
from runtime.store.tables.tunnels import TunnelRow

tunnels = Family("Tunnels")

TUNNELLER: Role = "create"
"""The role without which nobody has a tunnel."""
TUNNELS = "/v1/orgs/{organizationId}/tunnels"


def _shown(call: Call, row: TunnelRow) -> Tunnel:
    at = call.host.addresses
    return Tunnel(
        id=row.id,
        name=row.name,
        url=row.url,
        stream=at.api("tunnels", row.id, "stream"),
        answers=at.api("tunnels", row.id, "answers"),
        leased_until=row.leased_until,
        lease_seconds=call.host.settings.tunnel_lease_seconds,
    )


@tunnels.operation(f"GET {TUNNELS}", ListOf[Tunnel], needs=member(TUNNELLER))
def list_tunnels(call: Call, query: ListQuery) -> ListOf[Tunnel]:
    """List the caller's own tunnels (extension)."""

    def show(found: Sequence[TunnelRow]) -> list[Tunnel]:
        return [_shown(call, row) for row in found]

    return call.page(TunnelRow, query, show, TunnelRow.organization_id == call.organization.id)


@tunnels.operation(f"POST {TUNNELS}", Tunnel, needs=member(TUNNELLER))
def open_tunnel(call: Call, body: OpenTunnel) -> Tunnel:
    """Open a tunnel, or renew its lease; its address is the same every time (extension)."""
    user = call.actor.reach.user_id or ""
    seconds = call.host.settings.tunnel_lease_seconds
    row = leases.lease(call.session, call.organization.id, user, body.name, call.host.relay.address, seconds)
    return _shown(call, row)


@tunnels.operation(f"DELETE {TUNNELS}/{{tunnelId}}", needs=member(TUNNELLER), status=205, missing="tunnelId")
def close_tunnel(call: Call) -> None:
    """End the lease of a tunnel, and the development mode that uses it (extension)."""
    row = call.objects.tunnel
    if row is None or row.leased_until <= now():
        call.status = 204
    if row is not None:
        leases.end(call.session, row)
