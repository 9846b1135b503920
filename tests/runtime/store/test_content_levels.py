"""Levels on spaces and collections: what SQL says of one row and of lists is what the rule says in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from runtime.contract.organizations import ROLES, Role
from runtime.store import access, levels, rows, secrets, structure
from runtime.store.cursors import Order
from runtime.store.database import Database
from runtime.store.levels import number_of
from runtime.store.reach import Reach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow
from tests import databases

DEFAULTS = st.sampled_from(["inherit", None, *ROLES])
PLACES = st.integers(0, 5)
COLLECTIONS = st.lists(st.tuples(DEFAULTS, PLACES), min_size=1, max_size=6)
SPACES = st.lists(st.tuples(DEFAULTS, st.none() | PLACES), min_size=1, max_size=4)
GRANTS = st.lists(
    st.tuples(st.sampled_from(["me", "team", "stranger", "other-team"]), st.booleans(), PLACES, st.sampled_from(ROLES)),
    max_size=6,
    unique_by=lambda one: one[:3],
)


@pytest.fixture(scope="module", params=databases.BOTH)
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    data: Path = tmp_path_factory.mktemp("levels")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, request.param) as opened:
        with opened.transaction(writes=True) as session:
            session.add(OrganizationRow(id="o", title="O"))
            session.add_all([UserRow(id=name, display_name=name, email=name) for name in ("me", "stranger")])
            session.flush()
            session.add_all([MemberRow(organization_id="o", user_id=name, role=None) for name in ("me", "stranger")])
            session.add_all([TeamRow(id=name, organization_id="o", title=name) for name in ("team", "other-team")])
            session.flush()
            session.add(TeamMemberRow(team_id="team", organization_id="o", user_id="me"))
            session.add(TeamMemberRow(team_id="other-team", organization_id="o", user_id="stranger"))
        yield opened


def build(
    session: Session, collections: list[tuple[str | None, int]], spaces: list[tuple[str | None, int | None]]
) -> tuple[list[CollectionRow], list[SpaceRow]]:
    """Make collections, each inside one made before it, and spaces in them."""
    made: list[CollectionRow] = []
    for place, (default, inside) in enumerate(collections):
        parent = made[inside % place] if place and inside % (place + 1) else None
        row = CollectionRow(id=f"c{place}", organization_id="o", title="C", default_level=default)
        row.parent_id = parent.id if parent else None
        session.add(row)
        session.flush()
        structure.attach(session, row)
        structure.settle(session, row)
        made.append(row)
    inside_of = [
        SpaceRow(
            id=f"s{place}",
            organization_id="o",
            title="S",
            emoji="",
            default_level=default,
            collection_id=made[inside % len(made)].id if inside is not None else None,
        )
        for place, (default, inside) in enumerate(spaces)
    ]
    session.add_all(inside_of)
    session.flush()
    assert [one.default_level for one in (*made, *inside_of)] == [default for default, _ in (*collections, *spaces)]
    return made, inside_of


def grant(
    session: Session, collections: list[Any], spaces: list[Any], given_: list[Any]
) -> list[tuple[str, str, Role]]:
    """Give levels; returns who has which on what."""
    told: dict[tuple[str, str], Role] = {}
    for who, on_space, place, role in given_:
        content = spaces[place % len(spaces)] if on_space else collections[place % len(collections)]
        told[who, content.id] = role
    for (who, content_id), role in told.items():
        key = "space_id" if content_id.startswith("s") else "collection_id"
        whom = "team_id" if who.endswith("team") else "user_id"
        session.add(GrantRow(organization_id="o", role=role, **{key: content_id, whom: who}))
    session.flush()
    return [(who, content_id, role) for (who, content_id), role in told.items()]


def expected(role: Role | None, row: Any, above: list[Any], told: list[tuple[str, str, Role]]) -> int:
    """Say the rule: the nearest default in place of the role, and what was given on top; admins have everything."""
    if role == "admin":
        return number_of("admin")
    line = [row, *above]
    base = number_of(role)
    if role is not None:
        base = next((number_of(one.default_level) for one in line if one.default_level != "inherit"), base)
    ids = {one.id for one in line}
    return max([base, *(number_of(level) for who, on, level in told if who in ("me", "team") and on in ids)])


def above(row: Any, collections: list[CollectionRow]) -> list[CollectionRow]:
    by_id = {one.id: one for one in collections}
    line: list[CollectionRow] = []
    at = row.collection_id if isinstance(row, SpaceRow) else row.parent_id
    while at is not None:
        line.append(by_id[at])
        at = by_id[at].parent_id
    return line


@given(collections=COLLECTIONS, spaces=SPACES, grants=GRANTS, role=st.sampled_from([None, *ROLES]), moves=st.booleans())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sql_says_what_the_rule_says(
    database: Database, collections: Any, spaces: Any, grants: Any, role: Role | None, moves: bool
) -> None:
    reach = Reach("user", user_id="me", roles=frozenset({("o", role)}))
    with database.transaction(writes=True) as session:
        me = session.get(MemberRow, ("o", "me"))
        assert me is not None
        me.role = role
        folders, inside = build(session, collections, spaces)
        told = grant(session, folders, inside, grants)
        if moves and len(folders) > 1 and folders[-1].parent_id is None:
            folders[-1].parent_id = folders[0].id
            session.flush()
            structure.reattach(session, folders[-1])
            structure.settle(session, folders[-1])
        for table, made in ((CollectionRow, folders), (SpaceRow, inside)):
            numbers = {one.id: expected(role, one, above(one, folders), told) for one in made}
            found = levels.levels_on(session, reach, made)
            assert [number_of(level) for level in found] == list(numbers.values())
            order = [Order(table.id)]
            page = rows.page(session, reach, table, orders=order, cursor=None, limit=100)  # type: ignore[arg-type]
            seen = {row.id: number_of(level) for row, level in zip(page.rows, page.levels, strict=True)}
            assert seen == {one: number for one, number in numbers.items() if number}
            assert page.count == len(seen)
            for one in made:
                assert (rows.find(session, reach, table, id=one.id) is not None) == (one.id in seen)  # type: ignore[arg-type]
                heard = audience_of(session, one)
                assert heard == ({"me": numbers[one.id]} if numbers[one.id] else {})
        session.rollback()


def audience_of(session: Session, row: SpaceRow | CollectionRow) -> dict[str, int]:
    """Tell whether the list of everybody has this person, with the level it says; each of its filters agrees."""
    on = access.audience(session, row)
    found = {who: number_of(level) for who, level in on.levels(session, ["me"]).items()}
    for role in (None, *ROLES):
        listed = {one.user_id for one in rows.every(session, rows.HOST, MemberRow, *on.everybody(role))}
        assert ("me" in listed) == ("me" in found and role in (None, levels.level_of(found["me"])))
    return found


def test_somebody_else_and_scripts_have_nothing(database: Database) -> None:
    with database.transaction(writes=True) as session:
        folders, inside = build(session, [("admin", 0)], [("admin", 0)])
        grant(session, folders, inside, [("me", True, 0, "admin"), ("team", False, 0, "admin")])
        for reach in (
            Reach("user", user_id="me"),
            Reach("user", user_id="me", roles=frozenset({("elsewhere", "admin")})),
            Reach("user", user_id="stranger", roles=frozenset({("o", None)})),
            Reach("integration", integration_id="i"),
            Reach("installation", installation_id="i"),
        ):
            for row in (*folders, *inside):
                assert levels.level_on(session, reach, row) is None
                assert rows.find(session, reach, type(row), id=row.id) is None
        session.rollback()


def test_a_subtree_moves_with_all_its_ancestors(database: Database) -> None:
    with database.transaction(writes=True) as session:
        names = ["a", "b", "c", "d"]
        made = {}
        for name, parent in zip(names, [None, "a", "b", None], strict=True):
            made[name] = CollectionRow(id=name, organization_id="o", title=name, parent_id=parent)
            session.add(made[name])
            session.flush()
            structure.attach(session, made[name])
        assert structure.ancestors(session, "c") == {"a", "b", "c"}
        made["b"].parent_id = "d"
        session.flush()
        structure.reattach(session, made["b"])
        assert structure.ancestors(session, "c") == {"b", "c", "d"} and structure.ancestors(session, "a") == {"a"}
        assert {row.id for row in structure.subtree(session, "d")} == {"b", "c", "d"}
        session.rollback()
