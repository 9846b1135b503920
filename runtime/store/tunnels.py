"""Tunnels and their leases: development mode must not outlive the developer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import reaches
from runtime.store import membership, rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.tunnels import TunnelRow

LeaseState = Literal["elsewhere", "leased", "lapsed"]


def lease(
    session: Session, organization_id: str, user_id: str, name: str, address: Callable[[str], str], seconds: float
) -> TunnelRow:
    """Find or make a user's tunnel of this name, and lease it for some seconds from now.

    `address` gives the address of a tunnel by its id: that of the machine which holds the developer's stream.
    """
    by = {"organization_id": organization_id, "user_id": user_id, "name": name}
    until = now() + timedelta(seconds=seconds)
    row = rows.find(session, HOST, TunnelRow, **by)
    if row is None:
        fresh = TunnelRow(id=new_id(), url="", leased_until=until, **by)
        try:
            with session.begin_nested():
                session.add(fresh)
            row = fresh
        except IntegrityError:
            row = rows.find(session, HOST, TunnelRow, **by)  # the same user asked twice at once
            if row is None:
                raise
    row.url, row.leased_until, row.lease_seconds = address(row.id), until, seconds
    session.flush()
    return row


def lease_state(session: Session, integration: IntegrationRow) -> LeaseState:
    """Return whether the tunnel of an integration is leased; `elsewhere` is an address that no tunnel of ours has.

    It has lapsed, whatever the lease says, once the holder of the tunnel, or who named an address elsewhere, is not an
    administrator of who owns the integration: development mode would show them what they may not read any more.
    """
    tunnel = session.execute(
        select(TunnelRow.leased_until, TunnelRow.user_id).where(TunnelRow.url == integration.tunnel_url)
    ).first()
    if tunnel is None:
        return "elsewhere" if _is_admin(session, integration.tunnel_by, integration.organization_id) else "lapsed"
    fit = tunnel.leased_until > now() and _is_admin(session, tunnel.user_id, integration.organization_id)
    return "leased" if fit else "lapsed"


def may_develop(session: Session, url: str, organization_id: str) -> bool:
    """Return whether who holds a tunnel is an administrator of an organization; addresses elsewhere have no holder."""
    holder = session.scalar(select(TunnelRow.user_id).where(TunnelRow.url == url))
    return holder is None or _is_admin(session, holder, organization_id)


def _is_admin(session: Session, user_id: str | None, organization_id: str) -> bool:
    if user_id is None:
        return False
    there = membership.enabled(session, user_id=user_id, organization_id=organization_id)
    return any(reaches(member.role, "admin") for member in there)


def holder(session: Session, tunnel_id: str) -> str | None:
    """Return the organization that holds the lease of a tunnel, None where nobody does."""
    query = select(TunnelRow.organization_id).where(TunnelRow.id == tunnel_id, TunnelRow.leased_until > now())
    return session.scalar(query)


def end(session: Session, row: TunnelRow) -> None:
    """End a lease, and the development mode of every integration whose events went there."""
    row.leased_until = now()
    end_development(session, row.url)


def end_development(session: Session, url: str) -> None:
    """Turn off the development mode of all integrations whose events go to an address."""
    _turn_off(session, IntegrationRow.tunnel_url == url)


def end_development_by(session: Session, user_id: str, organization_id: str) -> None:
    """Turn off what somebody turned on who is no longer an administrator of an organization."""
    _turn_off(session, IntegrationRow.organization_id == organization_id, IntegrationRow.tunnel_by == user_id)


def _turn_off(session: Session, *which: ColumnElement[bool]) -> None:
    session.execute(
        update(IntegrationRow)
        .where(*which)
        .values(tunnel_url=None, tunnel_all=False, tunnel_by=None)
        .execution_options(synchronize_session=False)
    )
