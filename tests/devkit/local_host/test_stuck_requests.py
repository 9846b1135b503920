"""Whoever waits for the next request is not left waiting: a process sends one to itself while its latest takes long."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterable, Iterator
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
import requests

from devkit.local_host.stuck_requests import AFTER, Latest, keep_going, new_path
from runtime.engines.threads import RepeatingThread

PATIENCE = 30.0
OWN = new_path()


class Threads(socketserver.ThreadingMixIn, WSGIServer):
    """A thread for each request."""

    daemon_threads = True


class Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Site:
    """Answers `/call` once `go_on` is set, `/stream` in two pieces, and everything else at once."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked = threading.Semaphore(0)
        self.paths: list[str] = []

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/broken":
            raise ValueError("it cannot be answered")
        start_response("200 OK", [("Content-Type", "text/plain")])
        self.paths.append(path)
        self.asked.release()
        if path == "/call":
            assert self.go_on.wait(PATIENCE)
        return self._pieces() if path == "/stream" else [b"whole"]

    def _pieces(self) -> Iterator[bytes]:
        yield b"one"
        assert self.go_on.wait(PATIENCE)
        yield b"two"


class Serving:
    """A site behind a real socket, and what keeps its requests going."""

    def __init__(self) -> None:
        self.site = Site()
        self.came = threading.Semaphore(0)
        self.latest = Latest(self.site, OWN)
        self.server = make_server("127.0.0.1", 0, self._answer, Threads, Silent)
        self.port: int = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.thread: RepeatingThread = keep_going(self.latest, "127.0.0.1", self.port)

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = self.latest(environ, start_response)
        if environ["PATH_INFO"] == OWN:
            self.came.release()
        return answer

    def begin(self, path: str) -> threading.Thread:
        """Send a request, and wait until it is being answered."""
        url = f"http://127.0.0.1:{self.port}{path}"
        asking = threading.Thread(target=requests.get, args=(url,), kwargs={"timeout": PATIENCE})
        asking.start()
        assert self.site.asked.acquire(timeout=PATIENCE)
        return asking


@pytest.fixture
def serving() -> Iterator[Serving]:
    running = Serving()
    yield running
    running.site.go_on.set()
    running.thread.close()
    running.server.shutdown()
    running.server.server_close()


@pytest.mark.parametrize("path", ["/call", "/stream"])
def test_one_request_follows_what_takes_long(path: str, serving: Serving) -> None:
    asking = serving.begin(path)
    assert serving.came.acquire(timeout=PATIENCE)
    assert not serving.came.acquire(timeout=AFTER * 5), "nothing can wait any more that came before it"
    assert serving.site.paths == [path]
    serving.site.go_on.set()
    asking.join(PATIENCE)
    assert serving.latest.seconds() == 0


@pytest.mark.parametrize("path", ["/", "/broken"])
def test_none_follows_what_was_answered(path: str, serving: Serving) -> None:
    serving.site.go_on.set()
    for _ in range(3):
        requests.get(f"http://127.0.0.1:{serving.port}{path}", timeout=PATIENCE)
    assert serving.latest.seconds() == 0
    assert not serving.came.acquire(blocking=False)


def test_a_server_that_answers_nobody_is_no_error(caplog: pytest.LogCaptureFixture, serving: Serving) -> None:
    closed = keep_going(serving.latest, "127.0.0.1", 1)
    asking = serving.begin("/call")
    assert serving.came.acquire(timeout=PATIENCE)
    serving.site.go_on.set()
    asking.join(PATIENCE)
    assert closed.alive() and not caplog.records
    closed.close()
