"""How many of something there may be: what people make stays bounded, and with it every list and count of it."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.spaces import RESTORABLE_DAYS
from runtime.services.structure import lock_structure
from runtime.store import locks, rows
from runtime.store.database import Table
from runtime.store.reach import HOST
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.organizations import MemberRow
from runtime.store.tables.spaces import SpaceRow

MAX_SPACES, MAX_COLLECTIONS, MAX_MEMBERS = 10_000, 5000, 50_000
"""Of an organization; deleted spaces count as long as they can be restored."""
FULL_OF_SPACES = (
    f"An organization has at most {{most}} spaces, including those deleted within the last {RESTORABLE_DAYS} days; "
    "delete some, or use another organization."
)
FULL_OF_COLLECTIONS = "An organization has at most {most} collections; delete some first."
FULL_OF_MEMBERS = "This organization has {most} members, which is the maximum; an administrator must remove some first."

MAX_ADMINISTERED = 500
"""Organizations that a person administers: each costs all their requests a little, and may store its share."""
ADMINISTERS_MANY = (
    "One person administers at most {most} organizations. They must first leave one of these, or give up the role of "
    "administrator in it."
)


def enforce(
    session: Session, table: type[Table], most: int, full: str, *conditions: Any, more: int = 1, **within: Any
) -> None:
    """Make sure that there is room for `more` rows beside those with these values, until the transaction ends.

    `full` is the sentence for whoever finds none, with `{most}` in it: what is full, and what to do. Counting stops at
    `most`. Who locks something else as well does so before. Raises BadRequest.
    """
    place = " ".join(str(value) for value in within.values())
    locks.acquire(session, f"quota of {table.__tablename__} in {place}")
    if rows.has_more(session, table, most - more, *conditions, **within):
        raise errors.BadRequest(full.format(most=f"{most:,}"))


def for_spaces(session: Session, organization_id: str, more: int = 1) -> None:
    """Make sure that an organization has room for more spaces; raises BadRequest.

    What is where in the organization is held first: whoever makes something inside of a collection holds it already.
    """
    lock_structure(session, organization_id)
    enforce(session, SpaceRow, MAX_SPACES, FULL_OF_SPACES, more=more, organization_id=organization_id)


def for_collections(session: Session, organization_id: str, more: int = 1) -> None:
    """Make sure that an organization has room for more collections, as `for_spaces` does; raises BadRequest."""
    lock_structure(session, organization_id)
    enforce(session, CollectionRow, MAX_COLLECTIONS, FULL_OF_COLLECTIONS, more=more, organization_id=organization_id)


def for_administered(session: Session, user_id: str) -> None:
    """Make sure that a person may administer one more organization; raises Conflict.

    Those that single sign-on made do not count: whoever runs an identity provider makes anybody a member, unasked.
    """
    locks.acquire(session, f"organizations of {user_id}")
    if len(rows.every(session, HOST, MemberRow, user_id=user_id, role="admin", provisioned=False)) >= MAX_ADMINISTERED:
        raise errors.Conflict(ADMINISTERS_MANY.format(most=f"{MAX_ADMINISTERED:,}"))


def for_members(session: Session, organization_id: str) -> None:
    """Make sure that an organization has room for one more member; raises BadRequest."""
    enforce(session, MemberRow, MAX_MEMBERS, FULL_OF_MEMBERS, organization_id=organization_id)
