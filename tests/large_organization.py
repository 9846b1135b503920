"""An organization of any size, written straight into a database: people, teams, nested collections, spaces, sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.store import tokens
from runtime.store.content_levels import INHERIT, number_of_default
from runtime.store.database import Database, now
from runtime.store.tables.ancestors import CollectionAncestorRow
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow, UserRow
from runtime.store.tables.site_structure import SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow

AT_ONCE = 1000
CHILDREN = 4
"""Collections in each collection: 500 stand at most six deep."""
TEAMS_OF_ONE = 20
LEVELS = ("read", "comment", "edit", "review", "create", "admin")


@dataclass(frozen=True, slots=True)
class Size:
    """How many of each."""

    members: int = 10_000
    teams: int = 100
    collections: int = 500
    spaces: int = 2_000
    sites: int = 200
    sections: int = 20
    """Of each site, with one space each; no more than there are spaces."""


@dataclass(frozen=True, slots=True)
class Large:
    """The ids of what was made, with tokens of an administrator, of a member of 20 teams, and of a guest."""

    organization: str
    admin: str
    member: str
    guest: str
    member_id: str
    team: str
    collection: str
    space: str
    site: str


def fill(database: Database, size: Size) -> Large:
    """Make an organization; every third collection and every fifth space is closed to who was given nothing."""
    organization = new_id()
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(id=organization, title="Large"))
        session.flush()
        people = _people(session, organization, size.members)
        teams = _teams(session, organization, size.teams, people)
        folders = _collections(session, organization, size.collections)
        spaces = _spaces(session, organization, size.spaces, folders)
        _grants(session, organization, teams, folders, spaces)
        sites = _sites(session, organization, size, spaces)
        guest = {"organization_id": organization, "space_id": spaces[0], "user_id": people[2], "role": "read"}
        session.add(GrantRow(**guest))
        found = [tokens.new_token() for _ in range(3)]
        _write(
            session,
            TokenRow,
            [{"user_id": person, "digest": made[1]} for person, made in zip(people, found, strict=False)],
        )
    admin, member, shared = (token for token, _ in found)
    return Large(organization, admin, member, shared, people[1], teams[0], folders[0], spaces[0], sites[0])


def _people(session: Session, organization: str, many: int) -> list[str]:
    ids = [new_id() for _ in range(many)]
    _write(session, UserRow, [{"id": one, "display_name": one, "email": f"{one}@example.com"} for one in ids])
    roles: list[Any] = ["admin", "edit", None]
    roles += [LEVELS[place % 5] for place in range(many - len(roles))]
    of = {"organization_id": organization}
    _write(session, MemberRow, [{**of, "user_id": one, "role": role} for one, role in zip(ids, roles, strict=True)])
    return ids


def _teams(session: Session, organization: str, many: int, people: Sequence[str]) -> list[str]:
    ids = [new_id() for _ in range(many)]
    of = {"organization_id": organization}
    _write(session, TeamRow, [{**of, "id": one, "title": "Team"} for one in ids])
    places = {(ids[place % many], person) for place, person in enumerate(people)}
    places |= {(one, people[1]) for one in ids[:TEAMS_OF_ONE]}
    _write(session, TeamMemberRow, [{**of, "team_id": team, "user_id": person} for team, person in sorted(places)])
    return ids


def _collections(session: Session, organization: str, many: int) -> list[str]:
    ids = [new_id() for _ in range(many)]
    above: list[list[str]] = []
    rows: list[dict[str, Any]] = []
    for place, one in enumerate(ids):
        parent = (place - 1) // CHILDREN if place else None
        inherited = rows[parent]["effective_level"] if parent is not None else None
        default = None if place % 3 == 2 else INHERIT
        above.append([one, *(above[parent] if parent is not None else [])])
        row = {"id": one, "organization_id": organization, "title": "Collection", "default_level": default}
        row["parent_id"] = ids[parent] if parent is not None else None
        row["effective_level"] = number_of_default(default, inherited)
        rows.append(row)
    _write(session, CollectionRow, rows)
    pairs = [{"collection_id": line[0], "ancestor_id": one} for line in above for one in line]
    _write(session, CollectionAncestorRow, pairs)
    return ids


def _spaces(session: Session, organization: str, many: int, folders: Sequence[str]) -> list[str]:
    ids = [new_id() for _ in range(many)]
    of = {"organization_id": organization, "title": "Space", "emoji": "1f4d8"}
    rows = [
        {
            **of,
            "id": one,
            "collection_id": folders[place % len(folders)],
            "default_level": None if place % 5 == 4 else INHERIT,
        }
        for place, one in enumerate(ids)
    ]
    _write(session, SpaceRow, rows)
    return ids


def _sites(session: Session, organization: str, size: Size, spaces: Sequence[str]) -> list[str]:
    """Make sites of sections, each with one space; the first section is a site's default."""
    ids = [new_id() for _ in range(size.sites)]
    _write(session, SiteRow, [{"id": one, "organization_id": organization, "title": "Site"} for one in ids])
    sections, parts = [], []
    for place, site in enumerate(ids):
        for number in range(size.sections):
            section, first = new_id(), site if number == 0 else None
            of = {"site_id": site, "path": f"part-{number}", "position": number}
            sections.append({**of, "id": section, "title": f"Part {number}", "default_of": first})
            space = spaces[(place * size.sections + number) % len(spaces)]
            parts.append({**of, "space_id": space, "section_id": section, "holder_id": section, "default_of": section})
    _write(session, SiteSectionRow, sections)
    _write(session, SiteSpaceRow, parts)
    return ids


def _grants(
    session: Session, organization: str, teams: Sequence[str], folders: Sequence[str], spaces: Sequence[str]
) -> None:
    """Give each team five collections without others inside, and ten spaces."""
    leaves = folders[len(folders) // 2 :]
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for place, team in enumerate(teams):
        of = {"organization_id": organization, "team_id": team, "role": LEVELS[place % 6], "created_at": now()}
        for step in range(5):
            folder = leaves[(place * 7 + step * 31) % len(leaves)]
            rows[team, folder] = {**of, "collection_id": folder, "space_id": None}
        for step in range(10):
            space = spaces[(place * 13 + step * 17) % len(spaces)]
            rows[team, space] = {**of, "collection_id": None, "space_id": space}
    _write(session, GrantRow, list(rows.values()))


def _write(session: Session, table: Any, rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), AT_ONCE):
        session.execute(insert(table), rows[start : start + AT_ONCE])
