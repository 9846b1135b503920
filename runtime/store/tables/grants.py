"""Grants to people and teams on spaces and collections."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ColumnElement, ForeignKey, ForeignKeyConstraint, Index, String, false
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import Role
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import ORGANIZATION, EpochRules
from runtime.store.reach import Reach


class GrantRow(Table):
    """A level that a member or a team has on a space or a collection, and on all that is inside.

    It names one of each pair, and goes with either: with the space, the team, or the membership in the organization.
    """

    __tablename__ = "grants"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "user_id"], ["members.organization_id", "members.user_id"], ondelete="CASCADE"
        ),
        Index("grants_person_on_space", "space_id", "user_id", unique=True),
        Index("grants_team_on_space", "space_id", "team_id", unique=True),
        Index("grants_person_on_collection", "collection_id", "user_id", unique=True),
        Index("grants_team_on_collection", "collection_id", "team_id", unique=True),
        Index("grants_of_person", "user_id", "organization_id"),
        Index("grants_on_space", "space_id", "created_at", "id"),
        Index("grants_on_collection", "collection_id", "created_at", "id"),
    )
    taken: ClassVar[str] = "Somebody granted access to the same person or team concurrently; check who has access."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), frozenset(("created_at",)))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    space_id: Mapped[str | None] = mapped_column(ForeignKey("spaces.id", ondelete="CASCADE"))
    collection_id: Mapped[str | None] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"))
    user_id: Mapped[str | None] = mapped_column(String(20))
    team_id: Mapped[str | None] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
    role: Mapped[Role] = mapped_column(String(10))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """People of the organization; each operation finds the space or collection first, and asks for its `admin`."""
        return cls.organization_id.in_({place for place, _ in reach.roles}) if reach.kind == "user" else false()
