"""A database of an earlier release comes up to this one with everything in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, bindparam, text
from sqlalchemy.exc import OperationalError

from runtime.store import migrate, new_database, rows, secrets
from runtime.store.database import Database, UtcTime
from runtime.store.rows import HOST
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from tests import databases

MOMENT = "2026-01-01 00:00:00.000000"


@pytest.fixture(params=databases.BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    opened = Database(databases.empty(request.param, tmp_path))
    yield opened
    opened.close()


@contextmanager
def of_release(database: Database, revision: str) -> Iterator[Connection]:
    """Bring a database to the schema of an earlier release, and write there."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    with database.engine.connect() as connection:
        config.attributes["connection"] = writing = connection.execution_options(writes=True)
        command.upgrade(config, revision)
        yield writing
        writing.commit()


def test_a_database_of_the_first_release_keeps_what_is_in_it(database: Database) -> None:
    with of_release(database, "0001") as writing:
        for statement in (
            "INSERT INTO organizations (id, title, type, created_at) VALUES ('o', 'O', 'business', :moment)",
            "INSERT INTO spaces (id, organization_id, title, emoji, visibility, edit_mode, revision_id, created_at, "
            "updated_at) VALUES ('s', 'o', 'S', '1f4d8', 'private', 'locked', 'r', :moment, :moment)",
            "INSERT INTO sites (id, organization_id, type, title, visibility, published, created_at) "
            "VALUES ('t', 'o', 'basic', 'T', 'public', 0, :moment)",
            "INSERT INTO site_spaces (id, site_id, space_id, position) VALUES ('p', 't', 's', 0)",
            "INSERT INTO integrations (id, name, organization_id, version_id, version, visibility, target, title, "
            "manifest, signing_secret, tunnel_all, created_at, updated_at) "
            "VALUES ('i', 'i', 'o', 'v', 1, 'private', 'all', 'I', '{}', X'', 0, :moment, :moment)",
            *(
                "INSERT INTO installations (id, integration_id, organization_id, space_selection, site_selection, "
                "status, paused, configuration, revision, signing_secret, created_at, updated_at) "
                f"VALUES ('{one}', 'i', 'o', 'all', 'all', 'active', {paused}, X'', 1, X'', :moment, :moment)"
                for one, paused in (("on", 0), ("off", 1))
            ),
            *(
                "INSERT INTO events (id, integration_id, lane, type, payload, state, attempts, due_at, created_at) "
                f"VALUES ('{kind}', 'i', 'i', '{kind}', X'', 'given-up', 1, 0, :moment)"
                for kind in ("ui_render", "fetch", "site_view", "installation_setup")
            ),
        ):
            if not database.is_sqlite:
                statement = statement.replace("X''", "''").replace("'public', 0,", "'public', false,")
                statement = statement.replace("'', 0, :moment", "'', false, :moment")
                statement = statement.replace("'active', 0", "'active', false").replace("'active', 1", "'active', true")
            writing.execute(text(statement), {"moment": MOMENT} if ":moment" in statement else {})
    migrate.migrate(database)
    with database.transaction(writes=False) as session:
        site = rows.every(session, HOST, SiteRow)[0]
        assert (site.title, site.agents_context, site.adaptive_content) == ("T", "included", False)
        assert site.visitor_auth_backend is None
        assert [part.space_id for part in rows.every(session, HOST, SiteSpaceRow)] == ["s"]
    with database.engine.connect() as connection:
        paused = connection.execute(text("SELECT id FROM installations WHERE paused_by_person")).scalars()
        assert [*paused] == ["off"]
        sources = {row[0]: row[1] for row in connection.execute(text("SELECT id, source FROM events"))}
        told = {"ui_render": "people", "fetch": "visitors", "site_view": "visitors", "installation_setup": None}
        assert sources == told
        assert databases.differences(connection) == []


