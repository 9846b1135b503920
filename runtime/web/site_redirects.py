"""Redirects of published sites: kept by nobody, and telling the next page nothing of where its reader comes from."""

from __future__ import annotations

from flask import Response, request


def redirect(address: str) -> Response:
    """Lead a browser to an address."""
    return Response(b"", 302, {"Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def lead_on(address: str) -> Response:
    """Lead a browser to an address with the query that it sent."""
    query = request.query_string.decode("latin-1")
    return redirect(address + (f"?{query}" if query else ""))
