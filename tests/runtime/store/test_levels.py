"""Levels: one rule for one row and for lists, and nobody has one by accident."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import inspect, select

from runtime.contract.organizations import ROLES, Role, reaches
from runtime.store import levels, rows, schema
from runtime.store.cursors import Order
from runtime.store.database import Database, Table
from runtime.store.reach import HOST, Reach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.teams import TeamMemberRow, TeamRow
from tests.runtime.store.conftest import World, named

HERE = named("organizations", "here")
LEVELED = [table for table in schema.TABLES if table.level_for.__func__ is not Table.level_for.__func__]  # type: ignore[attr-defined]


@pytest.fixture(scope="module", autouse=True)
def filled(database: Database) -> Iterator[World]:
    world = World(database)
    world.fill()
    with database.transaction(writes=True) as session:
        for grant in rows.every(session, HOST, GrantRow):  # with which more than a role decides
            session.delete(grant)
        for folder in rows.every(session, HOST, CollectionRow):
            folder.effective_level = None
    yield world
    world.empty()


def person(role: Role | None, user: str = "here") -> Reach:
    return Reach("user", user_id=named("users", user), roles=frozenset({(HERE, role)}))


@pytest.mark.parametrize("table", LEVELED)
@pytest.mark.parametrize("role", [None, *ROLES])
def test_a_role_in_one_organization_is_worth_nothing_in_another(
    table: type[Any], role: Role | None, database: Database
) -> None:
    with database.transaction(writes=False) as session:
        every = rows.every(session, HOST, table)
        reach = person(role)
        found = dict(zip(every, levels.levels_on(session, reach, every), strict=True))
        assert len(every) == 2, "`fill` of conftest.py makes a row of every table"
        for row, level in found.items():
            side = str(getattr(row, "id", None) or inspect(row).identity[0]).rpartition("-")[2]
            expected: Role | None = role if side == "here" else None
            if table in (TeamRow, TeamMemberRow) and expected is not None and expected != "admin":
                expected = "read"
            assert level == expected == levels.level_on(session, reach, row), (table, side)


@pytest.mark.parametrize("table", LEVELED)
def test_scripts_have_no_levels(table: type[Any], database: Database) -> None:
    with database.transaction(writes=False) as session:
        for kind in ("integration", "installation"):
            reach = Reach(kind, **{f"{kind}_id": named(f"{kind}s", "here")})
            assert levels.levels_on(session, reach, rows.every(session, HOST, table)) == [None, None]
            numbers = session.scalars(select(table.level_for(reach)).select_from(table)).all()
            assert set(numbers) <= {0, None}


@pytest.mark.parametrize("table", LEVELED)
def test_a_list_brings_the_levels_along(table: type[Any], database: Database) -> None:
    reach = person("review")
    key = table.__mapper__.primary_key[0].key
    with database.transaction(writes=False) as session:
        page = rows.page(session, reach, table, orders=[Order(getattr(table, key))], cursor=None, limit=10)
        assert list(page.levels) == levels.levels_on(session, reach, page.rows)
        assert all(level is not None for level in page.levels)


def test_an_owner_manages_the_own_team_alone(database: Database) -> None:
    with database.transaction(writes=True) as session:
        session.add(TeamRow(id="other", organization_id=HERE, title="other"))
        own_id = named("teams", "here")
        place = rows.find(session, HOST, TeamMemberRow, team_id=own_id, user_id=named("users", "here"))
        assert place is not None
        place.role = "owner"
        session.flush()
        own, other = (rows.find(session, HOST, TeamRow, id=name) for name in (own_id, "other"))
        assert own is not None and other is not None
        assert levels.levels_on(session, person("read"), [own, other]) == ["admin", "read"]
        assert levels.level_on(session, person("read"), place) == "admin"
        assert levels.levels_on(session, person(None), [own, other]) == [None, None]
        assert levels.levels_on(session, person("read", "there"), [own, other]) == ["read", "read"]
        session.rollback()


def test_levels_are_roles_in_order() -> None:
    assert [levels.level_of(levels.number_of(role)) for role in (None, *ROLES)] == [None, *ROLES]
    assert levels.level_of(None) is None
    for place, role in enumerate(ROLES):
        assert [reaches(role, needed) for needed in ROLES] == [other <= place for other in range(len(ROLES))]
