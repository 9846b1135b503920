"""Tunnels to developers' machines."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now


class TunnelRow(Table):
    """A tunnel of one user; `id` is in its address, which nobody can guess, and stays the same for a name.

    Nothing is derived from the lease, so renewing it moves no epoch.
    """

    __tablename__ = "tunnels"
    __table_args__ = (UniqueConstraint("organization_id", "user_id", "name"),)

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    url: Mapped[str] = mapped_column(String(256), index=True)
    leased_until: Mapped[datetime] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
