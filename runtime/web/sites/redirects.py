"""Redirects of published sites: never cached, and without a referrer for the next page."""

from __future__ import annotations

from flask import Response, request


def redirect(address: str) -> Response:
    """Redirect a browser to an address."""
    return Response(b"", 302, {"Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def lead_on(address: str) -> Response:
    """Redirect a browser to an address, with the query of its request."""
    query = request.query_string.decode("latin-1")
    return redirect(address + (f"?{query}" if query else ""))
