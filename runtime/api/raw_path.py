"""The path of a request as it was sent: signatures and scripts see each escape unchanged."""

from __future__ import annotations

from urllib.parse import quote

from flask import Request

from runtime.contract.url_parts import split_url

SAFE = "/:@!$&'()*+,;=~-._%"


def raw_path(request: Request) -> str:
    """Return the path with its escapes; from the decoded one where the server does not pass the other on."""
    raw = request.environ.get("RAW_URI") or request.environ.get("REQUEST_URI")
    if not raw:
        return quote(request.path, safe=SAFE)
    path = raw.partition("?")[0] if raw.startswith("/") else split_url(raw).path
    return "/" + path.lstrip("/")  # `//v1` is no host, and found like `/v1`


def raw_query(request: Request) -> str:
    """Return the query with its question mark, or nothing."""
    query = request.environ.get("QUERY_STRING", "")
    return f"?{query}" if query else ""
