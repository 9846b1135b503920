"""What every engine promises, asked of each: the same calls, the same answers, a trace for each."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Invocation, Limits, LoadReport, Outcome, Script, Trace
from runtime.engines.dev_tunnel.tunnel import DevTunnelEngine
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.sandbox import authors_mode
from runtime.engines.table import ENGINES
from runtime.sdk import Integration
from runtime.sdk.answering import RawCall, answer, find_integration

PYTHON = """
import os, time
from runtime.sdk import ExposableError, Integration, Response, ui

integration = Integration()

@integration.component("counter", state={"count": 0})
def counter(element):
    return ui.block(ui.text(str(element.state["count"])))

@counter.action("increment")
def increment(element):
    return ui.update(state={"count": element.state["count"] + 1})

@integration.on("site_view")
def viewed(event, context):
    context.log.info("seen %s", event["siteId"])

@integration.fetch("GET", "/fails")
def fails():
    raise ValueError("secret detail")

@integration.fetch("GET", "/refuses")
def refuses():
    raise ExposableError("Not for you", 422)

@integration.fetch("GET", "/name")
def name(context):
    return context.environment["integration"]["name"]

@integration.fetch("GET", "/moved")
def moved():
    return Response(status=302, headers=[("location", "https://elsewhere.example/"), ("set-cookie", "a=1"),
                                         ("set-cookie", "b=2")])

@integration.fetch("GET", "/pieces")
def pieces():
    return Response(iter([b"one ", b"two ", b"three"]))

@integration.fetch("GET", "/sleeps")
def sleeps():
    time.sleep(30)

@integration.fetch("GET", "/large")
def large():
    return "x" * 6_000_000

@integration.fetch("POST", "/echo")
def echo(request):
    return Response(request.body, headers={"content-type": request.headers["content-type"]})
"""

JAVASCRIPT = (Path(__file__).parent / "scripts" / "sample.mjs").read_text(encoding="utf-8")


class _Tunnel(BaseHTTPRequestHandler):
    """A developer's machine: speaks the dispatch protocol for a script loaded in this process."""

    integration: Integration

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        message = BytesParser(policy=HTTP).parsebytes(head + body)
        parts: dict[Any, bytes] = {}
        for part in message.iter_parts():  # type: ignore[attr-defined]
            name = part.get_param("name", header="content-disposition")
            parts[name] = part.get_payload(decode=True)
        assert self.path == "/v1"
        call = RawCall(parts["event"], parts["environment"], parts.get("fetch-body"), lambda *_: None)
        raw = answer(self.integration, call)
        self.send_response(raw.status)
        for name, value in raw.headers:
            self.send_header(name, value)
        self.end_headers()
        try:
            for piece in [raw.body] if isinstance(raw.body, bytes) else raw.body:
                self.wfile.write(piece)
        except OSError:
            self.close_connection = True  # the engine has heard enough

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@dataclass
class Target:
    """One engine under test, and where its script is."""

    engine: Engine
    script: Script
    tunnel_url: str | None = None

    def call(self, event: dict[str, Any], **options: Any) -> tuple[Outcome, bytes, Trace]:
        """Make a call; returns outcome, body and trace."""
        traces: list[Trace] = []
        complete = threading.Event()

        def done(trace: Trace) -> None:
            traces.append(trace)
            complete.set()

        environment = {"integration": {"name": "sample", "urls": {}}, "secrets": {}}
        invocation = Invocation(
            script=self.script,
            tenant="tenant",
            event=json.dumps({"eventId": "e1", **event}).encode(),
            environment=json.dumps(environment).encode(),
            tunnel_url=self.tunnel_url,
            **options,
        )
        outcome = self.engine.invoke(invocation, done)
        body = b"".join([outcome.body] if isinstance(outcome.body, bytes) else outcome.body)
        assert complete.wait(10)
        assert len(traces) == 1
        return outcome, body, traces[0]

    def fetch(self, path: str, method: str = "get", **options: Any) -> tuple[Outcome, bytes, Trace]:
        """Send a `fetch` event."""
        request = {"method": method, "url": f"https://public.example{path}", "headers": options.pop("headers", {})}
        return self.call({"type": "fetch", "request": request}, **options)


def _python() -> Iterator[Target]:
    engine = ENGINES["python"](authors_mode(None), EgressRules())
    yield Target(engine, Script("sample", "python", PYTHON))
    engine.close()


def _javascript(runtime: str) -> Iterator[Target]:
    engine = ENGINES[runtime](authors_mode(None), EgressRules())
    yield Target(engine, Script("sample", runtime, JAVASCRIPT, "sample.mjs"))
    engine.close()


