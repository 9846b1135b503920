"""Tunnels to developers' machines."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ColumnElement, Float, ForeignKey, String, UniqueConstraint, and_, false
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import ORGANIZATION, USER, EpochRules
from runtime.store.levels import role_level
from runtime.store.reach import Reach


class TunnelRow(Table):
    """A tunnel of one user; `id` is in its address, which nobody can guess, and stays the same for a name.

    Nothing is derived from the lease, so renewing it moves no epoch.
    """

    __tablename__ = "tunnels"
    __table_args__ = (UniqueConstraint("organization_id", "user_id", "name"),)
    taken: ClassVar[str] = "A tunnel of this name was opened concurrently; try again."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (ORGANIZATION,), frozenset(("leased_until", "lease_seconds", "created_at")), rests_on=(ORGANIZATION, USER)
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(String(100))
    url: Mapped[str] = mapped_column(String(256), index=True)
    leased_until: Mapped[datetime] = mapped_column(UtcTime)
    lease_seconds: Mapped[float] = mapped_column(Float, default=0.0)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """A tunnel leads to one person's machine: nobody else sees it."""
        if reach.kind != "user":
            return false()
        return and_(cls.user_id == reach.user_id, cls.organization_id.in_(reach.organizations))

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The person's role in the organization."""
        return role_level(reach, cls.organization_id)