def test_of_what_was_there_twice_the_oldest_stays(database: Database) -> None:
    """Requests at the same moment could install twice; what the younger one had belongs to the older one now."""
    with of_release(database, "0004") as writing:
        _insert(writing, "organizations", id="o", title="O", type="business", created_at=at(0))
        content = {"organization_id": "o", "title": "C", "created_at": at(0)}
        for space in ("s", "t"):
            details = {"emoji": "1f4d8", "visibility": "private", "edit_mode": "locked", "revision_id": f"r{space}"}
            _insert(writing, "spaces", id=space, updated_at=at(0), **details, **content)
        _insert(writing, "sites", id="w", type="basic", visibility="public", published=False, **SITE, **content)
        for number, part in enumerate(("first", "second")):
            _insert(writing, "site_spaces", id=part, site_id="w", space_id="s", position=number)
        names = {"version_id": "v", "version": 1, "visibility": "private", "target": "all", "title": "I"}
        sealed = {"signing_secret": b"", "tunnel_all": False, "updated_at": at(0), "manifest": "{}"}
        _insert(writing, "integrations", id="i", name="i", **names, organization_id="o", **sealed, created_at=at(0))
        whole = {"integration_id": "i", "organization_id": "o", "space_selection": "all", "site_selection": "all"}
        for name, second in (("young", 3), ("old", 2), ("gone", 1)):
            gone = {"deleted_at": at(1)} if name == "gone" else {}
            _insert(writing, "installations", id=name, **whole, **configured(second), **gone)
        for name, owner, space in (("a", "old", "s"), ("b", "old", "s"), ("c", "young", "s"), ("d", "young", "t")):
            second = ord(name)
            _insert(
                writing, "space_installations", id=name, installation_id=owner, space_id=space, **configured(second)
            )
        _insert(writing, "site_installations", id="e", installation_id="young", site_id="w", **configured(9))
    migrate.migrate(database)
    with database.engine.connect() as connection:

        def live(table: str, columns: str = "id") -> list[tuple[str, ...]]:
            query = f"SELECT {columns} FROM {table} WHERE deleted_at IS NULL ORDER BY id"
            return [tuple(row) for row in connection.execute(text(query))]

        assert live("installations") == [("old",)]
        assert live("space_installations", "id, installation_id") == [("a", "old"), ("d", "old")]
        assert live("site_installations", "id, installation_id") == [("e", "old")]
        assert [*connection.execute(text("SELECT id FROM site_spaces")).scalars()] == ["first"]


def test_spaces_of_sites_get_their_places_and_an_address_stays_with_the_oldest_site(database: Database) -> None:
    with of_release(database, "0010") as writing:
        flags = {"sso": False, "ai": False, "invite_links": False, "email_domains": "[]", "merge_rules": "{}"}
        _insert(writing, "organizations", id="o", title="O", type="business", created_at=at(0), **flags)
        for space, title in (("s", "The API!"), ("t", "the api"), ("u", "日本")):
            details = {"emoji": "1f4d8", "visibility": "private", "edit_mode": "locked", "revision_id": f"r{space}"}
            times = {"created_at": at(0), "updated_at": at(0)}
            _insert(writing, "spaces", id=space, organization_id="o", title=title, **details, **times)
        for number, site in enumerate(("old", "young", "gone", "empty")):
            fixed = {"type": "basic", "visibility": "public", "published": False, "title": "W", "organization_id": "o"}
            proxy = (
                {}
                if site == "empty"
                else {"proxy": "Docs.example.com/Help" if site == "old" else "docs.example.com/Help"}
            )
            gone = {"deleted_at": at(1)} if site == "gone" else {}
            _insert(writing, "sites", id=site, **fixed, **SITE, **proxy, **gone, created_at=at(number))
        for number, part in enumerate("ust"):
            _insert(writing, "site_spaces", id=f"p{part}", site_id="old", space_id=part, position=number * 2)
        _insert(writing, "site_spaces", id="other", site_id="young", space_id="s", position=7)
    migrate.migrate(database)
    with database.engine.connect() as connection:
        query = (
            "SELECT id, path, default_of, holder_id, section_id, position FROM site_spaces ORDER BY site_id, position"
        )
        assert [tuple(row) for row in connection.execute(text(query))] == [
            ("pu", "space", "old", "old", None, 0),
            ("ps", "the-api", None, "old", None, 1),
            ("pt", "the-api-2", None, "old", None, 2),
            ("other", "the-api", "young", "young", None, 0),
        ]
        proxies = dict(connection.execute(text("SELECT id, proxy FROM sites")).all())
        assert proxies == {"old": "docs.example.com/Help", "young": None, "gone": None, "empty": None}


