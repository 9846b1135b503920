"""Commands give up on a host that is never silent for long and never done; streams may go on for ever."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import requests

from devkit.hosts import client, connections
from devkit.hosts.client import Client, HostUnreachable, RequestRefused
from devkit.hosts.credentials import Credentials
from devkit.hosts.time_limits import Within
from tests.devkit.hosts.dripping import HEAD, SLOW, Dripping


@pytest.fixture(params=SLOW)
def dripping(request: pytest.FixtureRequest) -> Iterator[Dripping]:
    host = Dripping(*SLOW[request.param])
    yield host
    host.close()


def test_an_answer_that_has_no_end_is_given_up(dripping: Dripping, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST", 0.5, raising=False)
    began = time.monotonic()
    with pytest.raises(HostUnreachable, match="it took too long"):
        Client(Credentials(dripping.url, "dk_x")).call("GET", "/v1/user")
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("slow", ["its head", "a header without an end", "a refusal"])
def test_a_stream_that_does_not_begin_is_given_up(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST", 0.5, raising=False)
    host = Dripping(*SLOW[slow])
    began = time.monotonic()
    with pytest.raises((requests.Timeout, RequestRefused)):
        Client(Credentials(host.url, "dk_x")).stream("/v1/stream")
    assert time.monotonic() - began < 5
    host.close()


def test_a_stream_that_has_begun_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST", 0.5, raising=False)
    host = Dripping(HEAD + b"\r\n", b"x" * 20)
    with Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream:
        assert stream.content == b"x" * 20
    host.close()


def test_a_look_whether_a_host_is_there_takes_as_long_as_it_may() -> None:
    host = Dripping(*SLOW["its head"])
    began = time.monotonic()
    with pytest.raises(requests.RequestException):
        connections.get(host.url, 0.5)
    assert time.monotonic() - began < 5
    host.close()


def test_an_answer_in_time_is_no_failure() -> None:
    body = b'{"a": 1}'
    host = Dripping(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body, b"")
    assert Client(Credentials(host.url, "dk_x")).call("GET", "/v1") == {"a": 1}
    with Within(60) as outer, Within(0.01):
        time.sleep(0.05)  # nothing was sent: nothing is late
    assert outer is not None
    host.close()
