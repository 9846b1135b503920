"""Invites by e-mail: those that are due, how many were sent, and the members behind addresses."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from runtime.store.tables.invites import EmailInviteRow, InviteEmailRow
from runtime.store.tables.organizations import MemberRow, UserRow


def members_with(session: Session, organization_id: str, addresses: Iterable[str]) -> dict[str, str]:
    """Find the members who have these addresses, written in lower case: address -> the person's id."""
    address = func.lower(UserRow.email)
    query = (
        select(address, UserRow.id)
        .join(MemberRow, MemberRow.user_id == UserRow.id)
        .where(MemberRow.organization_id == organization_id, address.in_(set(addresses)))
    )
    return dict(session.execute(query).all())


def withdraw_to(session: Session, organization_id: str, user_id: str) -> None:
    """Withdraw the invites by e-mail to the address of a person: a later decision about them holds instead."""
    address = select(func.lower(UserRow.email)).where(UserRow.id == user_id).scalar_subquery()
    to_them = delete(EmailInviteRow).where(
        EmailInviteRow.organization_id == organization_id, EmailInviteRow.email == address
    )
    session.execute(to_them)


def due(session: Session, moment: datetime, limit: int) -> list[EmailInviteRow]:
    """List invites whose e-mail is due: of each organization the one that waits longest, then the next of each."""
    row = EmailInviteRow
    turn = func.row_number().over(partition_by=row.organization_id, order_by=row.send_at).label("turn")
    waiting = select(row.id, turn).where(row.send_at <= moment).subquery()
    query = select(row).join(waiting, waiting.c.id == row.id).order_by(waiting.c.turn, row.send_at)
    return list(session.scalars(query.limit(limit)))


def mailed_often(
    session: Session, sent: ColumnElement[bool], addresses: Iterable[str], moment: datetime, most: int
) -> str | None:
    """Find one of the addresses to which so many of the e-mails that match `sent` went and still count."""
    row = InviteEmailRow
    query = select(row.email).where(sent, row.expires_at > moment, row.email.in_(list(addresses)))
    return session.scalar(query.group_by(row.email).having(func.count() >= most).limit(1))


def claim(session: Session, row: EmailInviteRow, until: datetime) -> bool:
    """Claim the sending of one e-mail until a given time; returns False if another process has."""
    mine = update(EmailInviteRow).where(EmailInviteRow.id == row.id, EmailInviteRow.send_at == row.send_at)
    taken = session.execute(mine.values(send_at=until, attempts=EmailInviteRow.attempts + 1))
    return bool(taken.rowcount == 1)  # type: ignore[attr-defined]


def note_sent(session: Session, invite_id: str, claimed_until: datetime, again_at: datetime | None) -> None:
    """Note that an e-mail was sent, or when to try again, unless it was replaced or claimed by another meanwhile."""
    mine = update(EmailInviteRow).where(EmailInviteRow.id == invite_id, EmailInviteRow.send_at == claimed_until)
    session.execute(mine.values(send_at=again_at))
