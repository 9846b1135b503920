"""The span of a request ends with its answer, also with one that nobody reads."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from runtime.contract.invocation import Outcome, Subrequest, Trace
from runtime.contract.masking import Masker
from runtime.telemetry import tracing
from runtime.telemetry.tracing import RequestSpan


def test_an_answer_that_is_closed_before_it_is_read_is_closed_all_the_way() -> None:
    span = TracerProvider().get_tracer("test").start_span("request")
    closed: list[bool] = []

    class Body(list[bytes]):
        def close(self) -> None:
            closed.append(True)

    answer = RequestSpan(span, None).until_read(Body([b"a", b"b"]))
    assert list(answer) == [b"a", b"b"] and span.is_recording()
    for _ in range(2):
        answer.close()  # type: ignore[attr-defined]
    assert closed == [True] and not span.is_recording()


def test_a_request_to_what_is_no_address_is_a_span_like_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ended))
    monkeypatch.setattr(tracing, "_tracer", provider.get_tracer("test"))
    span = tracing.call_began("fetch", "wild", None)
    assert span is not None
    trace = Trace()
    trace.subrequests = [Subrequest(1.0, "GET", url, None, 1.0, "refused") for url in ("http://[x/y", "http://a.b/c")]
    tracing.call_ended(span, Outcome(200, [], b""), trace, Masker())
    named = [(one.name, (one.attributes or {}).get("server.address")) for one in ended.get_finished_spans()]
    assert named == [("GET", ""), ("GET", "a.b"), ("wild fetch", None)]
