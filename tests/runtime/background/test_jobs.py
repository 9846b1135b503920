"""Background jobs: each runs to its end once, whoever dies; one of a kind and subject at a time, in order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from runtime.background import jobs as running
from runtime.background.jobs import Job, JobFailed, JobKind, JobRunner, JobTools
from runtime.contract.addresses import Addresses
from runtime.contract.identifiers import new_id
from runtime.engines.egress import EgressRules
from runtime.engines.own_folders import Folders
from runtime.engines.separate_process.runner import SeparateProcessRunner
from runtime.store import jobs, organizations, secrets
from runtime.store.blobs.store import open_blobs
from runtime.store.database import Database, now
from runtime.store.tables.jobs import JobRow
from tests import threads
from tests.conftest import wait_for
from tests.databases import BOTH, opened


@pytest.fixture(params=BOTH)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with opened(tmp_path, request.param) as database:
        yield database


@pytest.fixture
def organization(database: Database) -> str:
    return organization_in(database)


def organization_in(database: Database) -> str:
    with database.transaction(writes=True) as session:
        return organizations.create_organization(session, "A", f"{new_id()}@example.com").organization


def endless(job: Job) -> None:
    while True:
        job.check()
        time.sleep(0.01)


class Work:
    """A kind whose work is a function of the test; tells what ran and what was given up."""

    def __init__(self, run: Callable[[Job], None]) -> None:
        self.ran: list[tuple[str, int]] = []
        self.given_up: list[tuple[str, str]] = []
        self._run = run

    def kind(self, **options: Any) -> JobKind:
        return JobKind("work", self.run, self.give_up, **options)

    def run(self, job: Job) -> None:
        self.ran.append((job.subject, job.attempt))
        self._run(job)

    def give_up(self, job: Job, sentence: str) -> None:
        self.given_up.append((job.subject, sentence))


@pytest.fixture
def start(database: Database, tmp_path: Path) -> Iterator[Callable[..., JobRunner]]:
    runners: list[JobRunner] = []
    blobs = open_blobs(database, str(tmp_path / "blobs"))
    folders = Folders("test-jobs-")
    tools = JobTools(database, EgressRules(), blobs, Addresses("http://a", ""), SeparateProcessRunner("off"), folders)

    def started(work: Work, threads: int = 4, **options: Any) -> JobRunner:
        runner = JobRunner(tools, [work.kind(**options)], threads)
        runners.append(runner)
        runner.start()
        return runner

    yield started
    for runner in runners:
        runner.close()


def put(database: Database, organization: str, subject: str, **payload: Any) -> None:
    with database.transaction(writes=True) as session:
        jobs.enqueue(session, "work", organization, subject, payload)


def left(database: Database) -> list[JobRow]:
    with database.transaction(writes=False) as session:
        return list(session.scalars(select(JobRow).order_by(JobRow.created_at)))


def test_jobs_run_and_are_gone(database: Database, organization: str, start: Callable[..., JobRunner]) -> None:
    work = Work(lambda job: job.save({"done": job.payload["number"]}))
    runner = start(work)
    for number in range(5):
        put(database, organization, f"subject {number}", number=number)
    runner.wake()
    wait_for(lambda: not left(database))
    assert sorted(work.ran) == [(f"subject {number}", 1) for number in range(5)]
    assert not work.given_up


def test_one_of_a_subject_at_a_time_in_order(
    database: Database, organization: str, start: Callable[..., JobRunner]
) -> None:
    order: list[int] = []
    inside = threading.Semaphore(1)
    together: list[int] = []

    def run(job: Job) -> None:
        if not inside.acquire(blocking=False):
            together.append(job.payload["number"])
            return
        time.sleep(0.02)
        order.append(job.payload["number"])
        inside.release()

    runners = [start(Work(run)), start(Work(run))]
    for number in range(6):
        put(database, organization, "the same", number=number)
    for runner in runners:
        runner.wake()
    wait_for(lambda: not left(database))
    assert order == list(range(6)) and not together


def test_one_organization_leaves_room_for_others(database: Database, start: Callable[..., JobRunner]) -> None:
    release = threading.Event()
    many, one = organization_in(database), organization_in(database)
    work = Work(lambda job: release.wait(30) and None)
    runner = start(work, threads=4)
    for number in range(6):
        put(database, many, f"many {number}")
    runner.wake()
    wait_for(lambda: len(work.ran) == 2)
    put(database, one, "one")
    runner.wake()
    wait_for(lambda: ("one", 1) in work.ran)
    assert len(work.ran) == 3
    release.set()
    wait_for(lambda: not left(database))


def test_what_fails_is_tried_again_and_given_up(
    database: Database, organization: str, start: Callable[..., JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PAUSES", (0.0, 0.0))

    def run(job: Job) -> None:
        if job.subject == "refused":
            raise JobFailed("There is nothing in it.")
        raise ValueError("a detail of ours")

    work = Work(run)
    runner = start(work)
    put(database, organization, "refused")
    put(database, organization, "broken")
    runner.wake()
    wait_for(lambda: not left(database))
    assert sorted(work.ran) == [("broken", 1), ("broken", 2), ("broken", 3), ("refused", 1)]
    assert sorted(work.given_up) == [("broken", running.NOT_OURS), ("refused", "There is nothing in it.")]


def test_a_dead_process_s_job_goes_on_where_it_was(
    database: Database, organization: str, start: Callable[..., JobRunner]
) -> None:
    put(database, organization, "half done", number=1)
    with database.transaction(writes=True) as session:
        row = jobs.next_due(session, now(), ["work"])
        assert row is not None and jobs.claim(session, row, "a process", 15.0)
        jobs.extend(session, row.id, "a process", 15.0, progress={"page": 7})
    seen: list[dict[str, Any]] = []
    work = Work(lambda job: seen.append(dict(job.progress)))
    runner = start(work)
    time.sleep(0.3)
    assert not seen, "its lease has not run out"
    with database.transaction(writes=True) as session:
        session.execute(update(JobRow).values(leased_until=now() - timedelta(seconds=1)))
    runner.wake()
    wait_for(lambda: not left(database))
    assert seen == [{"page": 7}] and work.ran == [("half done", 2)]


def test_one_that_kills_every_process_is_given_up(
    database: Database, organization: str, start: Callable[..., JobRunner]
) -> None:
    put(database, organization, "deadly")
    with database.transaction(writes=True) as session:
        session.execute(update(JobRow).values(attempts=running.MAX_ATTEMPTS))
    work = Work(lambda job: None)
    start(work)
    wait_for(lambda: not left(database))
    assert not work.ran and work.given_up == [("deadly", running.NOT_OURS)]


def test_a_closing_host_gives_its_jobs_back_uncounted(
    database: Database, organization: str, start: Callable[..., JobRunner]
) -> None:
    work = Work(endless)
    runner = start(work)
    put(database, organization, "long")
    runner.wake()
    wait_for(lambda: bool(work.ran))
    runner.close()
    (row,) = left(database)
    assert (row.attempts, row.holder, row.leased_until) == (0, None, None)


def test_one_whose_lease_was_lost_stops_and_writes_nothing(
    database: Database, organization: str, start: Callable[..., JobRunner]
) -> None:
    lost, stopped = threading.Event(), threading.Event()

    def run(job: Job) -> None:
        if job.attempt > 1:
            return
        lost.wait(30)
        try:
            job.save({"too": "late"})
        finally:
            stopped.set()

    work = Work(run)
    runner = start(work)
    put(database, organization, "slow")
    runner.wake()
    wait_for(lambda: bool(work.ran))
    with database.transaction(writes=True) as session:
        session.execute(update(JobRow).values(holder="another", leased_until=now() + timedelta(seconds=60)))
    lost.set()
    assert stopped.wait(30)
    (row,) = left(database)
    assert (row.holder, row.progress) == ("another", {})


def test_one_that_takes_too_long_is_given_up(
    database: Database, organization: str, start: Callable[..., JobRunner]
) -> None:
    work = Work(endless)
    runner = start(work, seconds=0.2)
    put(database, organization, "endless")
    runner.wake()
    wait_for(lambda: not left(database))
    assert [subject for subject, _ in work.given_up] == ["endless"]


def test_an_organization_has_so_many_jobs(database: Database, organization: str) -> None:
    for number in range(jobs.MAX_WAITING):
        put(database, organization, f"subject {number}")
    with pytest.raises(jobs.TooManyJobs):
        put(database, organization, "one more")
    put(database, organization_in(database), "somebody else's")


def test_a_job_that_gets_no_thread_waits_for_one(
    database: Database, organization: str, start: Callable[..., JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Work(lambda job: None)
    runner = start(work, threads=1)
    with monkeypatch.context() as patch:
        asked = threads.refuse(patch, "job work")
        put(database, organization, "a")
        for _ in range(2):  # each time with the one place that there is
            before = len(asked)
            runner.wake()
            wait_for(lambda before=before: len(asked) > before)
    wait_for(lambda: all(row.holder is None for row in left(database)))
    runner.wake()
    wait_for(lambda: not left(database))
    assert work.ran == [("a", 1)]


def test_a_job_that_nobody_needs_is_not_begun_and_ends(
    database: Database, organization: str, start: Callable[..., JobRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LEASE", 0.3)
    deleted = {"before"}
    work = Work(endless)
    runner = start(work, is_in_vain=lambda session, job: job.subject in deleted)
    for subject in ("before", "meanwhile"):
        put(database, organization, subject)
    runner.wake()
    wait_for(lambda: work.ran and work.given_up)
    assert work.ran == [("meanwhile", 1)] and work.given_up == [("before", running.IN_VAIN)]
    deleted.add("meanwhile")
    wait_for(lambda: not left(database))
    assert work.ran == [("meanwhile", 1)] and work.given_up[1:] == [("meanwhile", running.IN_VAIN)]


def test_a_job_that_another_process_tried_meanwhile_is_read_anew(database: Database, organization: str) -> None:
    put(database, organization, "a")
    with database.transaction(writes=False) as session:
        row = jobs.next_due(session, now(), ["work"])
    assert row is not None
    with database.transaction(writes=True) as session:
        assert jobs.claim(session, row, "another", 15.0)
        jobs.extend(session, row.id, "another", 15.0, progress={"read": 7})
        jobs.give_back(session, row.id, "another", now() + timedelta(seconds=60))
    with database.transaction(writes=True) as session:
        assert not jobs.claim(session, row, "late", 15.0)
    [same] = left(database)
    assert (same.holder, same.progress, same.attempts) == (None, {"read": 7}, 1)
