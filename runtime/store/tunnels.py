"""Tunnels and their leases: development mode must not outlive the developer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import reaches
from runtime.store import rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import MemberRow
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


def standing(session: Session, url: str) -> LeaseState:
    """Return how it stands with the address events are to go to; `elsewhere` are addresses no tunnel of ours has.

    A lease is worth nothing, either, once its holder is not an administrator of who owns an integration whose events go
    there: development mode would show them what they may not read any more.
    """
    until = session.scalar(select(TunnelRow.leased_until).where(TunnelRow.url == url))
    if until is None:
        return "elsewhere"
    owners = session.scalars(select(IntegrationRow.organization_id).where(IntegrationRow.tunnel_url == url))
    fit = until > now() and all(may_develop(session, url, owner) for owner in owners)
    return "leased" if fit else "lapsed"


def may_develop(session: Session, url: str, organization_id: str) -> bool:
    """Return whether who holds a tunnel is an administrator of an organization; addresses elsewhere are nobody's."""
    holder = session.scalar(select(TunnelRow.user_id).where(TunnelRow.url == url))
    if holder is None:
        return True
    member = rows.find(session, HOST, MemberRow, user_id=holder, organization_id=organization_id)
    return member is not None and reaches(member.role, "admin")


def holder(session: Session, tunnel_id: str) -> str | None:
    """Return the organization that holds the lease of a tunnel, None where nobody does."""
    query = select(TunnelRow.organization_id).where(TunnelRow.id == tunnel_id, TunnelRow.leased_until > now())
    return session.scalar(query)


def end(session: Session, row: TunnelRow) -> None:
    """End a lease, and the development mode of every integration whose events went there."""
    row.leased_until = now()
    end_development(session, row.url)


def end_development(session: Session, url: str) -> None:
    """Turn off the development mode that points at an address."""
    session.execute(
        update(IntegrationRow)
        .where(IntegrationRow.tunnel_url == url)
        .values(tunnel_url=None, tunnel_all=False)
        .execution_options(synchronize_session=False)
    )
