"""Events of a stream, however they are cut, and those that have no end."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import requests

from devkit.events import endpoint_requests, following
from devkit.events.endpoint_requests import RequestDescription
from devkit.hosts import client, event_stream
from devkit.hosts.client import Client, HostUnreachable
from devkit.hosts.credentials import Credentials
from devkit.hosts.distances import Distance
from devkit.hosts.event_stream import ServerSentEvent, events
from devkit.terminal.output import Problem
from tests.devkit.hosts.answers import DETAIL, NAME
from tests.devkit.hosts.dripping import HEAD, Dripping

CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
STREAM = b": connected\n\nevent: one\nid: 1\ndata: {}\n\n: still here\n\nevent: two\ndata: x\n\nevent: cut"


def test_events_come_whole_however_they_are_cut() -> None:
    host = Dripping(HEAD + b"\r\n" + STREAM[:20], STREAM[20:])
    with Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream:
        assert [*events(stream)] == [ServerSentEvent("one", b"{}", "1"), ServerSentEvent("two", b"x")]
    host.close()


@pytest.mark.parametrize("line", [b"", b"\n"])
def test_an_event_without_an_end_is_given_up(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "LONGEST", 10_000)
    host = Dripping(HEAD + b"\r\nevent: one\n" + (b"data: " + b"x" * 100 + line) * 200, b"y" * 200)
    with (
        Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream,
        pytest.raises(requests.RequestException, match="an event has more than"),
    ):
        [*events(stream)]
    host.close()


def test_an_event_is_there_before_the_stream_ends() -> None:
    host = Dripping(HEAD + b"\r\n" + STREAM, b": still here\n\n" * 1000)
    began = time.monotonic()
    with Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream:
        assert next(events(stream)) == ServerSentEvent("one", b"{}", "1")
    assert time.monotonic() - began < 5
    host.close()


def test_events_that_are_no_text_are_told_apart_all_the_same() -> None:
    host = Dripping(HEAD + b"\r\nevent: \xff\ndata: {}\nid: \xfe\n\n", b"")
    with Client(Credentials(host.url, "dk_x")).stream("/v1/stream") as stream:
        assert [*events(stream)] == [ServerSentEvent("\ufffd", b"{}", "\ufffd")]
    host.close()
    host = Dripping(HEAD + b"\r\nevent: event\ndata: \xff\n\n", b"")
    with pytest.raises(HostUnreachable, match="an event of the stream is not JSON"):
        [*following.past(Client(Credentials(host.url, "dk_x")), NAME, 20)]
    host.close()


@pytest.fixture
def large() -> Iterator[str]:
    """A host that sends an event of many short lines, in many pieces."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(CHUNKED)
            piece = b"aaaaaaa\n" * 500
            for _ in range(4000):
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
            last = b"\nevent: last\n\n"
            connection.sendall(b"%x\r\n%s\r\n0\r\n\r\n" % (len(last), last))

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()


def test_a_large_event_in_many_pieces_is_looked_through_once(large: str) -> None:
    began = time.process_time()
    with Client(Credentials(large, "dk_x")).stream("/v1/stream") as stream:
        assert [one.kind for one in events(stream)] == ["last"]
    assert time.process_time() - began < 5  # joined and split again for each of its pieces, it takes twenty


def test_past_events_have_an_end_where_a_host_sends_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "LONGEST", 0.5)
    event = b"event: event\nid: 1\ndata: %s\n\n" % json.dumps(DETAIL).encode()
    host = Dripping(HEAD + b"\r\n" + event, b": still here\n\n" * 1000)
    began, client_ = time.monotonic(), Client(Credentials(host.url, "dk_x"))
    past = following.past(client_, NAME, 20)
    assert next(past) == DETAIL, "what came is shown"
    with pytest.raises(Problem, match="it took too long"):
        next(past)
    assert len([*following.past(client_, NAME, 1)]) == 1, "no more than what was asked for"
    assert time.monotonic() - began < 5
    host.close()


def test_no_more_is_read_of_what_an_endpoint_answers_than_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MOST_BYTES", 1000)
    host = Dripping(HEAD + b"\r\n" + b"x" * 5000, b"x" * 200)
    with pytest.raises(HostUnreachable, match="the answer has more than"):
        endpoint_requests.request(host.url, RequestDescription("GET", "/", (), b"", None, None), Distance.THIS_MACHINE)
    host.close()
