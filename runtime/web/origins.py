"""Pages of the platform are served only at its own origin, separate from what scripts send."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response

from runtime.api.content_origin import asked_host
from runtime.api.host import Host
from runtime.contract import errors


def on_public_origin(host: Host, view: Callable[..., Response]) -> Callable[..., Response]:
    """Serve a page of the platform where API and pages are reached, and nowhere else."""

    def guarded(**path: str) -> Response:
        if not host.addresses.is_public(asked_host()):
            raise errors.NotFound(f"Pages are served at {host.addresses.public_url}.")
        answer = view(**path)
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers.setdefault("Referrer-Policy", "no-referrer")
        answer.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return answer

    return guarded
