"""The contents of `/metrics`, in Prometheus' text format, for all processes that serve on this machine.

If there are several, each counts in files of a shared folder, and the one that is asked adds them up. The counts of
processes that have ended are included, so counters never decrease.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder. Prometheus' library reads it on import, which happens only here."""
STATES = ("pending", "claimed", "failed", "given-up")
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


@dataclass(frozen=True, slots=True)
class Queue:
    """The events of each state: how many, and for how many seconds the oldest has been due."""

    depth: Mapping[str, int]
    oldest: Mapping[str, float]


class Meters:
    """All counters of this process."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        if SHARED in os.environ:
            from runtime.telemetry import counted_files

            counted_files.use_them()
        self.registry = CollectorRegistry()

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(name, about, labels, registry=self.registry)

        def histogram(name: str, about: str, *labels: str) -> Histogram:
            return Histogram(name, about, labels, buckets=BUCKETS, registry=self.registry)

        self.calls = counter("host_calls_total", "Calls of scripts by event type and status", "type", "status")
        self.call_seconds = histogram("host_call_seconds", "Time until a script's answer", "type")
        self.renders = counter("host_render_cache_total", "Renders by cache result", "result")
        self.unrecorded = counter(
            "host_calls_unrecorded_total",
            "Calls that were counted but not written to the event log, by event type",
            "type",
        )
        self.requests = counter(
            "host_requests_total",
            "Requests by operation and status; requests that match no operation, including pages, are `none`",
            "operation",
            "status",
        )
        self.request_seconds = histogram(
            "host_request_seconds", "Time until the first byte of an answer, by operation", "operation"
        )
        for result in ("hit", "miss"):
            self.renders.labels(result)
        self.unrecorded.labels("ui_render")


_meters = cache(Meters)
"""Created at the first count, in the counting process."""


def call_ended(kind: str, status: int, seconds: float) -> None:
    """Count one call of a script."""
    _call(kind, status).inc()
    _call_seconds(kind).observe(seconds)


def request_ended(operation: str, status: int, seconds: float) -> None:
    """Count one request of an operation."""
    _request(operation, status).inc()
    _request_seconds(operation).observe(seconds)


def render_looked_up(result: str) -> None:
    """Count one render by its cache result: `hit` or `miss`."""
    _render(result).inc()


def call_unrecorded(kind: str) -> None:
    """Count one call that was not recorded."""
    _unrecorded(kind).inc()


# Looking a labelled child up costs more than counting; there are few of them.
@lru_cache(maxsize=4096)
def _call(kind: str, status: int) -> Counter:
    return _meters().calls.labels(kind, status)


@lru_cache(maxsize=64)
def _call_seconds(kind: str) -> Histogram:
    return _meters().call_seconds.labels(kind)


@lru_cache(maxsize=4096)
def _request(operation: str, status: int) -> Counter:
    return _meters().requests.labels(operation, status)


@lru_cache(maxsize=512)
def _request_seconds(operation: str) -> Histogram:
    return _meters().request_seconds.labels(operation)


@lru_cache(maxsize=2)
def _render(result: str) -> Counter:
    return _meters().renders.labels(result)


@lru_cache(maxsize=64)
def _unrecorded(kind: str) -> Counter:
    return _meters().unrecorded.labels(kind)


def text(queue: Queue | None, broker: bool | None = None) -> bytes:
    """Return all metrics, with the current state of the queue, None if that is unknown.

    `broker` says whether this process is connected to the message broker; None without one.
    """
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    counted = _meters().registry
    if SHARED in os.environ:
        counted = CollectorRegistry()
        MultiProcessCollector(counted)  # type: ignore[no-untyped-call]
    standing = CollectorRegistry()
    standing.register(_Standing(queue, broker))
    return generate_latest(counted) + generate_latest(standing)


class _Standing:
    """Metrics that are read on request: they are the same for all processes, and not added up."""

    def __init__(self, queue: Queue | None, broker: bool | None) -> None:
        self._queue, self._broker = queue, broker

    def collect(self) -> Iterator[Any]:
        """Yield the metrics, as the library asks for them."""
        from prometheus_client.core import GaugeMetricFamily

        up = 0.0 if self._queue is None else 1.0
        yield GaugeMetricFamily("host_database_up", "Whether the database answers", value=up)
        if self._broker is not None:
            about = "Whether the process that answers is connected to the message broker"
            yield GaugeMetricFamily("host_broker_up", about, value=float(self._broker))
        if self._queue is None:
            return
        events = GaugeMetricFamily(
            "host_events", "Events that are waiting or were given up, by state", labels=["state"]
        )
        oldest = GaugeMetricFamily(
            "host_oldest_event_seconds",
            "How long the oldest event of a state has been due; 0 if there is none",
            labels=["state"],
        )
        for state in STATES:
            events.add_metric([state], self._queue.depth.get(state, 0))
        for state in STATES[:3]:
            oldest.add_metric([state], self._queue.oldest.get(state, 0.0))
        yield events
        yield oldest
