"""Commands give up on a host that is never silent for long and never done; streams may go on for ever."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import requests

from devkit.hosts import client, connections
from devkit.hosts.client import Client, HostUnreachable, RequestRefused
from devkit.hosts.credentials import Credentials
from devkit.hosts.time_limits import Within

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
SLOW: dict[str, tuple[bytes, bytes]] = {
    "its head": (b"", HEAD + b"X-Filling: " + b"x" * 1000),
    "a header without an end": (HEAD, b"X-Filling: " + b"x" * 1000),
    "a body of a length": (HEAD + b"Content-Length: 1000\r\n\r\n", b" " * 1000),
    "a body up to the end": (HEAD + b"\r\n{}", b" " * 1000),
    "a body in chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n" * 200),
    "a refusal": (b"HTTP/1.1 400 Bad\r\nContent-Length: 1000\r\n\r\n", b" " * 1000),
}


class Dripping:
    """A host that sends the beginning of its answer at once, and the rest byte by byte, for ten seconds at most."""

    def __init__(self, at_once: bytes, then: bytes, context: ssl.SSLContext | None = None) -> None:
        self._at_once, self._then, self._context = at_once, then, context
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._drip, args=(connection,), daemon=True).start()

    def _drip(self, connection: socket.socket) -> None:
        with suppress(OSError):
            if self._context is not None:
                connection = self._context.wrap_socket(connection, server_side=True)
            connection.recv(65_536)
            connection.sendall(self._at_once)
            until = time.monotonic() + 10
            for byte in self._then:
                if time.monotonic() > until:
                    break
                connection.sendall(bytes((byte,)))
                time.sleep(0.05)
        connection.close()

    def close(self) -> None:
        self._listening.close()


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
