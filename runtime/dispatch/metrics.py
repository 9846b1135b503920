"""What `/metrics` shows, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

registry = CollectorRegistry()
CALLS = Counter("host_calls_total", "Calls of scripts by event type and status", ("type", "status"), registry=registry)
SECONDS = Histogram(
    "host_call_seconds",
    "Time until a script's answer",
    ("type",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=registry,
)
RENDERS = Counter("host_render_cache_total", "Renders by how the cache took part", ("result",), registry=registry)
UNRECORDED = Counter(
    "host_calls_unrecorded_total",
    "Successful calls that were counted and not written into the event log, by event type",
    ("type",),
    registry=registry,
)
EVENTS = Gauge("host_events", "Events that wait or were given up, by state", ("state",), registry=registry)
REQUESTS = Counter(
    "host_requests_total", "API requests by operation and status", ("operation", "status"), registry=registry
)

STATES = ("pending", "claimed", "failed", "given-up")


def call_ended(kind: str, status: int, seconds: float) -> None:
    """Count one call of a script."""
    _calls(kind, status).inc()
    _seconds(kind).observe(seconds)


def request_ended(operation: str, status: int) -> None:
    """Count one request of an operation."""
    _requests(operation, status).inc()


# Looking a labelled child up costs more than counting; there are few of them.
_calls = lru_cache(maxsize=4096)(CALLS.labels)
_seconds = lru_cache(maxsize=64)(SECONDS.labels)
_requests = lru_cache(maxsize=4096)(REQUESTS.labels)
RENDER_HIT, RENDER_MISS = RENDERS.labels("hit"), RENDERS.labels("miss")
RENDER_UNRECORDED = UNRECORDED.labels("ui_render")


def text(depth: Callable[[], dict[str, int]]) -> bytes:
    """Write all metrics; `depth` counts the events of each state."""
    counts = depth()
    for state in STATES:
        EVENTS.labels(state).set(counts.get(state, 0))
    return generate_latest(registry)
