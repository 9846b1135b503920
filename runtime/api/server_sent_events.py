"""Streams of server-sent events: how they are answered, and how each line is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from flask import Response

from runtime.api.host import Host

CONNECTED, STILL_HERE = b": connected\n\n", b": still here\n\n"
"""Comments: a stream says at once that it is there, and again while it has nothing to say."""


def stream(host: Host, owner: str, begin: Callable[[], Iterator[bytes]]) -> Response:
    """Answer with a stream that takes one of its owner's places; raises Unavailable while too many are open."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Response(host.capacity.stream(owner, begin), 200, headers, mimetype="text/event-stream")


def written(kind: str, data: bytes | dict[str, Any], id: str | None = None) -> bytes:
    """Write one event; `data` is JSON, or bytes without a line break."""
    line = data if isinstance(data, bytes) else json.dumps(data).encode()
    name = f"id: {id}\n" if id else ""
    return f"event: {kind}\n{name}data: ".encode() + line + b"\n\n"
