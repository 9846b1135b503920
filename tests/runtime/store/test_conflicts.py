"""Whatever must be there once is there once, and who comes second is told 409 in words."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Boolean, Float, Integer, LargeBinary, UniqueConstraint, delete, insert
from sqlalchemy.exc import IntegrityError

from runtime.api.answers import mount_errors
from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.store import conflicts, locks, rows, schema, secrets
from runtime.store.database import Database, Table, UtcTime
from runtime.store.tables.organizations import UserRow
from tests import databases

ONCE = sorted(
    [
        (table, tuple(column.name for column in rule.columns))
        for table in schema.TABLES
        for rule in (*table.__table__.indexes, *table.__table__.constraints)  # type: ignore[attr-defined]
        if (isinstance(rule, UniqueConstraint) or getattr(rule, "unique", False)) and rule.columns
    ]
    + [(table, tuple(column.name for column in table.__table__.primary_key)) for table in schema.TABLES],
    key=lambda once: (once[0].__tablename__, once[1]),
)

EMPTY = {"hostname", "default_of", "proxy"}
"""Columns that must be unique as far as they hold anything."""


@pytest.fixture(scope="module", params=databases.BOTH)
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    data = tmp_path_factory.mktemp("conflicts")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, request.param) as opened:
        yield opened


def _row(session: Any, table: type[Table], same: dict[str, Any], *, filled: Collection[str] = ()) -> dict[str, Any]:
    """Insert a row with all that a table asks for and the columns `filled`, and what they refer to."""
    values: dict[str, Any] = {}
    for column in table.__table__.columns:
        if column.name in same:
            values[column.name] = same[column.name]
        elif column.foreign_keys and column.name not in values and (not column.nullable or column.name in filled):
            parent = next(iter(column.foreign_keys)).column
            if parent.table is table.__table__:
                continue  # nothing is inside itself
            owner = next(one for one in schema.TABLES if one.__table__ is parent.table)
            made = _row(session, owner, {})
            # Several columns may refer to one row together.
            for rule in table.__table__.foreign_key_constraints:
                if rule.referred_table is parent.table:
                    mine = [key for key in rule.elements if key.parent.name not in same]
                    values |= {key.parent.name: made[key.column.name] for key in mine}
        elif column.name not in values and not column.nullable and column.name != "seq":
            values[column.name] = _value(column)
    session.execute(insert(table.__table__).values(**values))
    return values


def _value(column: Any) -> Any:
    if isinstance(column.type, UtcTime):
        return datetime.now(UTC)
    for kind, value in ((Boolean, False), (Integer, uuid.uuid4().int % 10**6), (Float, 0.0)):
        if isinstance(column.type, kind):
            return value
    if isinstance(column.type, LargeBinary):
        return uuid.uuid4().bytes
    return uuid.uuid4().hex[:10]


@pytest.mark.parametrize(("table", "columns"), ONCE, ids=lambda value: getattr(value, "__tablename__", str(value)))
def test_the_database_refuses_what_is_there_already(
    database: Database, table: type[Table], columns: tuple[str, ...]
) -> None:
    app = Flask("test")
    mount_errors(app)
    with database.transaction(writes=True) as session:
        first = _row(session, table, {name: "taken" for name in columns if name in EMPTY}, filled=columns)
        same = {name: first[name] for name in columns if name in first}
        if "seq" in columns:
            same = {"id": first["id"]}
        for rule in table.__table__.foreign_key_constraints:  # type: ignore[attr-defined]
            together = {key.parent.name for key in rule.elements}
            same |= {name: first[name] for name in together} if together & set(same) else {}

    @app.post("/again")
    def again() -> str:
        with database.transaction(writes=True) as session:
            _row(session, table, same)
        return "twice"

    answer = app.test_client().post("/again")
    assert answer.status_code == 409 and answer.json is not None
    message = answer.json["error"]["message"]
    assert message == table.taken and message.endswith(".")
    assert not any(word in message for word in ("UNIQUE", "constraint", "INSERT", table.__tablename__ + "."))


def test_what_was_removed_may_be_there_again(database: Database) -> None:
    for table in (row for row in schema.TABLES if any(index.name.endswith("_live") for index in row.__table__.indexes)):  # type: ignore[attr-defined]
        columns = next(index.columns for index in table.__table__.indexes if index.name.endswith("_live"))  # type: ignore[attr-defined]
        with database.transaction(writes=True) as session:
            gone = {"deleted_at": datetime.now(UTC)}
            first = _row(session, table, gone)
            same = {column.name: first[column.name] for column in columns}
            _row(session, table, same | gone)
            _row(session, table, same)


def test_what_refers_to_something_that_was_removed_is_told(database: Database) -> None:
    space = next(table for table in schema.TABLES if table.__tablename__ == "spaces")
    with pytest.raises(IntegrityError) as refused, database.transaction(writes=True) as session:
        _row(session, space, {"organization_id": "nobody"})
    assert conflicts.sentence(refused.value) == conflicts.REMOVED


def test_what_only_a_fault_of_ours_can_cause_is_no_conflict(database: Database, tmp_path: Path) -> None:
    space = next(table for table in schema.TABLES if table.__tablename__ == "spaces")
    with pytest.raises(IntegrityError) as refused, database.transaction(writes=True) as session:
        _row(session, space, {"title": None})
    assert conflicts.sentence(refused.value) is None


def test_a_row_that_went_while_its_lock_was_awaited_is_not_found(database: Database) -> None:
    with database.transaction(writes=True) as session:
        going = UserRow(id=new_id(), display_name="Going", email=f"{new_id()}@example.com")
        session.add(going)
        session.flush()
        locks.refresh(session, going)
        session.execute(delete(UserRow.__table__).where(UserRow.__table__.c.id == going.id))  # type: ignore[arg-type]
        if locks.others_write(session):
            with pytest.raises(errors.NotFound, match="just deleted"):
                locks.refresh(session, going)
        with pytest.raises(errors.NotFound, match="just deleted"):
            rows.lock(session, going)
        session.expunge(going)
