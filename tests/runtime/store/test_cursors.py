"""Pages of any order: each row once, in the order the list says, whatever is null; no invention is a cursor."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import String
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from runtime.store import cursors, migrate, rows, secrets
from runtime.store.cursors import BadCursor, Order, newest_first
from runtime.store.database import Database, now
from runtime.store.rows import HOST
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow

TITLES = ["", "a", "B", "b", "é", "\U0001f600", "a, b", '"']
BASENAMES = [None, "x", "y"]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("cursors")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    opened = Database(f"sqlite:///{folder / 'host.sqlite'}")
    migrate.migrate(opened)
    yield opened
    opened.close()


ORDERS = st.permutations([SiteRow.title, SiteRow.basename, SiteRow.published, SiteRow.created_at]).flatmap(
    lambda columns: st.lists(st.booleans(), min_size=5, max_size=5).map(
        lambda down: [Order(column, down[place]) for place, column in enumerate([*columns, SiteRow.id])]
    )
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.lists(st.tuples(st.sampled_from(TITLES), st.sampled_from(BASENAMES), st.booleans()), max_size=12),
    orders=ORDERS,
    limit=st.integers(1, 5),
)
def test_every_row_comes_once_and_in_order(
    database: Database, content: list[tuple[str, str | None, bool]], orders: list[Order], limit: int
) -> None:
    with database.transaction(writes=True) as session:
        organization = OrganizationRow(title="A")
        session.add(organization)
        session.flush()
        for title, basename, published in content:
            row = SiteRow(organization_id=organization.id, title=title, basename=basename, published=published)
            session.add(row)
        session.flush()
        inside = SiteRow.organization_id == organization.id
        seen: list[SiteRow] = []
        cursor = None
        while True:
            page = rows.page(session, HOST, SiteRow, inside, orders=orders, cursor=cursor, limit=limit)
            seen += page.rows
            assert page.count == len(content)
            cursor = page.next
            if cursor is None:
                break
        whole = rows.page(session, HOST, SiteRow, inside, orders=orders, cursor=None, limit=1000)
    assert [row.id for row in seen] == [row.id for row in whole.rows]
    assert len({row.id for row in seen}) == len(content)
    first = orders[0].column.key
    if first == "basename":
        values = [row.basename for row in seen]
        assert None not in values[: len([value for value in values if value is not None])]


ORDER = [Order(SiteRow.basename), Order(SiteRow.created_at, descending=True), Order(SiteRow.id)]


def spoiled(*values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def test_a_place_in_one_table_is_none_in_another() -> None:
    site = SiteRow(id="s" * 20, title="A", created_at=now())
    ours, theirs = (newest_first(table.created_at, table.id) for table in (SiteRow, OrganizationRow))
    cursor = cursors.cursor_of(site, ours)
    cursors.beyond(cursor, ours)
    with pytest.raises(BadCursor):
        cursors.beyond(cursor, theirs)


@given(st.text(max_size=60))
def test_no_text_is_a_cursor_by_accident(text: str) -> None:
    with pytest.raises(BadCursor):
        cursors.beyond(text, ORDER)


@pytest.mark.parametrize(
    "cursor",
    [
        spoiled("sites:basename,created_at-,id", "x", "2026-01-01T00:00:00", "i"),
        spoiled("sites:basename,created_at-,id", "x", None, "i"),
        spoiled("sites:basename,created_at-,id", "x", 1, "i"),
        spoiled("sites:basename,created_at-,id", 1, "2026-01-01T00:00:00+00:00", "i"),
        spoiled("sites:basename,created_at-,id", "x\x00", "2026-01-01T00:00:00+00:00", "i"),
        spoiled("sites:basename,created_at-,id", "x\ud800", "2026-01-01T00:00:00+00:00", "i"),
        spoiled("sites:basename,created_at-,id", "x", "0001-01-01T00:00:00+23:59", "i"),
        spoiled("sites:basename,created_at-,id", "x", "2026-01-01T00:00:00+00:00"),
        spoiled("sites:basename,created_at,id", "x", "2026-01-01T00:00:00+00:00", "i"),
        spoiled("sites:title,id", "x", "i"),
        spoiled([["basename"]], *["[" * 500]),
        "é",
        "=",
    ],
)
def test_what_another_list_gave_out_is_refused(cursor: str) -> None:
    with pytest.raises(BadCursor):
        cursors.beyond(cursor, ORDER)


class Numbers(DeclarativeBase):
    pass


class NumberRow(Numbers):
    __tablename__ = "numbers"
    id: Mapped[str] = mapped_column(String, primary_key=True)
    count: Mapped[int]
    part: Mapped[float]


@pytest.mark.parametrize("value", [True, 1 << 63, -(1 << 63), "1", 1.5, [1]])
def test_numbers_are_numbers_that_a_column_holds(value: object) -> None:
    orders = [Order(NumberRow.count), Order(NumberRow.id)]
    with pytest.raises(BadCursor):
        cursors.beyond(spoiled("numbers:count,id", value, "i"), orders)


@pytest.mark.parametrize("value", [True, "1", float("inf")])
def test_so_are_fractions(value: object) -> None:
    orders = [Order(NumberRow.part), Order(NumberRow.id)]
    with pytest.raises(BadCursor):
        cursors.beyond(spoiled("numbers:part,id", value, "i"), orders)
