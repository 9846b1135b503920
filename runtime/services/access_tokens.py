"""Creates personal tokens."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.organizations import CreateToken
from runtime.store import locks, rows, tokens
from runtime.store.database import now
from runtime.store.rows import HOST, Reach
from runtime.store.tables.organizations import TokenRow

MAX_TOKENS = 100
"""Maximum tokens of one person for each organization, and as many that are not bound to one."""
TOO_MANY = f"You have {MAX_TOKENS} tokens of this kind; revoke one that is not in use any more."


def create(session: Session, reach: Reach, body: CreateToken) -> tuple[TokenRow, str]:
    """Create a token of a person, and return it: its access is limited to that of the session or token they used.

    Raises Conflict if they have too many.
    """
    user_id = reach.user_id or ""
    came_with = rows.find(session, reach, TokenRow, id=reach.token_id)
    if came_with is None:
        raise errors.Unauthorized
    locks.acquire(session, f"tokens of {user_id}")
    by = {"user_id": user_id, "kind": "token", "organization_id": reach.bound_to}
    if len(rows.every(session, HOST, TokenRow, **by)) >= MAX_TOKENS:
        raise errors.Conflict(TOO_MANY)
    token, digest = tokens.new_token()
    moment = now()
    expires = moment + timedelta(days=body.expires_in) if body.expires_in is not None else None
    # A session ends by itself; a token created in it expires no later than the token that the session began with.
    parent = rows.find(session, HOST, TokenRow, id=came_with.parent_id) if came_with.parent_id else None
    first = came_with if came_with.kind == "token" else parent
    if first is not None and first.expires_at is not None:
        expires = min(expires or first.expires_at, first.expires_at)
    row = TokenRow(user_id=user_id, digest=digest, title=body.title, organization_id=reach.bound_to)
    row.created_at, row.expires_at, row.sso = moment, expires, came_with.sso
    session.add(row)
    session.flush()
    return row, token
