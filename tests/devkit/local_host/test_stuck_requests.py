"""What waits for the next request is not left waiting: after others have come, a process sends one to itself."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterable, Iterator
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
import requests

from devkit.local_host.stuck_requests import QUIET, SelfRequests, new_path

PATIENCE = 30.0


class Threads(socketserver.ThreadingMixIn, WSGIServer):
    """A thread for each request."""

    daemon_threads = True


class Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Serving:
    """A socket with one or more processes behind it, here objects, of which each takes a request in turn."""

    def __init__(self, count: int) -> None:
        self.server = make_server("127.0.0.1", 0, self._answer, Threads, Silent)
        self.port: int = self.server.server_port
        self.path = new_path()
        self.go_on = threading.Event()
        self.paths: list[str] = []
        self.came = threading.Semaphore(0)
        self.processes = [SelfRequests(self._app, ("127.0.0.1", self.port), self.path) for _ in range(count)]
        self._turn = 0
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        for process in self.processes:
            process.thread.start()

    def get(self, path: str) -> requests.Response:
        return requests.get(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE)

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        process = self.processes[self._turn % len(self.processes)]
        self._turn += 1
        answer = process(environ, start_response)
        if environ["PATH_INFO"] == self.path:
            self.came.release()
        return answer

    def _app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self.paths.append(environ["PATH_INFO"])
        start_response("200 OK", [("Content-Type", "text/plain")])
        if environ["PATH_INFO"] == "/call":
            assert self.go_on.wait(PATIENCE)
        return [b"whole"]


@pytest.fixture
def serving(request: pytest.FixtureRequest) -> Iterator[Serving]:
    running = Serving(getattr(request, "param", 1))
    yield running
    running.go_on.set()
    for process in running.processes:
        process.thread.close()
    running.server.shutdown()
    running.server.server_close()


def test_one_request_follows_what_takes_long_and_none_follows_that(serving: Serving) -> None:
    assert not serving.came.acquire(timeout=QUIET * 3), "nothing has come that could keep another waiting"
    asking = threading.Thread(target=serving.get, args=("/call",))
    asking.start()
    assert serving.came.acquire(timeout=PATIENCE)
    assert not serving.came.acquire(timeout=QUIET * 5)
    serving.go_on.set()
    asking.join(PATIENCE)
    assert serving.paths == ["/call"]


@pytest.mark.parametrize("serving", [2], indirect=True)
def test_it_is_sent_until_it_reaches_the_process_that_sends_it(serving: Serving) -> None:
    serving.get("/")  # to the first; its own request goes to the second
    for _ in range(2):
        assert serving.came.acquire(timeout=PATIENCE)
    assert not serving.came.acquire(timeout=QUIET * 5)


def test_the_application_never_sees_it_and_nobody_else_knows_it(serving: Serving) -> None:
    assert serving.get(serving.path).status_code == 204
    assert serving.get(new_path()).status_code == 200
    assert serving.path not in serving.paths


def test_that_it_cannot_be_sent_is_no_error(caplog: pytest.LogCaptureFixture, serving: Serving) -> None:
    closed = SelfRequests(lambda environ, start_response: [], ("127.0.0.1", 1), serving.path)
    closed.thread.start()
    closed({"PATH_INFO": "/"}, lambda status, headers, error=None: lambda data: None)
    threading.Event().wait(QUIET * 5)
    assert closed.thread.alive() and not caplog.records
    closed.thread.close()
