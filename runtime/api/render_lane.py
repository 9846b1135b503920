"""The short way of renders, past the web framework.

A framework's share of a render is as large as the rest of the host's. Here a render is an operation like any other: the
same entrance, the same handler, the same errors. Besides, what a request asks for is remembered by its bytes
(`runtime/services/render_shortcuts.py`): one that comes again costs a read of epochs and a look-up before its script is
called, and no call where the answer is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import parse_qs
from wsgiref.types import StartResponse, WSGIEnvironment

import flask
from flask import Response
from pydantic import BaseModel

from runtime.api.answers import RawAnswer, error_answer, unless_known
from runtime.api.call import Call
from runtime.api.counting import counted_as
from runtime.api.entrance import admit_alone, caller, provisional_owner
from runtime.api.host import Host
from runtime.api.one_processor import OneProcessor
from runtime.api.operation import Operation
from runtime.api.requests import parse_body, parse_query, read_body
from runtime.api.resource import PARAMETER
from runtime.contract import errors
from runtime.services.render_cache import CachedRender
from runtime.services.render_shortcuts import Request
from runtime.services.rendering import PreparedRender
from runtime.telemetry import metrics


class RenderLane:
    """A WSGI layer that answers the operations with `lane`, which give renders; everything else goes on to the app."""

    def __init__(
        self,
        app: Callable[..., Iterable[bytes]],
        host: Host,
        operations: Sequence[Operation],
        processor: OneProcessor,
    ) -> None:
        """Take the operations with `lane`: they stand at one path, and their handlers give a `PreparedRender`."""
        self._app, self._host = app, host
        self._operations = {operation.method: operation for operation in operations}
        (path,) = {operation.path for operation in operations}
        self._parameters = PARAMETER.findall(path)
        self._path = re.compile(PARAMETER.sub("([^/]+)", path) + "/?")
        self._processor = processor

    def view(self, operation: Operation) -> Callable[..., Response]:
        """Return the Flask view of requests that only Flask's router matches, such as `//v1/...` or method `get`."""

        def view(**path: str) -> Response:
            counted_as(flask.request.environ, operation.name)
            return self._answer(flask.request.environ, operation, path).response()

        return view

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self._processor.settle()
        method = environ["REQUEST_METHOD"]
        operation = self._operations.get("GET" if method == "HEAD" else method)
        matches = self._path.fullmatch(environ["PATH_INFO"]) if operation is not None else None
        if operation is None or matches is None:
            return self._app(environ, start_response)
        counted_as(environ, operation.name)
        names = (text.encode("latin-1").decode(errors="replace") for text in matches.groups())
        try:
            answer = self._answer(environ, operation, dict(zip(self._parameters, names, strict=True)))
        except Exception as error:
            answer = error_answer(error, f"{method} {environ['PATH_INFO']}")
        # Of an answer that is known already it would be the length of that one (RFC 9110, 8.6).
        length = [] if answer.status == 304 else [("Content-Length", str(len(answer.body)))]
        start_response(answer.status_line, [*answer.headers, *length])
        return [b"" if method == "HEAD" else answer.body]

    def _answer(self, environ: WSGIEnvironment, operation: Operation, path: dict[str, str]) -> RawAnswer:
        host, token = self._host, environ.get("HTTP_AUTHORIZATION")
        with host.capacity.turns.of(*provisional_owner(host, environ)) as turn:
            call = caller(host, token, path)
            actor = call.actor
            if actor.owner:
                turn.become(actor.owner, actor.part)
            body = b""
            sent: errors.ApiError | None = None
            if operation.body is not None:
                try:
                    body = host.capacity.read(
                        actor.owner, lambda: read_body(operation, environ), actor.part, again=call.reauthenticate
                    )
                except errors.Unauthorized:
                    raise  # while the body arrived, the token ended
                except errors.ApiError as error:
                    sent = error
                actor = call.actor
            request = (token, environ["PATH_INFO"], environ.get("QUERY_STRING", ""), body)
            found = host.shortcuts.find(request, call.basis) if sent is None else None
            prepared, render = found or (self._prepared(call, operation, request, sent), None)
            if render is None:
                render = host.renderer.answer(prepared)
                if render.expires > render.made:
                    host.shortcuts.keep_answer(request, prepared, render, actor.owner)
            else:
                metrics.render_looked_up("hit")
        return unless_known(answer_of(render), environ.get("HTTP_IF_NONE_MATCH") if body == b"" else None)

    def _prepared(
        self, call: Call, operation: Operation, request: Request, wrong: errors.ApiError | None
    ) -> PreparedRender:
        """Find out what a request asks for, and keep it; raises `wrong`, where there is one, once it is admitted."""
        admit_alone(call, operation.gate)
        if wrong is not None:
            raise wrong
        inputs: dict[str, BaseModel] = {}
        if operation.query is not None:
            inputs["query"] = parse_query(operation.query, parse_qs(request[2], keep_blank_values=True).items())
        if operation.body is not None:
            inputs["body"] = parse_body(operation.body, request[3])
        rows = {name: call.named.rows.get(name) for name in operation.arguments}
        prepared: PreparedRender = operation.handler(call, **rows, **inputs)
        self._host.shortcuts.keep(request, call.basis, call.actor.expires, prepared, call.actor.owner)
        return prepared


def answer_of(render: CachedRender) -> RawAnswer:
    """Write a render, with how long and how fresh it is."""
    # A script may say `public`: a cache in front must not give to anybody what somebody's token or session rendered.
    headers = [("ETag", render.etag), ("Vary", "Authorization, Cookie")]
    if render.cache_control:
        headers.append(("Cache-Control", render.cache_control))
        if render.expires > render.made:
            headers.append(("Age", str(render.age)))
    if render.took is not None:
        headers.append(("Server-Timing", f"script;dur={render.took:.1f}"))
    if render.policy:
        headers.append(("Content-Security-Policy", render.policy))
    headers.append(("Content-Type", "application/json"))
    return RawAnswer(200, headers, render.body)
