"""Which renders are written into the event log, and which are only counted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.contract.invocation import Failure, LogLine, Outcome, Script, ScriptFault, Subrequest, Trace
from runtime.contract.masking import BY_SHAPE
from runtime.dispatch import followers as following
from runtime.dispatch.followers import Followers
from runtime.dispatch.planning import Plan
from runtime.dispatch.sampling import MAX_COUNTED, OF_AN_ORGANIZATION, SLOW, Sampling, noteworthy
from runtime.store import migrate
from runtime.store.database import Database

GOOD = Outcome(200, [], b"{}")
QUICK = 0.01


def skips(sampling: Sampling, plan: Plan) -> bool:
    """Whether a render that succeeded as most do is not written."""
    return sampling.skips(plan, "ui_render", sampled=not noteworthy(GOOD, Trace(), QUICK))


def plan(installation: str = "one", integration: str = "i", tunnel: str | None = None, organization: str = "o") -> Plan:
    script = Script("v", "python", "")
    return Plan(
        integration,
        integration,
        installation,
        organization,
        script,
        b"{}",
        "f",
        BY_SHAPE,
        tunnel,
        None,
        None,
        "https://x.example",
        0.0,
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'host.sqlite'}")
    migrate.migrate(database)
    yield database
    database.close()


@pytest.fixture
def alone(database: Database) -> Followers:
    return Followers(database, alone=True)


def test_the_first_of_a_second_are_written_and_the_rest_is_counted(alone: Followers) -> None:
    sampling = Sampling(alone, 3)
    began = int(time.monotonic())
    skipped = [skips(sampling, plan()) for _ in range(100)].count(True)
    seconds = int(time.monotonic()) - began + 1
    assert 100 - 3 * seconds <= skipped <= 97
    assert sampling.counted(plan()) == skipped
    assert sampling.counted(plan()) == 0


def test_each_integration_has_its_own_first_ones(alone: Followers) -> None:
    sampling = Sampling(alone, 1)
    while not skips(sampling, plan()):
        pass
    assert not skips(sampling, plan(integration="another"))


def test_installations_are_counted_apart(alone: Followers) -> None:
    sampling = Sampling(alone, 0)
    for installation in ("one", "two", "one"):
        assert skips(sampling, plan(installation))
    assert [sampling.counted(plan(installation)) for installation in ("one", "two", "three")] == [2, 1, 0]


@pytest.mark.parametrize(
    "special",
    [
        (replace(GOOD, status=422), Trace(), QUICK),
        (replace(GOOD, failure=Failure("timeout", "too long")), Trace(), QUICK),
        (GOOD, Trace(failure=Failure("limit", "too long an answer", "response")), QUICK),
        (GOOD, Trace(fault=ScriptFault("later")), QUICK),
        (GOOD, Trace(logs=[LogLine(0.0, "info", "a"), LogLine(0.0, "warn", "b")]), QUICK),
        (GOOD, Trace(logs=[LogLine(0.0, "error", "b")]), QUICK),
        (GOOD, Trace(subrequests=[Subrequest(0.0, "GET", "https://x.example", None, 1.0)]), QUICK),
        (GOOD, Trace(subrequests=[Subrequest(0.0, "GET", "https://x.example", 403, 1.0, "private")]), QUICK),
        (GOOD, Trace(), SLOW),
    ],
    ids=["status", "failure", "cut off", "fault", "warning", "error", "no answer", "refused", "slow"],
)
def test_what_is_out_of_the_ordinary_is_not_sampled(special: tuple[Outcome, Trace, float]) -> None:
    ordinary = Trace(
        logs=[LogLine(0.0, "info", "a"), LogLine(0.0, "debug", "a")],
        subrequests=[Subrequest(0.0, "GET", "https://x.example", 404, 1.0)],
    )
    assert not noteworthy(GOOD, ordinary, QUICK)
    assert noteworthy(*special)


@pytest.mark.parametrize("where", ["many integrations", "followed", "in development"])
def test_an_organization_fills_only_a_part_of_the_log(alone: Followers, where: str) -> None:
    sampling = Sampling(alone, 50)
    began = int(time.monotonic())
    with alone.follow("followed"):
        written = 0
        for number in range(OF_AN_ORGANIZATION * 5):
            integration = f"i{number}" if where == "many integrations" else "followed"
            tunnel = "https://t.example" if where == "in development" else None
            failed = plan(integration=integration, tunnel=tunnel)
            written += not sampling.skips(failed, "fetch", sampled=where == "followed")
        seconds = int(time.monotonic()) - began + 1
        most = OF_AN_ORGANIZATION if where == "many integrations" else OF_AN_ORGANIZATION * 3 // 4
        assert most <= written <= most * seconds
        assert not sampling.skips(plan(organization="another"), "fetch", sampled=False)


def test_no_integration_hides_what_another_one_of_its_organization_does(alone: Followers) -> None:
    """Anybody may call a public endpoint as often as they like."""
    sampling = Sampling(alone, 50)
    for flooded in ("a", "b", "c"):
        while not sampling.skips(plan(integration=flooded), "fetch", sampled=False):
            pass
        assert not sampling.skips(plan(integration=f"beside {flooded}"), "fetch", sampled=False)


def test_an_author_sees_every_failure(alone: Followers) -> None:
    sampling = Sampling(alone, 0, everything=True)
    assert not any(sampling.skips(plan(), "fetch", sampled=False) for _ in range(OF_AN_ORGANIZATION * 3))


def test_an_author_sees_everything(alone: Followers) -> None:
    assert not skips(Sampling(alone, 0, everything=True), plan())
    assert not skips(Sampling(alone, 0), plan(tunnel="https://t.example"))


def test_what_is_followed_is_written(alone: Followers) -> None:
    sampling = Sampling(alone, 0)
    with alone.follow("i"), alone.follow("i"):
        assert not skips(sampling, plan())
        assert skips(sampling, plan(integration="another"))
    assert skips(sampling, plan())


def test_counts_are_bounded(alone: Followers) -> None:
    sampling = Sampling(alone, 0)
    for number in range(MAX_COUNTED + 5):
        assert skips(sampling, plan(str(number)))
    assert sampling.counted(plan("0")) == 1
    assert sampling.counted(plan(str(MAX_COUNTED + 1))) == 0


def test_threads_lose_no_count(alone: Followers) -> None:
    sampling = Sampling(alone, 0)

    def many() -> None:
        for _ in range(2_000):
            skips(sampling, plan())

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sampling.counted(plan()) == 8_000


def test_a_reader_at_another_process_is_known_when_the_stream_begins(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = Followers(database, alone=False), Followers(database, alone=False)
    try:
        _until(lambda: not there.follows("i"))
        with here.follow("i"):
            assert there.follows("i")
            assert here.follows("i")
            assert not there.follows("another") or _until(lambda: not there.follows("another"))
        monkeypatch.setattr(following, "LEASE", 0.0)
        with here.follow("i"):  # whose lease is over at once
            _until(lambda: not there.follows("i"))
    finally:
        here.close()
        there.close()


def test_a_process_that_cannot_look_takes_everything_as_followed(database: Database) -> None:
    blind = Followers(database, alone=False)
    blind.close()
    blind._looked = float("-inf")
    assert blind.follows("anything")
    assert not skips(Sampling(blind, 0), plan())


def _until(check: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return True
