"""Pictures of PDFs: what of this host a page may have requested by naming its address."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from runtime.engines.egress import EgressRules
from runtime.services.printing.making import fetched


class _Pictures(ThreadingHTTPServer):
    """Answers everything with a picture, but redirects from `/v1/away` to where nobody but people belong."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Pictures

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(302 if self.path == "/v1/away" else 200)
        self.send_header("Location", "/metrics")
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", "1")
        self.end_headers()
        self.wfile.write(b"x")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[_Pictures]:
    server_ = _Pictures()
    thread = threading.Thread(target=server_.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server_
    server_.shutdown()
    thread.join()
    server_.server_close()


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/files/space/blob/signature/a.png", ["/files/space/blob/signature/a.png"]),
        ("/v1/integrations/one/icon.png", ["/v1/integrations/one/icon.png"]),
        ("/v1/away", ["/v1/away"]),
        ("/metrics", []),
        ("/app/static/a.png", []),
        ("/v1/../metrics", []),
    ],
)
def test_of_this_host_files_and_the_api_alone_are_requested(server: _Pictures, path: str, asked: list[str]) -> None:
    rules = EgressRules(own={"platform.example:80": ("127.0.0.1", server.server_port)})
    found = fetched(rules, f"http://platform.example{path}", time.monotonic() + 20)
    assert (found == (b"x", "image/png")) is (asked == [path] and path != "/v1/away")
    assert server.asked == asked


@pytest.mark.parametrize("url", ["", "//[", "http://platform.example:x/a.png", "file:///etc/hostname", "data:,x"])
def test_what_is_no_address_of_the_web_is_left_out(url: str) -> None:
    assert fetched(EgressRules(own={"platform.example:80": ("127.0.0.1", 1)}), url, time.monotonic() + 20) is None
