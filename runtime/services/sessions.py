"""Sessions of people who signed in with a browser: a row like a token, which the API takes from nobody."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from runtime.store import rows, tokens
from runtime.store.database import now
from runtime.store.rows import HOST, Reach
from runtime.store.tables.organizations import TokenRow

MAX_SESSIONS = 50
"""Sessions of one person in one organization, or in all; the oldest ends when there are more."""


def begin(
    session: Session,
    user_id: str,
    title: str,
    until: datetime,
    organization_id: str | None,
    *,
    sso: bool = False,
    parent_id: str | None = None,
) -> str:
    """Begin a session, of one organization alone where one is named; gives what the browser keeps.

    `sso` says that its identity provider vouches for the person; `parent_id` is the token it began with, if any.
    """
    value, digest = tokens.new_token()
    # Of one organization apart from those of others: whoever runs its identity provider ends none of theirs.
    by = {"user_id": user_id, "kind": "session", "organization_id": organization_id}
    open_ = sorted(rows.every(session, HOST, TokenRow, **by), key=lambda row: row.created_at)
    for row in open_[: max(0, len(open_) - MAX_SESSIONS + 1)]:
        session.delete(row)
    fixed = {
        "kind": "session",
        "title": title[:100],
        "expires_at": until,
        "organization_id": organization_id,
        "sso": sso,
        "parent_id": parent_id,
    }
    session.add(TokenRow(user_id=user_id, digest=digest, **fixed))
    session.flush()
    return value


def begin_with_token(session: Session, token: str, title: str, until: datetime) -> tuple[str, datetime] | None:
    """Begin a session of whoever has a token, of its organization alone if it is bound to one.

    Gives what the browser keeps, and until when: no longer than the token is valid. None for one that is unknown or
    has expired; it ends with the token when that is revoked.
    """
    row = rows.find(session, HOST, TokenRow, digest=tokens.digest_of(token), kind="token")
    if row is None or (row.expires_at is not None and row.expires_at <= now()):
        return None
    until = min(until, row.expires_at) if row.expires_at is not None else until
    return begin(session, row.user_id, title, until, row.organization_id, parent_id=row.id), until


def is_token(session: Session, token: str) -> bool:
    """Return whether there is such a token, expired or not."""
    return rows.find(session, HOST, TokenRow, digest=tokens.digest_of(token), kind="token") is not None


def end_one(session: Session, reach: Reach, session_id: str) -> None:
    """End a session by its id, if it is one of the actor's own; one that is over already stays over."""
    row = rows.find(session, reach, TokenRow, id=session_id, kind="session")
    if row is not None:
        session.delete(row)


def end(session: Session, value: str) -> None:
    """End a session; one that is over already stays over."""
    row = rows.find(session, HOST, TokenRow, digest=tokens.digest_of(value), kind="session")
    if row is not None:
        session.delete(row)
