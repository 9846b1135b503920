"""How scripts reach the platform's own API: under its public address, each request counted, and nothing but the API."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from runtime.contract.invocation import Limits, Script
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.own_tls import OwnAuthority
from runtime.engines.table import ENGINES
from tests.runtime.engines.conftest import asker, handler

SECURE, PLAIN = "platform.example:443", "platform.example:8080"


class _Platform(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        answer = f"{self.command} {self.path} {self.headers['Host']} {sent.decode()}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def rules() -> Iterator[EgressRules]:
    """A platform that listens in plain text and is known by an https address, and by a plain one."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Platform)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    own = {SECURE: ("127.0.0.1", server.server_port), PLAIN: ("127.0.0.1", server.server_port)}
    yield EgressRules(own=own, authority=OwnAuthority())
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module", params=["python", "v2", "python off"])
def engine(request: pytest.FixtureRequest, rules: EgressRules) -> Iterator[tuple[str, Engine]]:
    """Each engine, the Python one without a sandbox, too."""
    runtime, _, off = request.param.partition(" ")
    engine_ = ENGINES[runtime]("off" if off else "required", rules)
    yield runtime, engine_
    engine_.close()


def fetched(engine: tuple[str, Engine], url: str, method: str = "GET", count: int = 1) -> Any:
    """Have a script request an address, and give what it got, with the trace."""
    runtime, created = engine
    if runtime == "python":
        code = f"""
        import requests
        try:
            got = [requests.request({method!r}, {url!r}, data="sent") for _ in range({count})]
            return Response.json([[one.status_code, one.text] for one in got])
        except Exception as error: return Response.json([[0, str(error)]])
        """
        source = handler(code)
    else:
        body = "body: 'sent', " if method == "POST" else ""
        source = f"""export default {{ async fetch(request, env, ctx) {{
        await request.formData();
        try {{
            const got = [];
            for (let i = 0; i < {count}; i += 1) {{
                const one = await fetch({url!r}, {{ {body} method: {method!r} }});
                got.push([one.status, await one.text()]);
            }}
            return Response.json(got);
        }} catch (error) {{ return Response.json([[0, error.message]]); }}
        }} }};"""
    return asker(created)(Script(f"{url}{method}{count}", runtime, source), limits=Limits(wall=60.0))


@pytest.mark.parametrize("origin", ["https://platform.example", "http://platform.example:8080"])
def test_the_api_is_reached_and_each_request_noted(engine: tuple[str, Engine], origin: str) -> None:
    got = fetched(engine, f"{origin}/v1/things?a=b", "POST", count=2)

    authority = origin.partition("//")[2]
    assert got.json() == [[200, f"POST /v1/things?a=b {authority} sent"]] * 2
    assert [(subrequest.method, subrequest.url, subrequest.status) for subrequest in got.trace.subrequests] == [
        ("POST", f"{origin}/v1/things?a=b", 200)
    ] * 2
    assert got.trace.usage.subrequests == 2


@pytest.mark.parametrize("origin", ["https://platform.example", "http://platform.example:8080"])
@pytest.mark.parametrize("path", ["/metrics", "/", "/v1x", "/preview/x", "/sites/x", "//v1/x"])
def test_nothing_but_the_api(engine: tuple[str, Engine], origin: str, path: str) -> None:
    got = fetched(engine, f"{origin}{path}")
    status, text = got.json()[0]

    assert status in (0, 403)
    assert "only request paths below /v1" in text
    assert got.trace.subrequests[0].refused is not None


def test_requests_to_the_api_are_limited_like_any_other(engine: tuple[str, Engine]) -> None:
    got = fetched(engine, "https://platform.example/v1/x", count=52)

    assert got.trace.usage.subrequests in (51, 52)
    assert len([subrequest for subrequest in got.trace.subrequests if subrequest.status == 200]) == 50


@pytest.mark.parametrize("port", [443, 8080])
def test_requests_hidden_in_one_connection_are_seen(rules: EgressRules, port: int) -> None:
    """One CONNECT, then as many requests as fit: each is counted, and one a connection is all there is."""
    code = f"""
    import os, socket, ssl
    proxy = os.environ["EGRESS_PROXY"].rpartition("//")[2].rpartition(":")
    answers = []
    for _ in range(60):
        line = socket.create_connection((proxy[0], int(proxy[2])))
        line.sendall(b"CONNECT platform.example:{port} HTTP/1.1\\r\\n\\r\\n")
        if b" 200 " not in line.recv(4096):
            answers.append("refused")
            continue
        if {port} == 443:
            line = ssl.create_default_context().wrap_socket(line, server_hostname="platform.example")
        line.sendall(b"GET /v1/a HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n" * 10)
        said = b""
        try:
            while piece := line.recv(4096): said += piece
        except OSError: pass
        answers.append(said.count(b"HTTP/1.1 200"))
    return Response.json([answers.count(1), answers.count(0)])
    """
    engine = ENGINES["python"]("required", rules)
    try:
        got = asker(engine)(Script("hides", "python", handler(code)), limits=Limits(wall=60.0))
    finally:
        engine.close()

    assert got.json() == [50, 0]
    assert got.trace.usage.subrequests == 60


@pytest.mark.parametrize("authority", ["platform.example:008080", "platform.example:8080", "PLATFORM.example.:443"])
@pytest.mark.parametrize("inner", ["CONNECT platform.example:8080", "GET http://platform.example:8080/metrics"])
def test_a_connection_to_the_platform_is_never_a_tunnel(rules: EgressRules, authority: str, inner: str) -> None:
    code = f"""
    import os, socket
    proxy = os.environ["EGRESS_PROXY"].rpartition("//")[2].rpartition(":")
    line = socket.create_connection((proxy[0], int(proxy[2])))
    line.sendall(b"CONNECT {authority} HTTP/1.1\\r\\n\\r\\n")
    said = line.recv(4096)
    line.sendall(b"{inner} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nGET /metrics HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    try:
        while piece := line.recv(4096): said += piece
    except OSError: pass
    return Response.json(said.decode())
    """
    engine = ENGINES["python"]("required", rules)
    try:
        got = asker(engine)(Script("tunnels", "python", handler(code)), limits=Limits(wall=60.0))
    finally:
        engine.close()

    assert "GET /metrics" not in got.json()
    assert got.trace.usage.subrequests == 1
    assert [subrequest.refused is not None for subrequest in got.trace.subrequests] == [True]


def test_names_below_a_wildcard_share_a_certificate() -> None:
    authority = OwnAuthority()
    wild = EgressRules(own={"*.content.example:443": ("127.0.0.1", 1)}, authority=authority)

    assert wild.own_name("a.content.example", 443) == wild.own_name("b.content.example", 443) == "*.content.example"
    assert authority.context_for("*.content.example") is authority.context_for("*.content.example")


def test_a_script_requests_nothing_while_it_loads(rules: EgressRules) -> None:
    source = """
import urllib.request
from runtime.sdk import Integration, Response
try:
    urllib.request.urlopen("http://platform.example:8080/v1/x")
    said = "answered"
except OSError as error:
    said = str(error)
""" + handler("return Response.json(said)")
    engine = ENGINES["python"]("required", rules)
    try:
        got = asker(engine)(Script("loads", "python", source), limits=Limits(wall=60.0))
    finally:
        engine.close()

    assert got.json() == "HTTP Error 503: Requests can only be made while an event is handled."
    assert got.trace.usage.subrequests == 0
