"""One event during its handling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runtime.sdk.context import Context
from runtime.sdk.http_messages import Request

Deferred = list[Callable[[], object]]


class RawCall:
    """One event as the host sent it.

    `event` and `environment` are JSON text; `log` takes a level (debug, info, warn, error) and a line.
    """

    __slots__ = ("environment", "event", "fetch_body", "log")

    def __init__(
        self, event: bytes, environment: bytes, fetch_body: bytes | None, log: Callable[[str, str], None]
    ) -> None:
        self.event = event
        self.environment = environment
        self.fetch_body = fetch_body
        self.log = log


class Call:
    """One event during its handling, with the values of handler arguments."""

    __slots__ = ("_context", "_raw", "deferred", "element", "event", "request")

    event: dict[str, Any]
    element: Any  # an Element, whose module names this one
    request: Request

    def __init__(self, raw: RawCall, event: dict[str, Any], deferred: Deferred) -> None:
        self._raw = raw
        self._context: Context | None = None
        self.event = event
        self.deferred = deferred

    @property
    def context(self) -> Context:
        """The context, created for handlers that name it."""
        if self._context is None:
            self._context = Context(self._raw.environment, self._raw.log, self.deferred)
        return self._context

    @property
    def fetch_body(self) -> bytes:
        """The raw body of the request behind a `fetch` event."""
        return self._raw.fetch_body or b""
