"""What is done to many spaces at once does not ask the database for each of them: others wait meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.contract.installations import UpdatePart
from runtime.services import collections, installing, moving, structure
from runtime.store import migrate, secrets
from runtime.store.database import Database
from runtime.store.reach import Reach
from runtime.store.structure import attach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow, SpaceInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, UserRow
from runtime.store.tables.spaces import SpaceRow


class Filled(NamedTuple):
    """A collection with spaces, on all of which an integration is installed; another organization has it, too."""

    reach: Reach
    collection: CollectionRow
    other: OrganizationRow
    integration: IntegrationRow
    installation: InstallationRow


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("spaces")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    opened = Database(f"sqlite:///{folder / 'host.sqlite'}")
    migrate.migrate(opened)
    yield opened
    opened.close()


def fill(session: Session, many: int) -> Filled:
    user = UserRow(display_name="Ada", email=f"{new_id()}@example.com")
    home, other = (OrganizationRow(title=title) for title in ("Home", "Other"))
    session.add_all((user, home, other))
    session.flush()
    session.add_all(MemberRow(organization_id=one.id, user_id=user.id, role="admin") for one in (home, other))
    integration = IntegrationRow(
        name=new_id(), organization_id=home.id, version_id=new_id(), version=1, visibility="public", target="all",
        title="Everywhere", manifest={"scopes": []},
    )  # fmt: skip
    collection = CollectionRow(organization_id=home.id, title="Many")
    session.add_all((integration, collection))
    session.flush()
    attach(session, collection)
    session.add_all(
        SpaceRow(organization_id=home.id, collection_id=collection.id, title="One", emoji="1f4d8") for _ in range(many)
    )
    here, there = (
        InstallationRow(
            integration_id=integration.id, organization_id=one.id, configuration={}, status="active",
            space_selection="all",
        )
        for one in (home, other)
    )  # fmt: skip
    session.add_all((here, there))
    session.flush()
    installing.select_all(session, integration, here, "space")
    reach = Reach("user", user_id=user.id, roles=frozenset({(home.id, "admin"), (other.id, "admin")}))
    return Filled(reach, collection, other, integration, here)


def selected(session: Session, filled: Filled) -> None:
    installing.select_all(session, filled.integration, filled.installation, "space")


def transferred(session: Session, filled: Filled) -> None:
    moving.transfer(session, filled.reach, filled.collection, filled.other)


def deleted(session: Session, filled: Filled) -> None:
    collections.remove(session, filled.reach, filled.collection)


def uninstalled(session: Session, filled: Filled) -> None:
    installing.uninstall(session, filled.installation)


@pytest.mark.parametrize(
    ("act", "events"),
    [(fill, 1), (selected, 1), (transferred, 3), (deleted, 2), (uninstalled, 2)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_no_space_takes_a_statement_of_its_own(act: Callable[..., Any], events: int, database: Database) -> None:
    asked: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    counts = []
    for many in (3, 30):
        with database.transaction(writes=True) as session:
            filled = fill(session, many) if act is not fill else None
            session.flush()
            event.listen(database.engine, "before_cursor_execute", note)
            try:
                filled = act(session, many) if filled is None else act(session, filled) or filled
            finally:
                event.remove(database.engine, "before_cursor_execute", note)
            of = EventRow.integration_id == filled.integration.id, EventRow.type.like("space_installation%")
            assert session.scalar(select(func.count()).select_from(EventRow).where(*of)) == events * many
        counts.append(len(asked))
        asked.clear()
    assert counts[1] - counts[0] < 30 - 3, counts  # several events are written at a time


def test_no_event_is_written_for_what_was_installed_already(database: Database) -> None:
    with database.transaction(writes=True) as session:
        filled = fill(session, 3)
        structure.lock_structure(session, filled.collection.organization_id)
        installing.content_added(session)
        selected(session, filled)
        of = EventRow.integration_id == filled.integration.id
        assert session.scalar(select(func.count()).select_from(EventRow).where(of)) == 3


@pytest.mark.parametrize("most", [installing.MAX_TOLD, 10_000])
def test_long_configurations_of_what_is_removed_together_are_told_if_they_are_few(
    most: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installing, "MAX_TOLD", most)
    monkeypatch.setattr(installing, "REMOVED_AT_ONCE", 2)
    with database.transaction(writes=True) as session:
        filled = fill(session, 3)
        mine = SpaceInstallationRow.installation_id == filled.installation.id
        parts = session.scalars(select(SpaceInstallationRow).where(mine)).all()
        for part, text in zip(parts, ("short", "l" * 8000, "l" * 8000), strict=True):
            body = UpdatePart.model_validate({"configuration": {"text": text}})
            installing.update(session, filled.integration, filled.installation, part, "space", body, by_person=True)
    with database.transaction(writes=True) as session:
        installation = session.get(InstallationRow, filled.installation.id)
        assert installation is not None
        installing.uninstall(session, installation)
    with database.transaction(writes=False) as session:
        told = [
            json.loads(row.payload)["previous"]
            for row in session.scalars(
                select(EventRow).where(
                    EventRow.type == "space_installation_deleted", EventRow.installation_id == filled.installation.id
                )
            )
        ]
        assert not session.scalars(
            select(SpaceInstallationRow).where(mine, SpaceInstallationRow.deleted_at.is_(None))
        ).all()
    assert len(told) == 3
    if most == 10_000:
        assert told == [{}] * 3
    else:
        assert sorted(len(one["configuration"]["text"]) for one in told) == [5, 8000, 8000]
