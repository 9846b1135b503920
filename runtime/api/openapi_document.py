"""Serves the OpenAPI document of this host at `/openapi.json`, to anybody: it says nothing of what is stored."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading

from flask import Flask, Response, request

from runtime.api.content_origin import asked_host
from runtime.api.host import Host
from runtime.api.openapi import document
from runtime.api.operation import Operation
from runtime.contract import errors


def mount_openapi_document(app: Flask, host: Host, operations: list[Operation]) -> None:
    """Add `/openapi.json`, where the API is reached."""
    kept = _Document(operations)

    def openapi_json() -> Response:
        if not host.addresses.is_public(asked_host()):
            raise errors.NotFound(f"The API is described at {host.addresses.public_url}/openapi.json.")
        packed, tag = kept.get()
        zipped = request.accept_encodings.quality("gzip") > 0
        answer = Response(packed if zipped else gzip.decompress(packed), mimetype="application/json")
        if zipped:
            answer.headers["Content-Encoding"] = "gzip"
        answer.headers["Vary"] = "Accept-Encoding"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Access-Control-Allow-Origin"] = "*"
        answer.headers["Cache-Control"] = "max-age=300"
        answer.set_etag(tag, weak=True)
        answer.make_conditional(request)
        return answer

    app.add_url_rule("/openapi.json", "openapi_json", openapi_json)


class _Document:
    """The compressed document, made when it is first asked for: that takes a second, which few processes need."""

    def __init__(self, operations: list[Operation]) -> None:
        self._operations = operations
        self._made: tuple[bytes, str] | None = None
        self._lock = threading.Lock()

    def get(self) -> tuple[bytes, str]:
        """Return the document as gzip, and what identifies its content."""
        with self._lock:
            if self._made is None:
                text = json.dumps(document(self._operations), separators=(",", ":"), sort_keys=True).encode()
                self._made = gzip.compress(text, 6), hashlib.sha256(text).hexdigest()[:32]
            return self._made
