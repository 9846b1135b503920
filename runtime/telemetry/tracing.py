"""Spans for OpenTelemetry: requests, the script calls that they cause, and the outgoing requests of scripts.

No spans are created unless the variables of OpenTelemetry name a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`, or
`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`); all others of its variables count as its documentation says. A span tells neither
addresses with their queries nor bodies, and secrets of installations are masked as in the event log.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from runtime.contract.invocation import Outcome, Subrequest, Trace
from runtime.contract.masking import Masker
from runtime.contract.url_parts import split_url

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

log = logging.getLogger(__name__)

COLLECTORS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVICE = "integration-runtime"
"""The default service name (`OTEL_SERVICE_NAME`)."""
CARRIED = ("traceparent", "tracestate", "baggage")
"""Headers in which a caller sends the trace context of a request."""
QUIET = ("/healthz", "/readyz", "/metrics")
"""Paths that are polled by machines."""
FLUSH_SECONDS = 3.0

_provider: TracerProvider | None = None
_tracer: Tracer | None = None


def wanted(environ: Mapping[str, str]) -> bool:
    """Return whether the environment variables enable traces."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    return any(environ.get(name) for name in COLLECTORS)


def start() -> None:
    """Start sending spans, in the serving process; does nothing if traces are not enabled."""
    global _provider, _tracer
    if not wanted(os.environ):
        return
    if find_spec("opentelemetry.sdk") is None or find_spec("opentelemetry.exporter") is None:
        log.warning(
            "the variables of OpenTelemetry name a collector, but its packages are missing and no traces are sent; "
            "`pip install '.[otel]'` in the host's folder installs them"
        )
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = os.environ.get("OTEL_SERVICE_NAME") or "service.name=" in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    _provider = TracerProvider(resource=Resource.create({} if named else {"service.name": SERVICE}))
    _provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = _provider.get_tracer("runtime")


def stop() -> None:
    """Send the remaining spans, for a few seconds at most, and stop."""
    global _provider, _tracer
    provider, _provider, _tracer = _provider, None, None
    if provider is not None:
        # An unavailable collector is retried for longer than a host may take to stop.
        ending = threading.Thread(target=provider.shutdown, name="traces", daemon=True)
        ending.start()
        ending.join(FLUSH_SECONDS)


class _Read:
    """An answer that ends a span; closed before it is read, a generator would close nothing."""

    def __init__(self, body: Iterable[bytes], span: Span) -> None:
        self._body, self._span = body, span
        self._open = True

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        """Close the answer and end the span, once."""
        if not self._open:
            return
        self._open = False
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        finally:
            self._span.end()


class RequestSpan:
    """The span of one request, which ends with the last byte of its answer."""

    def __init__(self, span: Span, token: object) -> None:
        self._span, self._token = span, token

    def answered(self, operation: str, status: int) -> None:
        """Record the operation, and the status of its answer."""
        from opentelemetry.trace import StatusCode

        self._span.update_name(operation)
        self._span.set_attribute("operation", operation)
        self._span.set_attribute("http.response.status_code", status)
        if status >= 500:
            self._span.set_status(StatusCode.ERROR)

    def until_read(self, body: Iterable[bytes]) -> Iterable[bytes]:
        """Return the parts of the answer; the span ends when they are closed, which a server does in any case."""
        return _Read(body, self._span)

    def failed(self) -> None:
        """End the span of a request that nobody answered."""
        self._span.end()

    def leave(self) -> None:
        """Detach the span from the thread: what follows belongs to other spans."""
        from opentelemetry import context

        context.detach(self._token)  # type: ignore[arg-type]


def request_began(environ: Mapping[str, Any]) -> RequestSpan | None:
    """Start the span of a request, which covers what its thread does; None if traces are not sent."""
    if _tracer is None or environ["PATH_INFO"] in QUIET:
        return None
    from opentelemetry import context, propagate, trace

    carried = {name: environ.get(f"HTTP_{name.upper()}", "") for name in CARRIED}
    above = propagate.extract({name: value for name, value in carried.items() if value})
    method = environ["REQUEST_METHOD"]
    attributes = {"http.request.method": method}
    span = _tracer.start_span(method, above, trace.SpanKind.SERVER, attributes)
    return RequestSpan(span, context.attach(trace.set_span_in_context(span, above)))


def call_began(kind: str, integration: str, installation: str | None) -> Span | None:
    """Start the span of a script's call, within the request that causes it; None if traces are not sent."""
    if _tracer is None:
        return None
    attributes = {"event.type": kind, "integration": integration}
    if installation is not None:
        attributes["installation"] = installation
    return _tracer.start_span(f"{integration} {kind}", attributes=attributes)


def call_ended(span: Span, outcome: Outcome, trace: Trace, masker: Masker) -> None:
    """End the span of a call whose script has finished, with one for each request that it made."""
    from opentelemetry.trace import StatusCode, set_span_in_context

    span.set_attribute("http.response.status_code", outcome.status)
    failure = outcome.failure or trace.failure
    if failure is not None or outcome.status >= 500:
        span.set_status(StatusCode.ERROR, failure.message if failure is not None else None)
    within = set_span_in_context(span)
    for subrequest in trace.subrequests:
        _subrequest(subrequest, within, masker)
    span.end()


def _subrequest(subrequest: Subrequest, within: Any, masker: Masker) -> None:
    if _tracer is None:  # the host is ending
        return
    from opentelemetry.trace import SpanKind, StatusCode

    began = int(subrequest.timestamp * 1e9)
    host, path = _address(masker.url(subrequest.url))
    attributes: dict[str, str | int] = {
        "http.request.method": subrequest.method,
        "server.address": host,
        "url.path": path,
    }
    if subrequest.status is not None:
        attributes["http.response.status_code"] = subrequest.status
    span = _tracer.start_span(subrequest.method, within, SpanKind.CLIENT, attributes, start_time=began)
    if subrequest.refused is not None or subrequest.status is None:
        span.set_status(StatusCode.ERROR, masker.text(subrequest.refused) if subrequest.refused else None)
    span.end(began + int(subrequest.duration_ms * 1e6))


def _address(url: str) -> tuple[str, str]:
    """Return host and path of what a script requested, which may be no address at all."""
    try:
        parts = split_url(url)
        return parts.hostname or "", parts.path
    except ValueError:
        return "", ""
