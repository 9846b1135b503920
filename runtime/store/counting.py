"""How many spaces members and teams see, for many of them at once.

Grants are put together here and not in SQL: a page of members shares few teams. What a page needs of the organization
itself is kept between requests, as long as the organization's epoch stands still.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from runtime.contract.organizations import ROLES
from runtime.store import epochs
from runtime.store.content_levels import ABOVE, GRANT, IN_TEAM
from runtime.store.epoch_rules import GLOBAL
from runtime.store.levels import NONE, number_of
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.organizations import MemberRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.teams import TeamRow

Whose = tuple[str, str]
"""An organization, and a person in it."""
MAX_KEPT = 500


@dataclass(slots=True)
class Spaces:
    """The spaces of an organization, as sets of bits: an integer with one bit for each space that is in the set.

    `places` are where the bits of spaces are, `closed` those that the default levels show nobody, `inside` those of a
    collection, however deep, and `teams` those that teams were granted.
    """

    places: dict[str, int] = field(default_factory=dict)
    closed: int = 0
    inside: dict[str, int] = field(default_factory=dict)
    teams: dict[str, int] = field(default_factory=dict)

    def granted(self, space_id: str | None, collection_id: str | None) -> int:
        """Return the spaces that a grant is about."""
        place = self.places.get(space_id or "")
        return (0 if place is None else 1 << place) | self.inside.get(collection_id or "", 0)


class _Kept:
    """The spaces of organizations whose epochs stood where they are named; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spaces: OrderedDict[str, tuple[tuple[int, int], Spaces]] = OrderedDict()

    def get(self, organization_id: str, epoch: tuple[int, int]) -> Spaces | None:
        with self._lock:
            known = self._spaces.get(organization_id)
            if known is None or known[0] != epoch:
                return None
            self._spaces.move_to_end(organization_id)
            return known[1]

    def put(self, organization_id: str, epoch: tuple[int, int], spaces: Spaces) -> None:
        with self._lock:
            self._spaces[organization_id] = (epoch, spaces)
            while len(self._spaces) > MAX_KEPT:
                self._spaces.popitem(last=False)


_kept: WeakKeyDictionary[Any, _Kept] = WeakKeyDictionary()
"""By engine: a process may have several databases open."""


def of_teams(session: Session, teams: Sequence[TeamRow]) -> dict[str, int]:
    """Count the spaces that each team was granted, itself or by a collection."""
    spaces = _spaces(session, {team.organization_id for team in teams})
    return {team.id: spaces[team.organization_id].teams.get(team.id, 0).bit_count() for team in teams}


def of_members(session: Session, members: Iterable[MemberRow]) -> dict[Whose, int]:
    """Count the spaces each member sees, by organization and person."""
    people = list(members)
    spaces = _spaces(session, {member.organization_id for member in people})
    granted = _granted(session, spaces, {member.user_id for member in people if member.role != "admin"})
    counts: dict[Whose, int] = {}
    for member in people:
        key, there = (member.organization_id, member.user_id), spaces[member.organization_id]
        own = granted.get(key, 0)
        if member.role == "admin":
            counts[key] = len(there.places)
        elif member.role is None:
            counts[key] = own.bit_count()
        else:
            counts[key] = len(there.places) - there.closed.bit_count() + (own & there.closed).bit_count()
    return counts


def _granted(session: Session, spaces: Mapping[str, Spaces], user_ids: Collection[str]) -> dict[Whose, int]:
    """Return the spaces that people were granted, themselves or by a team of theirs."""
    found: dict[Whose, int] = {}
    grants = select(GRANT.organization_id, GRANT.user_id, GRANT.space_id, GRANT.collection_id)
    grants = grants.where(GRANT.organization_id.in_(spaces), GRANT.user_id.in_(user_ids))
    for organization_id, user_id, space_id, collection_id in session.execute(grants):
        key = (organization_id, str(user_id))
        found[key] = found.get(key, 0) | spaces[organization_id].granted(space_id, collection_id)
    teams = select(IN_TEAM.organization_id, IN_TEAM.user_id, IN_TEAM.team_id)
    teams = teams.where(IN_TEAM.organization_id.in_(spaces), IN_TEAM.user_id.in_(user_ids))
    for organization_id, user_id, team_id in session.execute(teams):
        key = (organization_id, user_id)
        found[key] = found.get(key, 0) | spaces[organization_id].teams.get(team_id, 0)
    return found


def _spaces(session: Session, organization_ids: Collection[str]) -> dict[str, Spaces]:
    """Return the spaces of organizations, as they were kept or as they are read now."""
    connection = session.connection()
    if connection.get_execution_options().get("writes", True):
        # Epochs move at the commit: what this transaction has changed is under the old ones until then.
        return _read(session, organization_ids)
    # Before the rows, so that what is kept never claims a newer epoch than the rows it was made of.
    now = epochs.read(connection, [GLOBAL, *organization_ids])
    kept = _kept.setdefault(connection.engine, _Kept())
    at = {one: (now[GLOBAL], now[one]) for one in organization_ids}
    found = {one: kept.get(one, epoch) for one, epoch in at.items()}
    made = _read(session, [one for one, spaces in found.items() if spaces is None])
    for one, spaces in made.items():
        kept.put(one, at[one], spaces)
    return {one: spaces for one, spaces in found.items() if spaces is not None} | made


def _read(session: Session, organization_ids: Collection[str]) -> dict[str, Spaces]:
    found = {organization_id: Spaces() for organization_id in organization_ids}
    if not found:
        return found
    closed = func.coalesce(SpaceRow.default_number(), number_of(ROLES[0])) == NONE
    query = select(SpaceRow.organization_id, SpaceRow.id, SpaceRow.collection_id, closed).where(
        SpaceRow.organization_id.in_(organization_ids), SpaceRow.deleted_at.is_(None)
    )
    directly: dict[str, int] = {}
    for organization_id, space_id, collection_id, is_closed in session.execute(query):
        there = found[organization_id]
        bit = 1 << there.places.setdefault(space_id, len(there.places))
        if is_closed:
            there.closed |= bit
        if collection_id is not None:
            directly[collection_id] = directly.get(collection_id, 0) | bit
    # A collection is among its own ancestors.
    above = select(CollectionRow.organization_id, ABOVE.ancestor_id, ABOVE.collection_id).join(
        CollectionRow, CollectionRow.id == ABOVE.ancestor_id
    )
    above = above.where(CollectionRow.organization_id.in_(organization_ids))
    for organization_id, ancestor_id, below_id in session.execute(above):
        inside = found[organization_id].inside
        inside[ancestor_id] = inside.get(ancestor_id, 0) | directly.get(below_id, 0)
    grants = select(GRANT.organization_id, GRANT.team_id, GRANT.space_id, GRANT.collection_id).where(
        GRANT.organization_id.in_(organization_ids), GRANT.team_id.is_not(None)
    )
    for organization_id, team, on_space, on_collection in session.execute(grants):
        there = found[organization_id]
        there.teams[str(team)] = there.teams.get(str(team), 0) | there.granted(on_space, on_collection)
    return found
