"""Answers that are posted to a host which takes them, or says that it has them, a byte at a time."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import requests
import urllib3

from devkit.tunnel import posting
from devkit.tunnel.posting import Posts, TakenTooSlowly
from tests.devkit.hosts.dripping import SLOW, Dripping

TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"


class Sipping:
    """A host that reads what is posted to it a little at a time, for ten seconds at most."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            connection, _ = self._listening.accept()
            until = time.monotonic() + 10
            with connection:
                while time.monotonic() < until and connection.recv(16_384):
                    time.sleep(0.02)

    def close(self) -> None:
        self._listening.close()


def large() -> Iterator[bytes]:
    for _ in range(10_000):
        yield b"x" * 48_000


@pytest.mark.parametrize("slow", SLOW)
@pytest.mark.parametrize("body", [b"whole", iter([b"in", b"pieces"])], ids=["whole", "in pieces"])
def test_a_host_that_never_says_that_it_has_the_answer_is_given_up(
    slow: str, body: bytes | Iterator[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "LONGEST", 0.5)
    host = Dripping(*SLOW[slow])
    began = time.monotonic()
    with suppress(requests.Timeout, urllib3.exceptions.HTTPError):  # of some, enough is known at once
        Posts("dk_x").post(f"{host.url}/v1", body)
    assert time.monotonic() - began < 5
    host.close()


def test_a_host_that_takes_an_answer_by_sips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "LONGEST", 0.5)
    monkeypatch.setattr(posting, "SLOWEST", 100_000_000)
    host = Sipping()
    began = time.monotonic()
    with pytest.raises(TakenTooSlowly):
        Posts("dk_x").post(f"{host.url}/v1", large())
    assert time.monotonic() - began < 5
    host.close()


def test_an_answer_may_be_made_as_slowly_as_it_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "LONGEST", 0.2)

    def slow() -> Iterator[bytes]:
        for _ in range(5):
            time.sleep(0.1)
            yield b"tick"

    host = Dripping(TAKEN, b"")
    Posts("dk_x").post(f"{host.url}/v1", slow())
    host.close()


def test_what_a_host_objects_to_is_said_shortly() -> None:
    host = Dripping(b"HTTP/1.1 400 Bad\r\nContent-Length: 5000\r\n\r\n" + b"no" * 2500, b"")
    with pytest.raises(urllib3.exceptions.HTTPError, match=r"^(no){250}$"):
        Posts("dk_x").post(f"{host.url}/v1", b"x")
    host.close()
