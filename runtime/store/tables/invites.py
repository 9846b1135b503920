"""Invites into organizations."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from runtime.contract.identifiers import new_id
from runtime.contract.organizations import Role
from runtime.store.database import Table, UtcTime, now
from runtime.store.epoch_rules import NOT_KEPT, ORGANIZATION, EpochRules
from runtime.store.levels import SeenByMembers


class InviteLinkRow(SeenByMembers, Table):
    """A link into an organization: its id is all that whoever follows it needs."""

    __tablename__ = "invite_links"
    __table_args__ = (Index("invite_links_of_organization", "organization_id", "created_at", "id"),)
    epoch_rules: ClassVar[EpochRules | None] = EpochRules((ORGANIZATION,), frozenset(("created_at", "invited_by")))

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    role: Mapped[Role | None] = mapped_column(String(10))
    invited_by: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)


class EmailInviteRow(SeenByMembers, Table):
    """An invite to one address, of which there is one at a time in an organization.

    Whoever knows its id can accept it, so lists omit it; the address identifies the invite. Its operations are for
    administrators. `send_at` is when to send the e-mail, null if none is to be sent (any more).
    """

    __tablename__ = "email_invites"
    __table_args__ = (
        UniqueConstraint("organization_id", "email", name="one_invite_for_an_address"),
        Index("email_invites_due", "send_at"),
        Index("email_invites_of_organization", "organization_id", "created_at", "id"),
    )
    taken: ClassVar[str] = "Somebody else invited the same address concurrently; try again."
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    email: Mapped[str] = mapped_column(String(254))
    role: Mapped[Role | None] = mapped_column(String(10))
    sso: Mapped[bool] = mapped_column(default=False)
    invited_by: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime, default=now)
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    attempts: Mapped[int] = mapped_column(default=0)
    send_at: Mapped[datetime | None] = mapped_column(UtcTime)


class InviteEmailRow(Table):
    """An e-mail with an invite: counted until `expires_at`, for who had it sent, whatever becomes of the invite."""

    __tablename__ = "invite_emails"
    __table_args__ = (
        Index("invite_emails_of_organization", "organization_id", "expires_at"),
        Index("invite_emails_of_person", "user_id", "expires_at"),
        Index("invite_emails_over", "expires_at"),
    )
    epoch_rules: ClassVar[EpochRules | None] = NOT_KEPT

    id: Mapped[str] = mapped_column(String(20), primary_key=True, default=new_id)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    email: Mapped[str] = mapped_column(String(254))
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
