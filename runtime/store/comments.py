"""Counts and filters of comments, and the reactions to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from runtime.contract.comments import CommentQuery
from runtime.store.content import sizes
from runtime.store.inserting import insert_into
from runtime.store.tables.comments import CommentReactionRow, CommentReplyRow, CommentRow
from runtime.store.tables.organizations import MemberRow

REACTION = 400
"""Characters of a reaction as it is shown: who reacted, and when."""


def size_of_replies(session: Session, comment_id: str) -> int:
    """Add up the bytes of the replies to a comment, as `size_of` counts them."""
    row = CommentReplyRow
    each = sizes.stored_bytes(session, row.document) + sizes.stored_bytes(session, row.markdown)
    return int(session.scalar(select(func.sum(each)).where(row.comment_id == comment_id)) or 0)


def size_of(row: CommentRow | CommentReplyRow) -> int:
    """Count the bytes of a comment or a reply, as they are stored."""
    return sizes.json_bytes(row.document) + len(row.markdown.encode())


def matching(place_id: str, query: CommentQuery) -> list[ColumnElement[bool]]:
    """Match the comments of a space or a change request that a query asks for."""
    conditions: list[ColumnElement[bool]] = [CommentRow.place_id == place_id]
    if query.status != "all":
        is_open = CommentRow.resolved_by_id.is_(None)
        conditions.append(is_open if query.status == "open" else ~is_open)
    if query.target_page is not None:
        conditions.append(CommentRow.page_id == query.target_page)
    if query.authors:
        conditions.append(CommentRow.user_id.in_(query.authors))
    return conditions


def commenters(organization_id: str, place_id: str) -> list[ColumnElement[bool]]:
    """Match the members who wrote a comment on a space or a change request."""
    wrote = select(CommentRow.user_id).where(CommentRow.place_id == place_id)
    return [MemberRow.organization_id == organization_id, MemberRow.user_id.in_(wrote)]


def open_counts(session: Session, place_ids: Iterable[str]) -> dict[str, int]:
    """Count the open comments of spaces or change requests, in one query."""
    query = (
        select(CommentRow.place_id, func.count())
        .where(CommentRow.place_id.in_(list(place_ids)), CommentRow.resolved_by_id.is_(None))
        .group_by(CommentRow.place_id)
    )
    return dict(session.execute(query).all())


def reply_counts(session: Session, comment_ids: Iterable[str]) -> dict[str, int]:
    """Count the replies to comments, in one query."""
    of = CommentReplyRow.comment_id
    query = select(of, func.count()).where(of.in_(list(comment_ids))).group_by(of)
    return dict(session.execute(query).all())


def reactions(session: Session, on_ids: Iterable[str]) -> Sequence[CommentReactionRow]:
    """List the reactions to comments or replies, the first ones first, in one query."""
    row = CommentReactionRow
    query = select(row).where(row.on_id.in_(list(on_ids))).order_by(row.reacted_at, row.emoji, row.user_id)
    return session.scalars(query).all()


def length_of_reactions(table: type[CommentRow] | type[CommentReplyRow]) -> ColumnElement[int]:
    """Return the SQL for the length of the reactions that a comment or a reply is shown with."""
    many = select(func.count()).where(CommentReactionRow.on_id == table.id).scalar_subquery()
    return func.coalesce(many, 0) * REACTION


def emoji_of(session: Session, on_id: str, user_id: str | None = None) -> set[str]:
    """Return the different emoji on a comment or a reply, or those of one person."""
    query = select(CommentReactionRow.emoji).where(CommentReactionRow.on_id == on_id).distinct()
    if user_id is not None:
        query = query.where(CommentReactionRow.user_id == user_id)
    return set(session.scalars(query))


def react(session: Session, values: Sequence[dict[str, Any]]) -> None:
    """Add reactions; one that is there already stays as it is."""
    if values:
        session.execute(insert_into(session, CommentReactionRow).values(list(values)).on_conflict_do_nothing())


def unreact(session: Session, on_id: str, user_id: str, emoji: Iterable[str]) -> None:
    """Take a person's reactions to a comment or a reply away."""
    row = CommentReactionRow
    going = delete(row).where(row.on_id == on_id, row.user_id == user_id, row.emoji.in_(list(emoji)))
    session.execute(going.execution_options(synchronize_session=False))
