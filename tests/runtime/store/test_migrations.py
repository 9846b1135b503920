"""A database of an earlier release comes up to this one with everything in it."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import text

from runtime.store import epoch, migrate, rows, secrets
from runtime.store.database import Database, Table
from runtime.store.rows import HOST
from runtime.store.tables.sites import SiteRow, SiteSpaceRow

MOMENT = "2026-01-01 00:00:00.000000"


def test_a_database_of_the_first_release_keeps_what_is_in_it(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    database = Database(f"sqlite:///{tmp_path / 'host.sqlite'}")
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    with database.engine.connect() as connection:
        config.attributes["connection"] = writing = connection.execution_options(writes=True)
        command.upgrade(config, "0001")
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
            writing.execute(text(statement), {"moment": MOMENT} if ":moment" in statement else {})
        writing.commit()
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
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, [Table.metadata, epoch.metadata]) == []  # type: ignore[arg-type]
    database.close()
