"""Counts, times and traces every request, whoever answers it: a route, the short way of renders, an error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.dispatch import metrics, tracing

OPERATION = "runtime.operation"
"""Where in a request's environment whoever handles it leaves the operation's name."""
NONE = "none"
"""The operation of requests that are none of the API's: pages, content, addresses that lead nowhere."""


def counted_as(environ: WSGIEnvironment, operation: str) -> None:
    """Note the operation a request is about."""
    environ[OPERATION] = operation


class Counting:
    """The outermost layer: sees the status of each answer, and when it begins."""

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
