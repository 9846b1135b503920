"""Spaces that were deleted go for good after seven days, with what was installed there; nothing else goes with them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from runtime.background.purging import BATCH, SPACES_KEPT, Purger
from runtime.services import installing, spaces
from runtime.store import organizations, rows, secrets
from runtime.store.blobs.store import open_blobs
from runtime.store.database import Database, now
from runtime.store.rows import HOST
from runtime.store.tables.events import EventRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.installations import ExternalIdRow, InstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.spaces import SpaceRow
from tests import databases

LATE = SPACES_KEPT + timedelta(minutes=1)


@pytest.fixture(params=databases.BOTH)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path, request.param) as database:
        yield database


def test_a_space_goes_with_what_was_installed_there(store: Database) -> None:
    with store.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        fixed = {"version_id": "v", "version": 1, "visibility": "private", "target": "all", "title": "X"}
        integration = IntegrationRow(name="x", organization_id=made.organization, manifest={"scopes": []}, **fixed)
        session.add(integration)
        session.flush()
        installation = installing.install(session, integration, made.organization)
        every = [
            SpaceRow(organization_id=made.organization, title=title, emoji="") for title in ("late", "new", "kept")
        ]
        session.add_all(every)
        session.flush()
        for space in every:
            part = installing.install_on_space(session, integration, installation, space)
            session.add(ExternalIdRow(owner_id=part.id, position=0, value=space.title))
            grant = {"organization_id": made.organization, "user_id": made.user, "role": "read"}
            session.add(GrantRow(space_id=space.id, **grant))
        for space in every[:2]:
            assert spaces.remove(session, space)
        every[0].deleted_at = now() - LATE
    purger = Purger(store, open_blobs(store, "/nonexistent"), keep_events=2000)
    assert purger.purge_spaces() == 1 and purger.purge_spaces() == 0
    with store.transaction(writes=False) as session:
        assert {space.title for space in rows.every(session, HOST, SpaceRow)} == {"new", "kept"}
        assert len(rows.every(session, HOST, SpaceInstallationRow)) == 2
        assert {one.value for one in rows.every(session, HOST, ExternalIdRow)} == {"new", "kept"}
        assert len(rows.every(session, HOST, GrantRow)) == 2
        assert len(rows.every(session, HOST, InstallationRow)) == 1
        left = [event.payload for event in rows.every(session, HOST, EventRow)]
        assert not any(every[0].id in payload for payload in left)
        # That it was installed, and that it is not any more.
        assert sum(every[1].id in payload for payload in left) == 2
        assert any("installation_setup" in payload for payload in left)


def test_spaces_go_in_steps_and_what_came_back_stays(store: Database) -> None:
    many = BATCH + 5
    with store.transaction(writes=True) as session:
        made = organizations.create_organization(session, "A", "a@example.com")
        of = {"organization_id": made.organization, "emoji": ""}
        session.add_all(SpaceRow(**of, title="late", deleted_at=now() - LATE) for _ in range(many))
        session.add(SpaceRow(**of, title="new", deleted_at=now() - SPACES_KEPT + timedelta(minutes=5)))
    purger = Purger(store, open_blobs(store, "/nonexistent"), keep_events=2000)
    assert [purger.purge_spaces() for _ in range(3)] == [BATCH, many - BATCH, 0]
    with store.transaction(writes=True) as session:
        (left,) = rows.every(session, HOST, SpaceRow)
        assert spaces.restore(session, left).deleted_at is None
    with store.transaction(writes=False) as session:
        assert [space.title for space in rows.every(session, HOST, SpaceRow)] == ["new"]