def test_what_organizations_store_is_counted_for_what_was_there(database: Database) -> None:
    with of_release(database, "0042") as writing:
        flags = {"sso": False, "ai": False, "invite_links": False, "email_domains": "[]", "merge_rules": "{}"}
        _insert(writing, "organizations", id="o", title="O", hostname="o", type="business", created_at=at(0), **flags)
        for space in ("text", "files", "both"):
            details = {"emoji": "1f4d8", "visibility": "private", "edit_mode": "locked", "revision_id": f"r{space}"}
            times = {"created_at": at(0), "updated_at": at(0)}
            _insert(writing, "spaces", id=space, organization_id="o", title="S", position=0, **details, **times)
        for space in ("text", "both"):
            _insert(writing, "content_sizes", space_id=space, size=3)
        for space in ("files", "both"):
            for name in ("a", "b"):
                _insert(writing, "space_blobs", space_id=space, name=name, size=1 << 33, added_at=at(0))
        names = {"version_id": "v", "version": 1, "visibility": "private", "target": "all", "title": "I"}
        sealed = {"signing_secret": b"", "tunnel_all": False, "updated_at": at(0), "manifest": "{}"}
        _insert(writing, "integrations", id="i", name="i", **names, organization_id="o", **sealed, created_at=at(0))
        for version, icon in (("v", b"12"), ("w", None)):
            code = {"runtime": "python", "entry": "s.py", "script": "é", "secrets": b"", "report": "{}", "icon": icon}
            _insert(
                writing,
                "integration_versions",
                id=version,
                integration_id="i",
                number=ord(version),
                previews=0,
                **code,
                created_at=at(0),
            )
        _insert(writing, "integration_previews", version_id="v", position=0, image=b"345")
        writing.execute(text("UPDATE integration_versions SET published = '{}' WHERE id = 'w'"))
        _insert(writing, "users", id="u", display_name="U", email="u@example.com", created_at=at(0))
        _insert(writing, "members", organization_id="o", user_id="u", joined_at=at(0), sso=True, disabled=False)
        said = {"document": "{}", "markdown": "é", "user_id": "u", "revision_id": "r", "posted_at": at(0)}
        _insert(writing, "content_pieces", space_id="both", name=b"n", content=b"12345")
        for identifier in ("c", "d"):
            _insert(writing, "comments", id=identifier, place_id="text", space_id="text", **said)
    migrate.migrate(database)
    with database.engine.connect() as connection:
        query = text("SELECT space_id, size, files, comments FROM content_sizes ORDER BY space_id")
        assert [*map(tuple, connection.execute(query))] == [
            ("both", 5, 1 << 34, 0),
            ("files", 0, 1 << 34, 0),
            ("text", 0, 0, 8),
        ]
        assert connection.scalar(text("SELECT provisioned FROM members")), "as far as anybody knows"
        query = text("SELECT id, size FROM integration_versions ORDER BY id")
        assert [*map(tuple, connection.execute(query))] == [("v", 2 + 2 + 3), ("w", 2 + 2)]


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)


def configured(second: int) -> dict[str, Any]:
    flags = {"status": "active", "paused": False, "paused_by_person": False, "revision": 1}
    return {**flags, "configuration": b"", "signing_secret": b"", "created_at": at(second), "updated_at": at(second)}


SITE = {"adaptive_content": False, "agents_context": "included"}


def _insert(connection: Connection, table: str, **values: Any) -> None:
    places = ", ".join(f":{name}" for name in values)
    statement = text(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})")
    moments = [bindparam(name, type_=UtcTime()) for name, value in values.items() if isinstance(value, datetime)]
    connection.execute(statement.bindparams(*moments), values)


def test_a_new_database_is_what_all_migrations_make_of_an_empty_one() -> None:
    written, made = migrate.NEW_SQLITE.read_text(), new_database.from_migrations()
    assert new_database.comparable(written) == new_database.comparable(made), "run `make schema`"


def test_a_new_database_is_made_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Database(databases.empty("sqlite", tmp_path))
    broken = tmp_path / "broken.sql"
    broken.write_text(migrate.NEW_SQLITE.read_text().replace("CREATE TABLE users", "CREATE TABLE sites"))
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "NEW_SQLITE", broken)
        with pytest.raises(OperationalError, match="already exists"):
            migrate.migrate(opened)
    assert migrate.revision(opened) is None
    migrate.migrate(opened)
    assert migrate.revision(opened) == migrate.HEAD
    with opened.engine.connect() as connection:
        assert databases.differences(connection) == []
    opened.close()
