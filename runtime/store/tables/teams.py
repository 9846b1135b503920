"""Teams and who is in them."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import (
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    String,
    and_,
    case,
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.contract.teams import TeamRole
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import ORGANIZATION, EpochRules
from runtime.store.levels import SeenByMembers, number_of, role_level
from runtime.store.reach import Reach


class TeamRow(SeenByMembers, Table):
    __tablename__ = "teams"
    __table_args__ = (Index("teams_of_organization", "organization_id", "created_at", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), frozenset(("title", "created_at")))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """Administrators of the organization manage its teams, an owner their own; the others see them."""
        role = role_level(reach, cls.organization_id)
        owner = exists().where(
            TeamMemberRow.team_id == cls.id, TeamMemberRow.user_id == reach.user_id, TeamMemberRow.role == "owner"
        )
        manages = or_(role >= number_of("admin"), and_(role > 0, owner.correlate(cls)))
        return case((manages, number_of("admin")), (role > 0, number_of("read")), else_=0)


class TeamMemberRow(SeenByMembers, Table):
    """A member of a team, who leaves it with the organization."""

    __tablename__ = "team_members"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "user_id"], ["members.organization_id", "members.user_id"], ondelete="CASCADE"
        ),
        Index("team_members_of_person", "organization_id", "user_id"),
        Index("team_members_in_order", "team_id", "added_at", "user_id"),
    )
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), frozenset(("added_at",)))

    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(20), primary_key=True)
    organization_id: Mapped[str] = mapped_column(String(20))
    role: Mapped[TeamRole] = mapped_column(String(10), default="member")
    added_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The level on the team."""
        of = select(TeamRow.level_for(reach)).where(TeamRow.id == cls.team_id)
        return func.coalesce(of.scalar_subquery(), 0)
