"""No list sorts what it does not show: an index holds each of them in its order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import and_, event
from sqlalchemy.sql.elements import False_

from runtime.api.resource import Resource
from runtime.api.table import RESOURCES
from runtime.contract.events import EventQuery, EventStreamQuery
from runtime.store import claims, event_lists, queue, rows, secrets
from runtime.store.cursors import Order
from runtime.store.database import Database, Table
from runtime.store.rows import Reach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.events import EventRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.installations import InstallationRow, SiteInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.site_structure import SiteSectionGroupRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases

PERSON = Reach("user", user_id="u", roles=frozenset({("o", "read")}))
IN_PLACE = (Order(SpaceRow.position), Order(SpaceRow.id))
ORDERS = {resource.row: resource.order for resource in RESOURCES}
SCRIPT = Reach("integration", integration_id="i")


def seen(resource: Resource[Any]) -> Any:
    """Give the condition under which a person sees rows of a resource."""
    return resource.row.visible_to(PERSON)


FEW = {"installation": "one of an integration in each organization", "version": "`keep_versions`", "tunnel": "by hand"}
"""Where there are never so many in one parent that they would have to be read in their order, with the reason."""
LISTED = [
    resource
    for resource in RESOURCES
    if resource.within is not None and not isinstance(seen(resource), False_) and resource.name not in FEW
]
"""What stands in something: its list is that of its parent, read by the order it has."""
LISTS: list[tuple[type[Table], Reach, Any]] = [
    *((resource.row, PERSON, getattr(resource.row, str(resource.parent_column)) == "x") for resource in LISTED),
    (SpaceRow, PERSON, SpaceRow.organization_id == "o"),
    (CollectionRow, PERSON, CollectionRow.organization_id == "o"),
    (GrantRow, PERSON, and_(GrantRow.space_id == "s", GrantRow.user_id.is_not(None))),
    (GrantRow, PERSON, and_(GrantRow.collection_id == "c", GrantRow.team_id.is_not(None))),
    (IntegrationRow, PERSON, IntegrationRow.target == "all"),
    (IntegrationRow, SCRIPT, IntegrationRow.organization_id == "o"),
    (InstallationRow, SCRIPT, InstallationRow.integration_id == "i"),
    (InstallationRow, PERSON, InstallationRow.organization_id == "o"),
    (SiteInstallationRow, SCRIPT, SiteInstallationRow.installation_id == "n"),
    (SiteSectionGroupRow, SCRIPT, SiteSectionGroupRow.site_id == "t"),
    (EventRow, PERSON, event_lists.events("i", EventQuery())[0]),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    data: Path = tmp_path_factory.mktemp("orders")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite") as opened:
        yield opened


def plans(database: Database, run: Any) -> list[str]:
    """Give the plans of the ordered queries that something makes."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "ORDER BY" in statement:
            asked.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        with database.transaction(writes=True) as session:
            run(session)
    finally:
        event.remove(database.engine, "before_cursor_execute", note)
    with database.engine.connect() as connection:
        found = [connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all() for text, values in asked]
    assert found
    return ["\n".join(str(line[-1]) for line in lines) for lines in found]


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize(("table", "reach", "condition"), LISTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_list_is_read_in_its_order(
    database: Database, table: type[Table], reach: Reach, condition: Any, newest_first: bool
) -> None:
    def run(session: Any) -> None:
        orders = [replace(order, descending=order.descending is newest_first) for order in ORDERS[table]]
        rows.page(session, reach, table, condition, orders=orders, cursor=None, limit=10)

    assert not [plan for plan in plans(database, run) if "TEMP B-TREE" in plan]


def test_the_spaces_of_a_collection_are_read_as_they_stand(database: Database) -> None:
    def run(session: Any) -> None:
        inside = SpaceRow.collection_id == "c"
        rows.page(session, PERSON, SpaceRow, inside, orders=IN_PLACE, cursor=None, limit=10)

    (plan,) = plans(database, run)
    assert "spaces_in_collection" in plan and "TEMP B-TREE" not in plan


def test_what_ended_is_followed_in_its_order(database: Database) -> None:
    query = EventStreamQuery()
    for run in (
        lambda session: event_lists.ended(session, PERSON, "i", query, (0.0, 0), 10),
        lambda session: event_lists.last_ended(session, PERSON, "i", query, 10),
    ):
        assert not [plan for plan in plans(database, run) if "TEMP B-TREE" in plan]


def test_what_is_taken_next_is_not_sought_among_what_ended(database: Database) -> None:
    found = plans(database, lambda session: claims.claim(session, "me", limit=10, lease=1.0))
    assert "USING INDEX events_standing" in found[0] and "TEMP B-TREE" not in found[0].partition("LIST SUBQUERY")[0]


def test_a_crowd_of_changes_is_counted_by_its_index(database: Database) -> None:
    (plan,) = plans(database, lambda session: queue.next_slot(session, "n", most=10, window=10.0))
    assert "events_held" in plan and "TEMP B-TREE" not in plan
