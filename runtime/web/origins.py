"""Which pages are served on which of the host's two origins."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from flask import Response, request

from runtime.api.host import Host
from runtime.contract import errors


def on_own_origin(host: Host, view: Callable[..., Response]) -> Callable[..., Response]:
    """Keep the platform's pages off the origin on which scripts answer."""
    at = host.addresses

    def guarded(**path: str) -> Response:
        if at.content_url != at.public_url and request.host == urlsplit(at.content_url).netloc:
            raise errors.NotFound(f"Pages are served at {at.public_url}.")
        answer = view(**path)
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Referrer-Policy"] = "no-referrer"
        return answer

    return guarded
