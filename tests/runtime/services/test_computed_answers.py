"""How much one read asks of content sources, and what of their answers is kept."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, cast

import pytest

from runtime.contract import errors
from runtime.engines.shares import Shares
from runtime.services.computed_answers import Allowance, ComputedAnswers
from runtime.services.render_cache import RenderCache


class Source:
    """What is asked: it counts how often, and answers or raises."""

    def __init__(self, answer: bytes | errors.ApiError) -> None:
        self.answer, self.asked = answer, 0

    def __call__(self) -> bytes:
        self.asked += 1
        if isinstance(self.answer, errors.ApiError):
            raise self.answer
        return self.answer


class Client:
    """What asks scripts, as far as its places go."""

    def __init__(self, places: int = 100) -> None:
        self.places = Shares(places)

    def waiting(self, owner: str, part: str) -> AbstractContextManager[None]:
        return self.places.place(owner, part)


def read(cache: RenderCache, source: Source, name: str = "a", revision: str = "1", calls: int = 20) -> bytes | None:
    """Ask as a read does that comes later."""
    answers = ComputedAnswers(cast(Any, None), cache, Allowance(calls))
    return answers.kept("kind", f"fingerprint of {name}", {"revision": revision}, "organization", source)


@pytest.fixture
def cache() -> RenderCache:
    return RenderCache(1_000_000)


def test_an_answer_is_kept_for_what_it_was_made_of(cache: RenderCache) -> None:
    source = Source(b"answer")
    assert [read(cache, source), read(cache, source)] == [b"answer", b"answer"]
    assert source.asked == 1
    assert read(cache, source, name="b") == read(cache, source, revision="2") == b"answer"
    assert source.asked == 3


@pytest.mark.parametrize(
    ("error", "asked"),
    [
        (errors.BadGateway(), 1),
        (errors.ScriptAnswered(422, "no"), 1),
        (errors.GatewayTimeout(), 1),
        (errors.Unavailable(), 2),
    ],
    ids=repr,
)
def test_who_failed_is_not_asked_again_at_once(cache: RenderCache, error: errors.ApiError, asked: int) -> None:
    source = Source(error)
    assert read(cache, source) is read(cache, source) is None
    assert source.asked == asked


def test_a_source_that_was_left_little_time_has_not_failed(cache: RenderCache) -> None:
    source = Source(errors.GatewayTimeout())
    for _ in range(2):
        answers = ComputedAnswers(cast(Any, None), cache, Allowance(seconds=3.0))
        assert answers.kept("kind", "fingerprint", {}, "organization", source) is None
    assert source.asked == 2


def test_a_read_asks_so_often_and_so_long(cache: RenderCache) -> None:
    source = Source(b"answer")
    assert read(cache, source, calls=0) is None and source.asked == 0
    assert read(cache, source) == b"answer"
    assert read(cache, source, calls=0) == b"answer"
    allowance = Allowance(calls=3)
    assert [allowance.take() for _ in range(4)] == [True, True, True, False]
    assert not Allowance(seconds=0.5).take()


def test_of_those_who_read_at_the_same_moment_one_asks(cache: RenderCache) -> None:
    source = Source(b"answer")

    def slow() -> bytes:
        time.sleep(0.2)
        return source()

    def ask(_: int) -> bytes | None:
        answers = ComputedAnswers(cast(Any, Client()), cache, Allowance())
        return answers.kept("kind", "fingerprint", {}, "organization", slow)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(8))) == [b"answer"] * 8
    assert source.asked == 1 and not cache._asking._flights


def test_nobody_waits_longer_for_others_than_for_a_script(cache: RenderCache) -> None:
    source, held = Source(b"answer"), threading.Event()

    def hang() -> bytes:
        held.wait(20)
        return b"late"

    with ThreadPoolExecutor(1) as threads:
        hanging = threads.submit(
            ComputedAnswers(cast(Any, None), cache, Allowance()).kept, "kind", "fingerprint", {}, "organization", hang
        )
        while not cache._asking._flights:
            time.sleep(0.01)
        brief = ComputedAnswers(cast(Any, Client()), cache, Allowance(seconds=1.2))
        assert brief.kept("kind", "fingerprint", {}, "organization", source) is None and source.asked == 0
        held.set()
        assert hanging.result() == b"late"


def test_who_waits_for_others_holds_a_place_of_the_integration(cache: RenderCache) -> None:
    """Else the readers of one page whose script hangs would be all the threads a host has."""
    client, held = Client(places=16), threading.Event()

    def hang() -> bytes:
        held.wait(20)
        return b"late"

    def ask() -> bytes | None:
        answers = ComputedAnswers(cast(Any, client), cache, Allowance())
        return answers.kept("kind", "fingerprint", {}, "organization", hang, "integration")

    with ThreadPoolExecutor(12) as threads:
        asked = [threads.submit(ask) for _ in range(12)]
        deadline = time.monotonic() + 5
        while sum(one.done() for one in asked) < 7 and time.monotonic() < deadline:
            time.sleep(0.01)
        # An integration alone may hold a quarter: four wait, one asks, and the others have their pages without it.
        assert [one.result() for one in asked if one.done()] == [None] * 7
        held.set()
        assert [one.result() for one in asked if one.result() is not None] == [b"late"] * 5
    assert not cache._asking._flights and client.places.open_to("organization", "integration")
