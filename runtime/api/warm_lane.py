"""The short way to a warm render: what a render needs and nothing else.

Flask's share of a render is as large as the rest of the host's. Only a request that is known to be in order is answered
here: whatever is odd goes on to Flask, which finds it again and words the error, so that there is one place for errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from pydantic import ValidationError

from runtime.api.call import Call
from runtime.api.host import Host
from runtime.api.one_processor import OneProcessor
from runtime.api.operation import Operation
from runtime.api.permitting import permit
from runtime.api.render_lane import REASONS, REQUEST, answer
from runtime.contract import errors
from runtime.contract.rendering import RenderIntegration
from runtime.dispatch import metrics
from runtime.services.render_cache import CachedRender
from runtime.services.rendering import Asker

FAILED = "host.render_failed"
PATH = re.compile(r"/v1/integrations/([a-zA-Z0-9_.-]+)/render")


class WarmLane:
    """A WSGI layer for renders by POST whose token and integration are known; everything else goes on to the app."""

    def __init__(self, app: Callable[..., Iterable[bytes]], host: Host, operation: Operation) -> None:
        self._app, self._host, self._operation = app, host, operation
        # Of several processes all could choose the same one.
        self._processor = OneProcessor() if host.settings.workers == 1 else None

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if self._processor is not None:
            self._processor.settle()
        request = environ.get(REQUEST)
        known = self._enter(environ, request) if request is not None else None
        if known is not None:
            try:
                render = rendered(*known, request)
            except Exception as error:
                environ[FAILED] = error
            else:
                metrics.request_ended(self._operation.name, 200)
                status, headers, body = answer(render, None)
                start_response(REASONS[status], [*headers, ("Content-Length", str(len(body)))])
                return [body]
        return self._app(environ, start_response)

    def _enter(self, environ: WSGIEnvironment, request: tuple[Any, ...]) -> tuple[Call, RenderIntegration] | None:
        """Give call and body of a request that Flask would let through with no look at the database."""
        if environ["REQUEST_METHOD"] != "POST":
            return None
        token, path, _, body = request
        named = PATH.fullmatch(path)
        if named is None:
            return None
        host, name = self._host, named.group(1)
        epoch = host.database.epoch()
        try:
            actor = host.authenticator.actor(token, epoch)
            objects = host.named.get((actor.reach, self._operation.name, name), epoch)
            if objects is None:
                return None
            call = Call(host, actor, {"integrationName": name}, epoch, objects=objects)
            permit(call, self._operation.needs)
            return call, RenderIntegration.model_validate_json(body)
        except (errors.ApiError, ValidationError):
            return None


def rendered(call: Call, wanted: RenderIntegration, request: tuple[Any, ...] | None) -> CachedRender:
    """Render, and keep the way from the bytes of the request to an answer that may be kept."""
    host, actor = call.host, call.actor
    render = host.renderer.render(Asker(actor.reach, actor.role_in), call.integration, wanted, call.epoch)
    if request is not None and render.expires > render.made:
        host.renders.keep_shortcut(request, call.epoch, actor.expires, render)
    return render
