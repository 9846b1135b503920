"""The order of what is in one place: any number of moves leaves it as a list would be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.contract import errors
from runtime.contract.places import Position
from runtime.services import structure as service
from runtime.store import organizations, rows, secrets, structure
from runtime.store.database import Database
from runtime.store.reach import HOST, Reach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases

MANY = 6
MOVES = st.lists(st.tuples(st.integers(0, MANY - 1), st.integers(0, MANY - 1), st.booleans()), max_size=40)
POSITIONS = st.lists(st.sampled_from([0, 1, 2, 3, 1 << 20, (1 << 20) + 1]), min_size=MANY, max_size=MANY)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    data: Path = tmp_path_factory.mktemp("structure")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite") as opened:
        yield opened


def beside(kind: str, identifier: str, *, before: bool) -> Position:
    return Position.model_validate({"before" if before else "after": {"type": kind, kind: identifier}})


@given(moves=MOVES, positions=POSITIONS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_moves_do_to_rows_what_they_do_to_a_list(
    database: Database, moves: list[tuple[int, int, bool]], positions: list[int]
) -> None:
    with database.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        reach = Reach("user", user_id=made.user, roles=frozenset({(made.organization, "admin")}))
        every: list[SpaceRow | CollectionRow] = []
        for place, position in enumerate(positions):
            of = {"organization_id": made.organization, "title": "T", "position": position}
            every.append(SpaceRow(**of, emoji="") if place % 2 else CollectionRow(**of))
        session.add_all(every)
        session.flush()
        for row in every:
            if isinstance(row, CollectionRow):
                structure.attach(session, row)
        expected = [one.id for one in structure.siblings(session, made.organization, None)]
        for moved, target, before in moves:
            row, other = every[moved], every[target]
            kind = "space" if isinstance(other, SpaceRow) else "collection"
            wanted = [one for one in expected if one != row.id]
            if row is not other:
                wanted.insert(wanted.index(other.id) + (not before), row.id)
            refused = errors.BadRequest if row is other else errors.Conflict if wanted == expected else None
            if refused is not None:
                with pytest.raises(refused):
                    service.put_beside(session, reach, row, beside(kind, other.id, before=before), moved=False)
                continue
            service.put_beside(session, reach, row, beside(kind, other.id, before=before), moved=False)
            expected = wanted
            found = structure.siblings(session, made.organization, None)
            assert [one.id for one in found] == expected
        session.rollback()


def test_the_end_is_behind_everything(database: Database) -> None:
    with database.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        of = {"organization_id": made.organization, "title": "T", "emoji": ""}
        first, late = SpaceRow(**of), SpaceRow(**of, position=1 << 60)
        session.add_all([first, late])
        session.flush()
        service.put_at_end(session, first)
        assert [one.id for one in structure.siblings(session, made.organization, None)] == [late.id, first.id]
        session.rollback()


def test_what_is_gone_is_not_found_again(database: Database) -> None:
    with database.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        space = SpaceRow(organization_id=made.organization, title="T", emoji="")
        session.add(space)
        session.flush()
        assert service.reread(session, space) is space
        space.organization_id = made.organization
        session.delete(space)
        session.flush()
        assert rows.find(session, HOST, SpaceRow, id=space.id) is None
        session.rollback()
