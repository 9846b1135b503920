"""Errors for people: where a browser shows a page, an address that leads nowhere answers with one."""

from __future__ import annotations

import json

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from runtime.api.answers import any_error, http_error
from runtime.api.host import Host
from runtime.contract import errors
from runtime.web.admin.browser import POLICY
from runtime.web.templates import TEMPLATES

PROGRAMS = ("/v1", "/preview/api/", "/openapi.json", "/metrics", "/healthz", "/readyz")
"""Addresses that belong to programs, whoever asks."""
ASK_ANOTHER = "Check the address, or continue from your account."
"""What people are told where the API speaks of objects and tokens."""
TITLES = {404: "There is no page here", 405: "There is no page here", 503: "Busy at the moment"}


def mount_error_pages(app: Flask, host: Host) -> None:
    """Answer errors in the format of the API, and as a page where a person looks; replaces `mount_errors`."""

    def shown(answer: Response) -> Response:
        if not _by_a_person():
            return answer
        said = json.loads(answer.get_data())["error"]["message"]
        if said == errors.NotFound().message:
            said = ASK_ANOTHER
        title = TITLES.get(answer.status_code, "Something went wrong")
        text = TEMPLATES.get_template("admin/message.html").render(
            title=title, text=said, address=request.path[:LONGEST], home=f"{host.addresses.public_url}/app", user=None
        )
        headers = [(name, value) for name, value in answer.headers if name in ("Retry-After", "Allow")]
        page = Response(text, answer.status_code, headers, mimetype="text/html")
        page.headers["Content-Security-Policy"] = POLICY
        page.headers["Cache-Control"] = "no-store"
        page.headers["Vary"] = "Accept"
        page.headers["X-Content-Type-Options"] = "nosniff"
        page.headers["Referrer-Policy"] = "no-referrer"
        return page

    app.register_error_handler(HTTPException, lambda error: shown(http_error(error)))
    app.register_error_handler(Exception, lambda error: shown(any_error(error)))


LONGEST = 200
"""Characters of an address that are repeated."""


def _by_a_person() -> bool:
    """Return whether a browser asks for a page: what it loads for one, and programs, take anything."""
    if request.method not in ("GET", "HEAD") or request.path.startswith(PROGRAMS):
        return False
    accepted = request.accept_mimetypes
    return accepted.quality("text/html") > accepted.quality("application/json")
