"""The origins at which answers of scripts are served (docs/contract/scripts.md, "Public endpoints")."""

from __future__ import annotations

from flask import Flask, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.addresses import Asked

BY_BROWSERS = "Sec-Fetch-Site"
"""Browsers send this with every request, to a loopback address also without TLS; no other known client does."""
WORKER = "Service-Worker"
OF_SCRIPTS = ("/v1/integrations/", "/tunnels/")


def mount_content_origin(app: Flask, host: Host) -> None:
    """Refuse service workers unless the origin belongs to a single script."""

    def refuse_workers() -> None:
        if WORKER in request.headers and not (
            host.addresses.own_origins and request.path.startswith(OF_SCRIPTS) and host.addresses.is_own(asked_host())
        ):
            raise errors.Forbidden("A service worker needs an origin of its own; see DEVKIT_CONTENT_URL.")

    app.before_request(refuse_workers)


def asked_host() -> str:
    """Return the `Host` header; empty if there is none."""
    header: str = request.environ.get("HTTP_HOST", "")
    return header


def on_own_origin(host: Host, origin: str, *, tools: bool = False) -> bool:
    """Return whether a request came to the separate origin `origin`; otherwise the origin is shared.

    Raises NotFound at the origin of others, and at that of API and pages. With `tools`, programs on the
    machine itself (not browsers) may use the latter: `curl http://127.0.0.1:PORT/...`, and forwarded requests.
    """
    at = host.addresses
    origin_asked = at.asked(asked_host(), origin)
    if origin_asked is Asked.OTHERS:
        raise errors.NotFound("Nothing is served here.")
    if origin_asked is Asked.PLATFORM and not (tools and at.public.is_loopback and BY_BROWSERS not in request.headers):
        raise errors.NotFound(f"This is served at {origin}.")
    return origin_asked is Asked.OWN
