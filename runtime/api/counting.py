"""Counts, times and traces every request, whether a route, a cached render or an error answers it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.telemetry import metrics, tracing

OPERATION = "runtime.operation"
"""The key of the operation's name in a request's environment, set by its handler."""
NONE = "none"
"""The operation of requests outside the API: pages, content, unknown addresses."""


def counted_as(environ: WSGIEnvironment, operation: str) -> None:
    """Record the operation of a request."""
    environ[OPERATION] = operation


class Counting:
    """The outermost WSGI middleware: sees the status of each answer, and when it begins."""

    def __init__(self, app: Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = time.monotonic()
        span = tracing.request_began(environ)

        def begin(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            operation, code = environ.get(OPERATION, NONE), int(status[:3])
            metrics.request_ended(operation, code, time.monotonic() - began)
            if span is not None:
                span.answered(operation, code)
            return start_response(status, headers, *more)

        if span is None:
            return self._app(environ, begin)
        try:
            return span.until_read(self._app(environ, begin))
        except BaseException:
            span.failed()
            raise
        finally:
            span.leave()
