"""One sandboxed JavaScript engine for all tests, and a way to run a few lines of script in it."""

from __future__ import annotations

import gzip
import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from runtime.contract.invocation import Script
from runtime.engines.egress import EgressRules
from runtime.engines.javascript.pool import JavaScriptEngine
from tests.runtime.engines.conftest import FETCH, Answered, Ask, asker

HEAD = """export default { async fetch(request, env, ctx) {
const form = await request.formData();
const event = JSON.parse(form.get("event"));
const sent = form.get("fetch-body");
"""


def worker(code: str, before: str = "") -> str:
    """Return a module worker whose `fetch` runs these lines; `before` stands at the top level."""
    return f"{textwrap.dedent(before)}\n{HEAD}{textwrap.dedent(code)}\n}} }};\n"


def script(source: str, version: str | None = None, entry: str = "src/index.js") -> Script:
    """Return a script of a version nobody else has."""
    return Script(version=version or uuid.uuid4().hex, runtime="v2", source=source, entry=entry)


def logs(got: Any) -> list[tuple[str, str]]:
    """Return what a call wrote to the console, with its levels."""
    return [(line.level, line.message) for line in got.trace.logs]


def at(path: str) -> dict[str, Any]:
    """Return the event of a request to a path."""
    return FETCH | {"request": {"method": "get", "url": f"https://integrations.example{path}", "headers": {}}}


class _Peer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name = self.path.partition("?")[0]
        if name == "/slow":
            time.sleep(1)
        if name == "/loop":
            return self._answer(302, b"", [("Location", "/loop")])
        if name == "/moved":
            return self._answer(307, b"", [("Location", "/echo")])
        if name == "/cookies":
            return self._answer(200, b"", [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2; Path=/")])
        if name == "/zipped":
            return self._answer(200, gzip.compress(b"unzipped"), [("Content-Encoding", "gzip")])
        if name == "/private":
            port = self.server.server_address[1]
            return self._answer(302, b"", [("Location", f"http://127.0.0.2:{port}/echo")])
        return self._answer(200, self.command.encode() + b" " + body, [])

    do_POST = do_GET

    def _answer(self, status: int, body: bytes, headers: list[tuple[str, str]]) -> None:
        self.send_response(status)
        for header in headers:
            self.send_header(*header)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "123")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def peer() -> Iterator[str]:
    """A server that scripts may reach; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Peer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def engine(peer: str) -> Iterator[JavaScriptEngine]:
    """The engine as `serve` uses it, with one server of the private network open."""
    engine_ = JavaScriptEngine(sandbox="required", rules=EgressRules(allow=(peer.removeprefix("http://"),)))
    yield engine_
    engine_.close()


@pytest.fixture
def ask(engine: JavaScriptEngine) -> Ask:
    """Call a whole script."""
    ask = asker(engine)
    return lambda source, **options: ask(source if isinstance(source, Script) else script(source), **options)


@pytest.fixture
def probe(ask: Ask) -> Callable[..., Answered]:
    """Call a `fetch` that consists of these lines."""

    def run(code: str, before: str = "", **options: Any) -> Answered:
        return ask(worker(code, before), **options)

    return run
