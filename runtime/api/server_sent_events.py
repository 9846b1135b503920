"""Server-sent events: the response of a stream, and the format of its lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from flask import Response

from runtime.api.host import Host

CONNECTED, STILL_HERE = b": connected\n\n", b": still here\n\n"
"""Comments that a stream sends at its start, and as a keep-alive."""


def stream(host: Host, owner: str, begin: Callable[[], Iterator[bytes]]) -> Response:
    """Return a response that streams in one of its owner's slots; raises Unavailable if too many are open."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Response(host.capacity.stream(owner, begin), 200, headers, mimetype="text/event-stream")


def written(kind: str, data: bytes | dict[str, Any], id: str | None = None) -> bytes:
    """Write one event; `data` is JSON, or bytes without a line break."""
    line = data if isinstance(data, bytes) else json.dumps(data).encode()
    name = f"id: {id}\n" if id else ""
    return f"event: {kind}\n{name}data: ".encode() + line + b"\n\n"
