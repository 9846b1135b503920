"""Tunnels: a public address of the host for a developer's machine (extension)."""

from __future__ import annotations

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.contract.organizations import Role
from runtime.contract.tunnels import OpenTunnel, Tunnel
from runtime.serializers import tunnels as serializers
from runtime.services import quotas
from runtime.store import rows
from runtime.store import tunnels as leases
from runtime.store.cursors import newest_first
from runtime.store.database import now
from runtime.store.reach import HOST
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.tunnels import TunnelRow

TUNNELLER: Role = "create"
"""The role that is needed for a tunnel."""

TUNNEL = Resource(
    "tunnel",
    TunnelRow,
    at="tunnels/{tunnelId}",
    within=ORGANIZATION,
    parent_column="organization_id",
    model=Tunnel,
    serialize=serializers.tunnels,
    order=newest_first(TunnelRow.created_at, TunnelRow.id),
)

MAX_TUNNELS = 100
FULL = "You have used {most} names for tunnels in this organization; use one of them again."

tunnels = Family("Tunnels", TUNNEL)


crud.list_of(tunnels, TUNNEL, "listTunnels", "List the caller's own tunnels (extension).", needs=member(TUNNELLER))


@tunnels.operation(f"POST {TUNNEL.collection}", TUNNEL, needs=member(TUNNELLER))
def open_tunnel(call: Call, organization: OrganizationRow, body: OpenTunnel) -> TunnelRow:
    """Open a tunnel, or renew its lease; its address is the same every time (extension)."""
    user = call.actor.reach.user_id or ""
    own = {"organization_id": organization.id, "user_id": user}
    if rows.find(call.session, HOST, TunnelRow, **own, name=body.name) is None:
        quotas.enforce(call.session, TunnelRow, MAX_TUNNELS, FULL, organization_id=organization.id, user_id=user)
    seconds = call.host.settings.tunnel_lease_seconds
    return leases.lease(call.session, organization.id, user, body.name, call.host.relay.address, seconds)


@tunnels.operation(f"DELETE {TUNNEL.path}", needs=member(TUNNELLER), status=205)
def close_tunnel(call: Call, tunnel: TunnelRow | None) -> None:
    """End the lease of a tunnel, and the development mode that uses it (extension)."""
    if tunnel is None or tunnel.leased_until <= now():
        call.status = 204
    if tunnel is not None:
        leases.end(call.session, tunnel)
