"""The short way to a cached render: in front of Flask, so that a hit costs one read of the epoch and one look-up."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from runtime.api.host import Host, Places
from runtime.services.render_cache import CachedRender

REQUEST = "host.render_request"
LONGEST_BODY = 65_536
REASONS = {200: "200 OK", 304: "304 Not Modified"}


class RenderLane:
    """A WSGI layer that answers exactly repeated render requests; everything else goes on to the app."""

    def __init__(self, app: Callable[..., Iterable[bytes]], host: Host) -> None:
        self._app, self._host = app, host

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"].endswith("/render"):
            epoch = self._host.database.epoch()
            # Whoever is not known yet is read no body of here: Flask asks who it is first.
            owner = self._host.authenticator.known(environ.get("HTTP_AUTHORIZATION"), epoch)
            request = _request(environ, owner, self._host.places) if owner is not None else None
            if request is not None:
                environ[REQUEST] = request
                found = self._host.renders.shortcut(request, epoch)
                if found is not None:
                    matches = environ.get("HTTP_IF_NONE_MATCH") if environ["REQUEST_METHOD"] == "GET" else None
                    status, headers, body = answer(found, matches)
                    start_response(REASONS[status], [*headers, ("Content-Length", str(len(body)))])
                    return [body]
        return self._app(environ, start_response)


def _request(environ: WSGIEnvironment, owner: str, places: Places) -> tuple[Any, ...] | None:
    """Give everything the answer depends on; None for a request that is never answered from here."""
    body = b""
    if environ["REQUEST_METHOD"] == "POST":
        if environ.get("CONTENT_TYPE", "").partition(";")[0].rstrip() != "application/json":
            return None
        try:
            length = int(environ.get("CONTENT_LENGTH") or 0)
        except ValueError:
            return None
        if not 0 < length <= LONGEST_BODY:
            return None
        if not places.bodies.enter(owner):
            return None
        try:
            body = environ["wsgi.input"].read(length)
        finally:
            places.bodies.leave(owner)
        environ["wsgi.input"] = io.BytesIO(body)
    elif environ["REQUEST_METHOD"] != "GET":
        return None
    token = environ.get("HTTP_AUTHORIZATION")
    return (token, environ["PATH_INFO"], environ.get("QUERY_STRING"), body) if token else None


def answer(render: CachedRender, if_none_match: str | None) -> tuple[int, list[tuple[str, str]], bytes]:
    """Build status, headers and body for a render; 304 where the caller has it already."""
    headers = [("ETag", render.etag)]
    if render.cache_control:
        headers.append(("Cache-Control", render.cache_control))
        if render.expires > render.made:
            headers.append(("Age", str(render.age)))
    if render.took is not None:
        headers.append(("Server-Timing", f"script;dur={render.took:.1f}"))
    if render.policy:
        headers.append(("Content-Security-Policy", render.policy))
    if if_none_match is not None and _names(if_none_match, render.etag):
        return 304, headers, b""
    return 200, [*headers, ("Content-Type", "application/json")], render.body


def _names(if_none_match: str, etag: str) -> bool:
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return etag in tags or "*" in tags
