"""The schema, its migrations, and the two promises of the store: nobody else's rows, nothing readable at rest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.contract.events import EventStreamQuery
from runtime.store import epoch, founding, migrate, queue, rows, searching, secrets
from runtime.store.database import Database, Table
from runtime.store.rows import HOST, Reach
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow, TokenRow
from runtime.store.tables.spaces import SpaceRow


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    opened = Database(f"sqlite:///{tmp_path / 'host.sqlite'}")
    migrate.migrate(opened)
    yield opened
    opened.close()


def test_the_migrations_make_what_the_tables_say(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, [Table.metadata, epoch.metadata]) == []  # type: ignore[arg-type]


def test_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


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


def test_the_epoch_moves_with_what_decides_and_only_then(database: Database) -> None:
    before = database.epoch()
    with database.transaction(writes=True) as session:
        made = founding.found(session, "A", "a@example.com")
    after = database.epoch()
    assert after == before + 1
    with database.transaction(writes=False) as session:
        rows.every(session, HOST, TokenRow)
    assert database.epoch() == after
    with pytest.raises(RuntimeError), database.transaction(writes=True) as session:
        session.add(SpaceRow(organization_id=made.organization, title="x", emoji="x"))
        raise RuntimeError
    assert database.epoch() == after


def test_tokens_and_configurations_are_not_readable_at_rest(database: Database, tmp_path: Path) -> None:
    with database.transaction(writes=True) as session:
        made = founding.found(session, "A", "a@example.com")
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
        first = founding.found(session, "A", "a@example.com")
        again = founding.found(session, "A", "a@example.com")
        other = founding.found(session, "B", "a@example.com")
        stranger = founding.found(session, "A", "b@example.com")
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
def test_pages_hold_each_visible_row_once(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], limit: int, newest_first: bool
) -> None:
    opened = Database(f"sqlite:///{tmp_path_factory.mktemp('pages') / 'host.sqlite'}")
    migrate.migrate(opened)
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
            reach = Reach("user", user_id="u", organizations=frozenset({owner}))
            seen: list[str] = []
            cursor = None
            while True:
                page = rows.page(session, reach, SpaceRow, cursor=cursor, limit=limit, newest_first=newest_first)
                assert page.count == size and len(page.rows) <= limit
                seen += [row.id for row in page.rows]
                cursor = page.next
                if cursor is None:
                    break
            assert len(seen) == len(set(seen)) == size
            assert all(row.organization_id == owner for row in rows.every(session, reach, SpaceRow))
    opened.close()


@settings(max_examples=50, deadline=None)
@given(moments=st.lists(st.sampled_from([None, 1.0, 1.5, 2.0]), min_size=1, max_size=20), limit=st.integers(1, 7))
def test_what_ended_at_one_moment_is_followed_whole(
    tmp_path_factory: pytest.TempPathFactory, moments: list[float | None], limit: int
) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path_factory.mktemp("key"), None))
    opened = Database(f"sqlite:///{tmp_path_factory.mktemp('followed') / 'host.sqlite'}")
    migrate.migrate(opened)
    shared = {"integration_id": "i", "lane": "i", "type": "task", "payload": "{}", "state": "delivered", "attempts": 1}
    shared |= {"due_at": 0.0, "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    with opened.transaction(writes=True) as session:
        queue.add(session, [shared | {"id": str(n), "ended_at": moment} for n, moment in enumerate(moments)])
    with opened.transaction(writes=False) as session:
        seen: list[EventRow] = []
        place = (0.0, 0)
        while page := searching.ended(session, rows.HOST, "i", EventStreamQuery(), place, limit):
            assert len(page) <= limit
            seen += page
            place = (page[-1].ended_at, page[-1].seq)  # type: ignore[assignment]
        wanted = sorted((moment, str(n)) for n, moment in enumerate(moments) if moment is not None)
        assert sorted((row.ended_at, row.id) for row in seen) == wanted  # type: ignore[type-var]
        assert [row.ended_at for row in seen] == [moment for moment, _ in wanted]
    opened.close()


@given(st.text(max_size=60))
def test_no_text_is_a_cursor_by_accident(text: str) -> None:
    with pytest.raises(rows.BadCursor):
        rows._beyond(SpaceRow.created_at, SpaceRow.id, text, True)


@pytest.mark.parametrize("table", rows.TABLES)
def test_a_table_without_a_rule_is_seen_by_the_host_only(table: type[Table], database: Database) -> None:
    with database.transaction(writes=True) as session:
        founding.found(session, "A", "a@example.com")
        nobody = Reach("user", user_id="nobody", organizations=frozenset())
        assert rows.every(session, nobody, table) == []
