"""At which origins what scripts send is served (docs/contract/scripts.md, "Public endpoints")."""

from __future__ import annotations

from flask import Flask, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.addresses import Asked

BY_BROWSERS = "Sec-Fetch-Site"
"""Sent with every request by browsers, to a loopback address also without TLS; by nothing else that is known."""
WORKER = "Service-Worker"
OF_SCRIPTS = ("/v1/integrations/", "/tunnels/")


def mount_content_origin(app: Flask, host: Host) -> None:
    """Refuse service workers wherever an origin is not one script's alone."""

    def refuse_workers() -> None:
        if WORKER in request.headers and not (
            host.addresses.own_origins and request.path.startswith(OF_SCRIPTS) and host.addresses.is_own(asked_host())
        ):
            raise errors.Forbidden("A service worker needs an origin of its own; see DEVKIT_CONTENT_URL.")

    app.before_request(refuse_workers)


def asked_host() -> str:
    """Give the `Host` header; empty where there is none."""
    header: str = request.environ.get("HTTP_HOST", "")
    return header


def on_own_origin(host: Host, origin: str, *, tools: bool = False) -> bool:
    """Tell whether a request came to the origin that is theirs alone who answer at `origin`; else it is shared.

    Raises NotFound where they do not answer: at somebody else's origin, and at that of API and pages. `tools` on the
    machine itself may ask there, no browser: `curl http://127.0.0.1:PORT/...`, and what is passed on to that address.
    """
    at = host.addresses
    origin_asked = at.asked(asked_host(), origin)
    if origin_asked is Asked.OTHERS:
        raise errors.NotFound("Nothing is served here.")
    if origin_asked is Asked.PLATFORM and not (tools and at.public.is_loopback and BY_BROWSERS not in request.headers):
        raise errors.NotFound(f"This is served at {origin}.")
    return origin_asked is Asked.OWN