def _dev_tunnel() -> Iterator[Target]:
    namespace: dict[str, Any] = {}
    exec(PYTHON.replace("time.sleep(30)", "time.sleep(2)"), namespace)
    served = type("Tunnel", (_Tunnel,), {"integration": find_integration(namespace)})
    server = ThreadingHTTPServer(("127.0.0.1", 0), served)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = ("127.0.0.1", server.server_port)
    engine = DevTunnelEngine(EgressRules(own={"laptop.example:80": address}))
    yield Target(engine, Script("sample", "python", ""), "http://laptop.example/")
    engine.close()
    server.shutdown()
    thread.join()
    server.server_close()


TARGETS: dict[str, Callable[[], Iterator[Target]]] = {
    "python": _python,
    "v1": lambda: _javascript("v1"),
    "v2": lambda: _javascript("v2"),
    "dev_tunnel": _dev_tunnel,
}


@pytest.fixture(scope="module", params=sorted(TARGETS))
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """Each engine in turn."""
    yield from TARGETS[request.param]()


def test_every_engine_is_under_test() -> None:
    assert set(ENGINES) <= set(TARGETS)


def test_check_reports(target: Target) -> None:
    assert isinstance(target.engine.check(target.script), LoadReport)


def test_engine_is_ready(target: Target) -> None:
    assert target.engine.ready()


def test_render_answers_an_element(target: Target) -> None:
    event = {
        "type": "ui_render",
        "installationId": "i",
        "componentId": "counter",
        "props": {},
        "state": {"count": 4},
        "action": {"action": "increment"},
        "context": {"type": "configuration_account", "organizationId": "o", "theme": "light"},
    }
    outcome, body, trace = target.call(event)

    assert outcome.status == 200
    assert ("content-type", "application/json") in [(name.lower(), value) for name, value in outcome.headers]
    assert json.loads(body)["state"] == {"count": 5}
    assert trace.failure is None
    assert trace.usage.response == len(body)
    assert trace.usage.wall > 0


def test_event_is_handled(target: Target) -> None:
    outcome, body, _ = target.call({"type": "site_view", "siteId": "s1"})

    assert (outcome.status, body) == (200, b"OK")


def test_event_without_handler_answers_406(target: Target) -> None:
    outcome, body, _ = target.call({"type": "page_feedback", "siteId": "s1"})

    assert outcome.status == 406
    assert json.loads(body) == {"error": 'Integration does not handle "page_feedback" events'}


def test_unexpected_error_answers_500_without_details(target: Target) -> None:
    outcome, body, trace = target.fetch("/fails")

    assert (outcome.status, json.loads(body)) == (500, {"error": "Internal server error"})
    assert outcome.failure is None
    assert trace.failure is None


def test_exposable_error_passes(target: Target) -> None:
    outcome, body, _ = target.fetch("/refuses")

    assert (outcome.status, json.loads(body)) == (422, {"error": "Not for you"})


def test_environment_arrives(target: Target) -> None:
    assert target.fetch("/name")[1] == b"sample"


def test_redirect_and_cookies_pass(target: Target) -> None:
    outcome, _, _ = target.fetch("/moved")
    headers = [(name.lower(), value) for name, value in outcome.headers]

    assert outcome.status == 302
    assert ("location", "https://elsewhere.example/") in headers
    assert [value for name, value in headers if name == "set-cookie"] == ["a=1", "b=2"]


def test_streamed_body_arrives(target: Target) -> None:
    assert target.fetch("/pieces")[1] == b"one two three"


@pytest.mark.parametrize("body", [b"", b"plain", bytes(range(256)) * 1000, b"\r\n--part-x\r\n"])
def test_body_arrives_byte_for_byte(target: Target, body: bytes) -> None:
    headers = {"content-type": "application/x-test"}
    outcome, got, _ = target.fetch("/echo", "post", headers=headers, fetch_body=body)

    assert (outcome.status, got) == (200, body)


def test_call_over_time_is_a_timeout(target: Target) -> None:
    outcome, body, trace = target.fetch("/sleeps", limits=Limits(wall=0.5))

    assert (outcome.status, body) == (504, b"")
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("timeout", "wall")
    assert trace.failure == outcome.failure


def test_answer_over_its_size_is_a_failure(target: Target) -> None:
    outcome, body, trace = target.fetch("/large")

    assert (outcome.status, body) == (502, b"")
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("limit", "response")
    assert trace.failure == outcome.failure


def test_many_calls_at_once_are_answered(target: Target) -> None:
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(target.fetch("/name")[0].status)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert statuses == [200] * 16


def test_retiring_a_version_leaves_it_callable(target: Target) -> None:
    target.engine.retire(target.script.version)

    assert target.fetch("/name")[0].status == 200
