"""What a session has loaded it does not ask for again, and what it deletes is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import delete, event
from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.dispatch.deliveries import level_of
from runtime.serializers.installations import space_installations
from runtime.serializers.sites import sites
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import installed, locks, rows
from runtime.store.database import Database
from runtime.store.loaded import loaded
from runtime.store.rows import HOST, Reach
from runtime.store.tables.installations import ExternalIdRow, InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import World, named

INTEGRATION, INSTALLATION = named("integrations", "here"), named("installations", "here")
EXTERNAL_ID = named("external_ids", "here")
SITE_SPACE = named("site_spaces", "here")
SPACE, SPACE_THERE = named("spaces", "here"), named("spaces", "there")
AT = Addresses("http://localhost", "http://localhost")


class Asked(list[str]):
    """The statements that were run since it was cleared."""


@pytest.fixture
def asked(world: World) -> Iterator[Asked]:
    statements = Asked()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(world.database.engine, "before_cursor_execute", note)
    yield statements
    event.remove(world.database.engine, "before_cursor_execute", note)


@pytest.fixture
def session(world: World) -> Iterator[Session]:
    with world.database.transaction(writes=True) as opened:
        yield opened
        opened.rollback()


def test_what_never_changes_is_not_asked_for_again(session: Session, asked: Asked) -> None:
    installation = rows.find(session, HOST, InstallationRow, id=INSTALLATION)
    integration = rows.find(session, HOST, IntegrationRow, id=INTEGRATION)
    assert installation is not None and integration is not None
    asked.clear()
    assert installed.integrations_of(session, [INSTALLATION]) == {INSTALLATION: INTEGRATION}
    assert installed.names_of(session, [INTEGRATION]) == {INTEGRATION: integration.name}
    assert asked == []


def test_in_a_snapshot_a_row_is_found_once(world: World, asked: Asked) -> None:
    with world.database.reading() as record:
        found = rows.find(record.session, HOST, InstallationRow, id=INSTALLATION)
        asked.clear()
        assert found is not None and rows.find(record.session, HOST, InstallationRow, id=INSTALLATION) is found
        assert asked == []


def test_a_writer_that_looks_again_finds_what_others_have_deleted(
    world: World, session: Session, beside: Callable[..., Database]
) -> None:
    """Only PostgreSQL has several writers."""
    assert rows.find(session, HOST, ExternalIdRow, id=EXTERNAL_ID) is not None
    if not world.database.is_sqlite:
        with beside().transaction(writes=True) as other:
            other.execute(delete(ExternalIdRow).where(ExternalIdRow.id == EXTERNAL_ID))
    found = rows.find(session, HOST, ExternalIdRow, id=EXTERNAL_ID)
    assert (found is None) == (not world.database.is_sqlite)


def test_in_a_snapshot_only_the_other_rows_are_asked_for(world: World, asked: Asked) -> None:
    with world.database.reading() as record:
        here = rows.find(record.session, HOST, SpaceRow, id=SPACE)
        asked.clear()
        found = rows.by_id(record.session, SpaceRow, [SPACE, SPACE_THERE, "nobody"])
        assert found.keys() == {SPACE, SPACE_THERE} and found[SPACE] is here
        assert len(asked) == 1


def test_what_goes_with_another_row_is_gone(session: Session) -> None:
    """The database deletes it, and tells the session nothing."""
    site_space = rows.find(session, HOST, SiteSpaceRow, id=SITE_SPACE)
    assert site_space is not None
    session.execute(delete(SpaceRow.__table__).where(SpaceRow.__table__.c.id == site_space.space_id))
    assert rows.find(session, HOST, SiteSpaceRow, id=SITE_SPACE) is None
    assert rows.by_id(session, SiteSpaceRow, [SITE_SPACE]) == {}


def test_what_is_looked_for_by_more_than_its_id_is_asked_for(session: Session) -> None:
    space = rows.find(session, HOST, SpaceRow, id=SPACE)
    assert space is not None
    assert rows.find(session, HOST, SpaceRow, SpaceRow.title != space.title, id=SPACE) is None
    assert rows.find(session, HOST, SpaceRow, id=SPACE, organization_id="another") is None


@pytest.mark.parametrize("flushed", [False, True])
def test_what_a_session_deletes_is_gone(session: Session, flushed: bool) -> None:
    installation = rows.find(session, HOST, InstallationRow, id=INSTALLATION)
    session.delete(installation)
    if flushed:
        session.flush()
    assert loaded(session, InstallationRow, [INSTALLATION]) == {}
    assert rows.find(session, HOST, InstallationRow, id=INSTALLATION) is None
    assert rows.by_id(session, InstallationRow, [INSTALLATION]) == {}


def test_what_has_expired_is_read_anew(session: Session) -> None:
    space = rows.find(session, HOST, SpaceRow, id=SPACE)
    assert loaded(session, SpaceRow, [SPACE]) == {SPACE: space}
    session.expire(space)
    assert loaded(session, SpaceRow, [SPACE]) == {}


def test_nothing_is_asked_for_nothing(session: Session, asked: Asked) -> None:
    asked.clear()
    view = View(session, AT, HOST)
    assert spaces(view, []) == [] and sites(view, []) == []
    assert rows.by_id(session, SpaceRow, []) == {} == rows.seen_by_id(session, HOST, SpaceRow, [])
    assert asked == []


def test_only_where_others_write_rows_are_read_anew(world: World, session: Session, asked: Asked) -> None:
    """The writer of a SQLite file began before it read: what it has is as it stands."""
    space = rows.find(session, HOST, SpaceRow, id=SPACE)
    asked.clear()
    locks.refresh(session, space)
    assert len(asked) == (0 if world.database.is_sqlite else 1)


def test_what_a_script_is_told_of_a_space_reads_no_row_twice(world: World, asked: Asked) -> None:
    with world.database.reading() as record:
        level = level_of(record.session, INTEGRATION, INSTALLATION, SPACE, None)
        assert level is not None and level.space is not None
        asked.clear()
        view = View(record.session, AT, Reach("integration", integration_id=INTEGRATION))
        (shown,) = space_installations(view, [level.space])
        assert shown.installation == INSTALLATION and shown.space == SPACE
        assert len(asked) == 1 and "external_ids" in asked[0]


def test_an_epoch_moves_without_asking_whose_a_row_is_that_is_there(
    world: World, session: Session, asked: Asked
) -> None:
    level = level_of(session, INTEGRATION, INSTALLATION, SPACE, None)
    assert level is not None and level.space is not None and level.installation is not None
    level.space.configuration = {"changed": True}
    asked.clear()
    session.flush()
    # Where others write, too, it is asked whose the installation is by now.
    assert [statement.split()[0] for statement in asked] == ["SELECT", "UPDATE"][world.database.is_sqlite :]
