"""Serves the OpenAPI document of this host at `/openapi.json`, to anybody: it says nothing of what is stored."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass

from flask import Flask, Response, request

from runtime.api.anonymous_lanes import lane_of
from runtime.api.content_origin import asked_host
from runtime.api.host import Host
from runtime.api.openapi import document
from runtime.api.operation import Operation
from runtime.contract import errors
from runtime.engines.shares import Shares

AT_ONCE = 16
"""Answers that are not compressed and being sent."""
PIECE = 65_536


def mount_openapi_document(app: Flask, host: Host, operations: list[Operation]) -> None:
    """Add `/openapi.json`, where the API is reached."""
    kept = _Document(operations)

    def openapi_json() -> Response:
        if not host.addresses.is_public(asked_host()):
            raise errors.NotFound(f"The API is described at {host.addresses.public_url}/openapi.json.")
        lane = lane_of(request.environ)
        with host.capacity.turns.lent(lane, ""):
            made = kept.get()
        if request.accept_encodings.quality("gzip") > 0:
            answer = Response(made.packed, mimetype="application/json")
            answer.headers["Content-Encoding"] = "gzip"
        elif request.if_none_match.contains_weak(made.tag):
            answer = Response(mimetype="application/json")
        else:
            answer = Response(kept.pieces(lane), mimetype="application/json")
            answer.headers["Content-Length"] = str(len(made.text))
        answer.headers["Vary"] = "Accept-Encoding"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Access-Control-Allow-Origin"] = "*"
        answer.headers["Cache-Control"] = "max-age=300"
        answer.set_etag(made.tag, weak=True)
        answer.make_conditional(request)
        return answer

    app.add_url_rule("/openapi.json", "openapi_json", openapi_json)


@dataclass(frozen=True, slots=True)
class _Made:
    """The document as it is sent, and what identifies its content."""

    text: bytes
    packed: bytes
    tag: str


class _Document:
    """The document, made when it is first asked for: that takes a second, which few processes need.

    What is not compressed is long, and its readers, whom nobody knows, may be slow: a few get it at a time.
    """

    def __init__(self, operations: list[Operation]) -> None:
        self._operations = operations
        self._made: _Made | None = None
        self._lock = threading.Lock()
        self._readers = Shares(AT_ONCE)

    def get(self) -> _Made:
        """Return the document."""
        with self._lock:
            if self._made is None:
                text = json.dumps(document(self._operations), separators=(",", ":"), sort_keys=True).encode()
                self._made = _Made(text, gzip.compress(text, 6), hashlib.sha256(text).hexdigest()[:32])
            return self._made

    def pieces(self, lane: str) -> Iterable[bytes]:
        """Return the text piece by piece; raises Unavailable if too many read it."""
        if not self._readers.enter(lane):
            raise errors.Unavailable("Too many read the document; send `Accept-Encoding: gzip`, or try again.")
        text = self.get().text
        return self._readers.held_by(lane, "", (text[at : at + PIECE] for at in range(0, len(text), PIECE)))
