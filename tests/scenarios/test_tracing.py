"""Traces for OpenTelemetry, as a collector gets them: from a request to the script, to what the script asks."""

from __future__ import annotations

import gzip
import http.server
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.conftest import COUNTER, Api, HostProcess, Installed, Tenant, init, installed

ASKS = (
    COUNTER
    + """
import requests


@integration.on("space_content_updated")
def updated(event, context):
    requests.get("http://127.0.0.1:PORT/hook?key=" + context.secrets["KEY"])


@integration.fetch("GET", "/ask")
def ask(context):
    requests.get("http://127.0.0.1:PORT/asked?key=" + context.secrets["KEY"])
    return Response("answer")


@integration.fetch("GET", "/broken")
def broken(context):
    raise ValueError("broken")
"""
)
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector:
    """Takes spans over HTTP, and answers whatever else it is asked."""

    def __init__(self) -> None:
        self.received: queue.Queue[tuple[str, Any]] = queue.Queue()
        self.spans: list[tuple[str, Any]] = []

    def named(self, name: str, count: int = 1) -> list[Any]:
        """Wait for spans of a name."""
        until = time.monotonic() + 60
        while True:
            found = [span for _, span in self.spans if span.name == name]
            if len(found) >= count:
                return found
            left = until - time.monotonic()
            assert left > 0, [span.name for _, span in self.spans]
            self.spans.append(self.received.get(timeout=left))


@pytest.fixture
def collector() -> Iterator[tuple[Collector, int]]:
    collected = Collector()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = attributes(resource.resource)["service.name"]
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        collected.received.put((service, span))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield collected, server.server_address[1]
        server.shutdown()


def attributes(of: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in of.attributes}


@contextmanager
def serving(folder: Path, port: int, **environ: str) -> Iterator[Installed]:
    made = init(folder, "Company", "me@example.com")
    traced = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "100"}
    process = HostProcess(folder, environ={"DEVKIT_ALLOW_EGRESS": f"127.0.0.1:{port}", **traced, **environ}).start()
    try:
        owner = Tenant(made["organization"], made["user"], Api(process.url, made["token"]))
        yield installed(owner, ASKS.replace("PORT", str(port)), secrets={"KEY": "drawkcab"})
    finally:
        assert process.stop() == 0


def test_a_trace_goes_from_a_request_to_the_script_and_what_it_asks(
    collector: tuple[Collector, int], tmp_path: Path
) -> None:
    spans, port = collector
    with serving(tmp_path, port) as one:
        endpoint = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
        caller = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
        assert requests.get(f"{endpoint}/ask", headers=caller, timeout=60).text == "answer"
        (asked,) = spans.named("GET")
        (call,) = spans.named(f"{one.name} fetch")
        (request,) = spans.named("none")  # an address of the integration's own
        assert request.parent_span_id.hex() == CALLER
        assert call.parent_span_id == request.span_id and asked.parent_span_id == call.span_id
        assert {span.trace_id.hex() for span in (request, call, asked)} == {TRACE}
        assert attributes(request)["http.response.status_code"] == 200
        assert attributes(call) == {"event.type": "fetch", "integration": one.name, "http.response.status_code": 200}
        shown = {"http.request.method": "GET", "server.address": "127.0.0.1", "url.path": "/asked"}
        assert attributes(asked) == {**shown, "http.response.status_code": 200}
        assert request.start_time_unix_nano <= call.start_time_unix_nano <= asked.start_time_unix_nano
        assert asked.start_time_unix_nano < asked.end_time_unix_nano <= call.end_time_unix_nano
        assert {service for service, _ in spans.spans} == {"integration-runtime"}


def test_renders_errors_and_queued_events_have_spans_and_no_secrets(
    collector: tuple[Collector, int], tmp_path: Path
) -> None:
    spans, port = collector
    with serving(tmp_path, port, OTEL_SERVICE_NAME="docs") as one:
        assert one.render().status == 200
        (rendered,) = spans.named(f"{one.name} ui_render")
        (request,) = spans.named("renderIntegrationUIWithPost")
        assert rendered.parent_span_id == request.span_id
        assert attributes(rendered)["installation"] == one.installation
        endpoint = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
        assert requests.get(f"{endpoint}/broken", timeout=60).status_code == 500
        (failed,) = spans.named(f"{one.name} fetch")
        assert failed.status.code == failed.status.STATUS_CODE_ERROR
        event = {"type": "space_content_updated", "revisionId": "r"}
        assert one.owner.api.post(f"{one.path}/events", {"event": event}).status == 202
        (delivered,) = spans.named(f"{one.name} space_content_updated")
        assert delivered.parent_span_id == b""
        (asked,) = spans.named("GET")
        assert asked.parent_span_id == delivered.span_id
        assert one.owner.api.get("/v1/orgs/none").status == 404
        for _ in range(3):
            assert requests.get(f"{one.owner.api.url}/healthz", timeout=60).status_code == 200
        spans.named("getOrganizationById")
        assert not any("drawkcab" in str(span) or "/healthz" in str(span) for _, span in spans.spans)
        assert {service for service, _ in spans.spans} == {"docs"}


def test_what_was_not_sent_yet_is_sent_when_the_host_ends(collector: tuple[Collector, int], tmp_path: Path) -> None:
    spans, port = collector
    with serving(tmp_path, port, OTEL_BSP_SCHEDULE_DELAY="600000") as one:
        assert one.render().status == 200
    spans.named(f"{one.name} ui_render")


def test_a_collector_that_is_away_or_switched_off_harms_nothing(tmp_path: Path) -> None:
    for place, environ in (("away", {}), ("off", {"OTEL_SDK_DISABLED": "true"})):
        folder = tmp_path / place
        folder.mkdir()
        with serving(folder, 9, **environ) as one:
            assert one.render().status == 200
