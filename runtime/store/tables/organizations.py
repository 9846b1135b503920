"""Organizations, users, members and their tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Literal

from sqlalchemy import JSON, ColumnElement, ForeignKey, Index, LargeBinary, String, and_, false, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import Role
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import EVERYBODY, ORGANIZATION, USER, EpochRules, Of
from runtime.store.levels import SeenByMembers, role_level
from runtime.store.reach import Reach
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow


class OrganizationRow(Table):
    __tablename__ = "organizations"
    taken: ClassVar[str] = "The hostname of this organization is taken; choose another one."
    # Scripts see the owner of their integration in their environment, title and all, wherever it is installed.
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (Of("id"), Of("id", face=True)),
        frozenset(("created_at",)),
        rests_on=(Of("id", face=True),),
        going=(EVERYBODY,),  # with its integrations, which are installed anywhere
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    title: Mapped[str] = mapped_column(String(255))
    hostname: Mapped[str | None] = mapped_column(String(32), unique=True)
    type: Mapped[str] = mapped_column(String(20), default="business")
    default_role: Mapped[str | None] = mapped_column(String(10), default="read")
    default_content: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    email_domains: Mapped[list[str]] = mapped_column(JSON, default=list)
    logo: Mapped[str | None] = mapped_column(String(2048))
    sso: Mapped[bool] = mapped_column(default=False)
    ai: Mapped[bool] = mapped_column(default=False)
    invite_links: Mapped[bool] = mapped_column(default=False)
    merge_rules: Mapped[dict[str, Any]] = mapped_column(JSON, default=lambda: {"type": "none"})
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Members and guests see it; scripts where they are installed, integrations also their owner; visitors one."""
        if reach.kind == "user":
            return cls.id.in_({*reach.organizations, *reach.guest_of})
        if reach.kind == "visitor":
            return cls.id == reach.home_id
        alive = select(InstallationRow.organization_id).where(InstallationRow.deleted_at.is_(None))
        if reach.kind == "installation":
            return cls.id.in_(alive.where(InstallationRow.id == reach.installation_id))
        owner = select(IntegrationRow.organization_id).where(IntegrationRow.id == reach.integration_id)
        return or_(cls.id.in_(alive.where(InstallationRow.integration_id == reach.integration_id)), cls.id.in_(owner))

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """A person's role."""
        return role_level(reach, cls.id)


class UserRow(Table):
    __tablename__ = "users"
    taken: ClassVar[str] = "A user with this e-mail address already exists."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (Of("id"),),
        frozenset(("display_name", "email", "created_at")),
        going=(EVERYBODY,),  # with memberships anywhere
    )

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    display_name: Mapped[str] = mapped_column(String(100))
    email: Mapped[str] = mapped_column(String(320), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """People see themselves and who shares an organization with them; visitors the members of the site's."""
        if reach.kind == "visitor":
            return cls.id.in_(select(MemberRow.user_id).where(MemberRow.organization_id == reach.home_id))
        if reach.kind != "user":
            return false()
        shared = select(MemberRow.user_id).where(MemberRow.organization_id.in_(reach.organizations))
        return or_(cls.id == reach.user_id, cls.id.in_(shared))


class MemberRow(SeenByMembers, Table):
    __tablename__ = "members"
    __table_args__ = (
        Index("members_joined", "organization_id", "joined_at", "user_id"),
        Index("members_seen", "organization_id", "last_seen_at", "user_id"),
    )
    taken: ClassVar[str] = "This user is already a member of the organization."
    epoch_rules: ClassVar[EpochRules | None] = EpochRules(
        (ORGANIZATION, USER), frozenset(("joined_at", "last_seen_at"))
    )

    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[Role | None] = mapped_column(String(10))
    joined_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    last_seen_at: Mapped[datetime | None] = mapped_column(UtcTime)
    sso: Mapped[bool] = mapped_column(default=False)
    provisioned: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether single sign-on created the membership; unlike `sso`, members cannot set it themselves."""
    disabled: Mapped[bool] = mapped_column(default=False)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Members of the organization, and guests their own membership."""
        seen = super().visible_to(reach)
        own = and_(cls.organization_id.in_(reach.guest_of), cls.user_id == reach.user_id)
        return or_(seen, own) if reach.guest_of else seen


class TokenRow(Table):
    """A personal token, or the session of somebody who signed in with a browser: only its SHA-256 is kept.

    A session is not a token: the API does not accept it as one. With an organization it is void in others: what an
    identity provider of one says of a person is not for the others to believe. `parent_id` is the token that a session
    began with, and ends with. Without `sso` it shows no organization that requires single sign-on: a session that began
    elsewhere than at an identity provider, and a token that was made with such a session.
    """

    __tablename__ = "tokens"
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((USER,), frozenset(("created_at", "title")))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    title: Mapped[str | None] = mapped_column(String(100))
    expires_at: Mapped[datetime | None] = mapped_column(UtcTime, index=True)
    kind: Mapped[Literal["token", "session"]] = mapped_column(String(10), default="token")
    organization_id: Mapped[str | None] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"), index=True)
    sso: Mapped[bool] = mapped_column(default=True)
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), index=True)

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """A token is its owner's business alone; who came with one of an organization knows of others like it."""
        if reach.kind != "user":
            return false()
        own = cls.user_id == reach.user_id
        return own if reach.bound_to is None else and_(own, cls.organization_id == reach.bound_to)
