"""The schema, its migrations, and the two promises of the store: nobody else's rows, nothing readable at rest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.events import EventStreamQuery
from runtime.contract.identifiers import new_id
from runtime.store import event_lists, migrate, organizations, queue, rows, schema, secrets
from runtime.store.cursors import Order
from runtime.store.database import Database, Table
from runtime.store.rows import HOST, Reach
from runtime.store.storage_limits import StorageLimits, limits_of
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One database for the many examples of a property; each uses ids of its own."""
    folder = tmp_path_factory.mktemp("shared")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    opened = Database(f"sqlite:///{folder / 'host.sqlite'}")
    migrate.migrate(opened)
    yield opened
    opened.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    opened = Database(f"sqlite:///{tmp_path / 'host.sqlite'}")
    migrate.migrate(opened)
    yield opened
    opened.close()


def test_the_migrations_make_what_the_tables_say(database: Database) -> None:
    with database.engine.connect() as connection:
        assert databases.differences(connection) == []


def test_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


def test_sessions_know_the_limits_of_their_database(database: Database, tmp_path: Path) -> None:
    limits = StorageLimits(2.5, tmp_path)
    limited = Database(database.url, storage=limits)
    for writes in (True, False):
        with limited.transaction(writes=writes) as session:
            assert limits_of(session) == limits
        with database.transaction(writes=writes) as session:
            assert limits_of(session) == StorageLimits()
    limited.close()


def test_migrating_twice_changes_nothing(database: Database) -> None:
    migrate.migrate(database)
    with database.transaction(writes=False) as session:
        assert rows.every(session, HOST, OrganizationRow) == []


def test_moments_come_back_in_utc(database: Database) -> None:
    moment = datetime(2026, 3, 29, 2, 30, tzinfo=timezone(timedelta(hours=2)))
    with database.transaction(writes=True) as session:
        session.add(OrganizationRow(title="A", created_at=moment))
    with database.transaction(writes=False) as session:
        found = rows.every(session, HOST, OrganizationRow)[0].created_at
    assert found == moment and found.tzinfo == UTC


def test_tokens_and_configurations_are_not_readable_at_rest(database: Database, tmp_path: Path) -> None:
    with database.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        integration = IntegrationRow(
            name="x",
            organization_id=made.organization,
            version_id="v",
            version=1,
            visibility="private",
            target="all",
            title="x",
            manifest={},
        )
        session.add(integration)
        session.flush()
        configuration = {"token": "plain-configuration"}
        session.add(
            InstallationRow(
                integration_id=integration.id,
                organization_id=made.organization,
                status="active",
                configuration=configuration,
            )
        )
    with database.transaction(writes=False) as session:
        row = rows.every(session, HOST, InstallationRow)[0]
        assert row.configuration == configuration
        signing = row.signing_secret
    content = b"".join(file.read_bytes() for file in tmp_path.glob("host.sqlite*"))
    for hidden in (made.token, "plain-configuration", signing, integration.signing_secret):
        assert hidden.encode() not in content


def test_another_key_cannot_read_the_database(database: Database) -> None:
    sealed = secrets.encrypt(b"something")
    assert secrets.decrypt(sealed) == b"something"
    secrets.use_keyring(secrets.Keyring(b"x" * 32))
    with pytest.raises(secrets.KeyMissing):
        secrets.decrypt(sealed)


def test_the_same_person_founds_twice(database: Database) -> None:
    with database.transaction(writes=True) as session:
        first = organizations.create_organization(session, "A", "a@example.com")
        again = organizations.create_organization(session, "A", "a@example.com")
        other = organizations.create_organization(session, "B", "a@example.com")
        stranger = organizations.create_organization(session, "A", "b@example.com")
    assert (first.organization, first.user) == (again.organization, again.user)
    assert other.user == first.user and other.organization != first.organization
    assert stranger.organization != first.organization
    assert len({first.token, again.token, other.token, stranger.token}) == 4


@settings(max_examples=50, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    limit=st.integers(1, 7),
    newest_first=st.booleans(),
)
def test_pages_hold_each_visible_row_once(shared: Database, sizes: list[int], limit: int, newest_first: bool) -> None:
    opened = shared
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    owners = []
    with opened.transaction(writes=True) as session:
        for size in sizes:
            organization = OrganizationRow(title="A")
            session.add(organization)
            session.flush()
            owners.append(organization.id)
            # The same moment for all: only the id tells them apart.
            session.add_all(
                SpaceRow(organization_id=organization.id, title="x", emoji="x", created_at=moment) for _ in range(size)
            )
    with opened.transaction(writes=False) as session:
        for owner, size in zip(owners, sizes, strict=True):
            reach = Reach("user", user_id="u", roles=frozenset({(owner, "read")}))
            orders = [Order(SpaceRow.created_at, newest_first), Order(SpaceRow.id, newest_first)]
            seen: list[str] = []
            cursor = None
            while True:
                page = rows.page(session, reach, SpaceRow, orders=orders, cursor=cursor, limit=limit)
                assert page.count == size and len(page.rows) <= limit
                seen += [row.id for row in page.rows]
                cursor = page.next
                if cursor is None:
                    break
            assert len(seen) == len(set(seen)) == size
            assert all(row.organization_id == owner for row in rows.every(session, reach, SpaceRow))


@settings(max_examples=50, deadline=None)
@given(moments=st.lists(st.sampled_from([None, 1.0, 1.5, 2.0]), min_size=1, max_size=20), limit=st.integers(1, 7))
def test_what_ended_at_one_moment_is_followed_whole(shared: Database, moments: list[float | None], limit: int) -> None:
    opened, name = shared, new_id()
    fixed = {"integration_id": name, "lane": name, "type": "task", "payload": "{}", "state": "delivered", "attempts": 1}
    fixed |= {"due_at": 0.0, "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    ids = [new_id() for _ in moments]
    with opened.transaction(writes=True) as session:
        queue.add(session, [fixed | {"id": key, "ended_at": moment} for key, moment in zip(ids, moments, strict=True)])
    with opened.transaction(writes=False) as session:
        seen: list[EventRow] = []
        place = (0.0, 0)
        while page := event_lists.ended(session, rows.HOST, name, EventStreamQuery(), place, limit):
            assert len(page) <= limit
            seen += page
            place = (page[-1].ended_at, page[-1].seq)  # type: ignore[assignment]
        wanted = sorted((moment, key) for key, moment in zip(ids, moments, strict=True) if moment is not None)
        assert sorted((row.ended_at, row.id) for row in seen) == wanted  # type: ignore[type-var]
        assert [row.ended_at for row in seen] == [moment for moment, _ in wanted]


@pytest.mark.parametrize("table", schema.TABLES)
def test_a_table_without_a_rule_is_seen_by_the_host_only(table: type[Table], database: Database) -> None:
    with database.transaction(writes=True) as session:
        organizations.create_organization(session, "A", "a@example.com")
        nobody = Reach("user", user_id="nobody")
        assert rows.every(session, nobody, table) == []
