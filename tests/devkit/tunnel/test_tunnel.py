"""What a host sends through a tunnel is bounded on the machine of the author."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from devkit.hosts.credentials import Credentials
from devkit.tunnel.exchange import Answer, Incoming
from devkit.tunnel.tunnel import MOST_CALLS, Tunnel
from tests.conftest import wait_for


class Flood(BaseHTTPRequestHandler):
    """A host that opens a tunnel, and then sends more calls at once than any host may."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        opened = {"id": "t" * 20, "name": "x", "url": "http://h.example/t", "leaseSeconds": 60}
        self._answer(json.dumps(opened).encode())

    def do_GET(self) -> None:
        call = json.dumps({"method": "GET", "path": "/", "headers": []})
        self._answer(b"".join(f"id: {n}\nevent: call\ndata: {call}\n\n".encode() for n in range(3 * MOST_CALLS)))

    def do_DELETE(self) -> None:
        self._answer(b"{}")

    def _answer(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def flood() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Flood)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


class Patient:
    """Answers no call before it is told to."""

    def __init__(self) -> None:
        self.begun, self.go = 0, threading.Event()

    def answer(self, incoming: Incoming) -> Answer:
        self.begun += 1
        self.go.wait(30)
        return Answer(200, [], b"")


def test_of_too_many_calls_some_are_not_taken(flood: str) -> None:
    handler, told = Patient(), list[str]()
    tunnel = Tunnel(Credentials(flood, "dk_x"), "o" * 20, "x", handler, told.append)
    try:
        wait_for(lambda: any(f"{MOST_CALLS} calls are being answered" in one for one in told))
        assert 0 < handler.begun <= MOST_CALLS
    finally:
        handler.go.set()
        tunnel.close()
