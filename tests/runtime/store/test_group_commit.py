"""Writers of a SQLite file commit together: none loses what another takes back, and all learn of a failed commit."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, func, select
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from runtime.contract.identifiers import new_id
from runtime.store import group_commit, migrate, secrets
from runtime.store.database import Database
from runtime.store.rows import HOST, every, find
from runtime.store.tables.organizations import OrganizationRow

Body = Callable[[Session], object]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("together")
    secrets.use_keyring(secrets.load_keyring(folder, None))
    with closing(Database(f"sqlite:///{folder / 'host.sqlite'}")) as opened:
        migrate.migrate(opened)
        yield opened


@pytest.fixture(autouse=True, scope="module")
def slow_machine() -> Iterator[None]:
    """A group takes writers for long, since the first of them waits for the others here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(group_commit, "LONGEST", 20)
        yield


@pytest.fixture
def commits(database: Database) -> Iterator[list[str]]:
    """The commits and the rollbacks of whole transactions, as they happen."""
    seen: list[str] = []

    def commit(_: object) -> None:
        seen.append("commit")

    def rollback(_: object) -> None:
        seen.append("rollback")

    event.listen(database.engine, "commit", commit)
    event.listen(database.engine, "rollback", rollback)
    yield seen
    event.remove(database.engine, "commit", commit)
    event.remove(database.engine, "rollback", rollback)


def together(database: Database, bodies: list[Body]) -> list[BaseException | None]:
    """Run transactions of which all others wait while the first one has its turn; gives what each raised."""
    begun = threading.Event()

    def run(body: Body, holding: bool) -> BaseException | None:
        try:
            with database.transaction(writes=True) as session:
                if holding:
                    begun.set()
                    while database._writers._waiting < len(bodies) - 1:
                        pass
                body(session)
        except Exception as error:
            return error
        return None

    with ThreadPoolExecutor(len(bodies)) as threads:
        first = threads.submit(run, bodies[0], True)
        assert begun.wait(30)
        others = [threads.submit(run, body, False) for body in bodies[1:]]
        return [done.result(60) for done in (first, *others)]


def adding(title: str) -> Body:
    return lambda session: session.add(OrganizationRow(title=title))


def stored(database: Database, title: str) -> int:
    with database.transaction(writes=False) as session:
        return len(every(session, HOST, OrganizationRow, title=title))


def test_those_who_waited_commit_together(database: Database, commits: list[str]) -> None:
    title = new_id()
    assert together(database, [adding(title)] * 8) == [None] * 8
    assert stored(database, title) == 8
    assert commits.count("commit") < 8


@settings(max_examples=25, deadline=None)
@given(sound=st.lists(st.booleans(), min_size=2, max_size=8))
def test_what_one_takes_back_the_others_do_not_lose(database: Database, sound: list[bool]) -> None:
    title = new_id()

    def failing(session: Session) -> None:
        adding(title)(session)
        session.flush()
        raise ValueError

    raised = together(database, [adding(title) if one else failing for one in sound])
    assert [error is None for error in raised] == sound
    assert stored(database, title) == sum(sound)


def test_a_row_that_is_there_is_refused_to_its_writer_alone(database: Database) -> None:
    title, hostname = new_id(), new_id().lower()

    def taking(session: Session) -> None:
        session.add(OrganizationRow(title=title, hostname=hostname))

    raised = together(database, [taking, adding(title), taking, adding(title)])
    assert [type(error) for error in raised].count(IntegrityError) == 1
    assert [type(error) for error in raised].count(type(None)) == 3
    assert stored(database, title) == 3


def test_each_sees_what_the_ones_before_it_wrote(database: Database) -> None:
    title = new_id()
    seen: list[int] = []

    def count(session: Session) -> None:
        seen.append(session.scalar(select(func.count()).where(OrganizationRow.title == title)) or 0)
        adding(title)(session)

    assert together(database, [count] * 5) == [None] * 5
    assert sorted(seen) == list(range(5))


def test_a_transaction_that_sqlite_gives_up_fails_for_all_of_it(database: Database) -> None:
    title = new_id()

    def broken(session: Session) -> None:
        driver = session.connection().connection.dbapi_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.execute("ROLLBACK")  # as SQLite does by itself where the disk is full
        raise ValueError

    raised = together(database, [adding(title), broken])
    assert [type(error) for error in raised] == [OperationalError] * 2
    assert stored(database, title) == 0
    assert together(database, [adding(title)] * 2) == [None, None]
    assert stored(database, title) == 2


def test_a_commit_that_fails_is_told_to_each(database: Database) -> None:
    title = new_id()

    def refuse(_: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    event.listen(database.engine, "commit", refuse)
    try:
        raised = together(database, [adding(title)] * 3)
    finally:
        event.remove(database.engine, "commit", refuse)
    assert all(error is not None for error in raised)
    assert stored(database, title) == 0
    assert together(database, [adding(title)]) == [None]


def test_a_group_is_never_open_for_nobody(database: Database) -> None:
    """A reader sees what was written as soon as its writer is answered, whoever writes meanwhile."""
    titles = [new_id() for _ in range(200)]

    def write(title: str) -> bool:
        with database.transaction(writes=True) as session:
            adding(title)(session)
        with database.transaction(writes=False) as session:
            return find(session, HOST, OrganizationRow, title=title) is not None

    with ThreadPoolExecutor(16) as threads:
        assert all(threads.map(write, titles))
    assert database._writers._group is None


def test_files_are_as_they_were_said_to_be(tmp_path: Path) -> None:
    """What was answered is there for who opens the file anew."""
    with closing(Database(f"sqlite:///{tmp_path / 'host.sqlite'}")) as one:
        migrate.migrate(one)
        together(one, [adding("x")] * 4)
        with closing(sqlite3.connect(tmp_path / "host.sqlite")) as other:
            assert other.execute("SELECT count(*) FROM organizations WHERE title = 'x'").fetchone() == (4,)


def test_who_waits_for_the_disk_alone_does_not_go_ahead_of_others(database: Database) -> None:
    """Those who want the lock must have it soon; who has written and let it go holds nothing that others wait for."""
    entered: list[str] = []

    def entering(what: str) -> Callable[[], AbstractContextManager[None]]:
        @contextmanager
        def enter() -> Iterator[None]:
            entered.append(what)
            yield

        return enter

    database.share(nullcontext, entering("waits"), entering("waits for the lock"))
    try:
        assert together(database, [adding(new_id())] * 8) == [None] * 8
    finally:
        database.share(nullcontext, nullcontext, nullcontext)
    assert entered.count("waits") >= 1
    # Those who came while another wrote, and whoever committed.
    assert entered.count("waits for the lock") >= 2
