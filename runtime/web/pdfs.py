"""PDFs at the addresses that the API gives out; a waiting page while they are being created."""

from __future__ import annotations

from functools import partial

from flask import Flask, Response, request

from runtime.api.content_origin import on_own_origin
from runtime.api.entrance import look_up
from runtime.api.host import Host
from runtime.contract import errors
from runtime.serializers.pdf_urls import opens
from runtime.store import pdfs
from runtime.web.files import answer_with
from runtime.web.templates import TEMPLATES

AGAIN = 3
"""Seconds after which whoever waits asks again."""


def mount_pdfs(app: Flask, host: Host) -> None:
    """Add the addresses of PDFs; the signature in them is the permission."""

    def view(space_id: str, pdf_id: str, until: str, signature: str, name: str) -> Response:
        on_own_origin(host, host.addresses.space_origin(space_id))
        if not opens(pdf_id, until, signature):
            raise errors.NotFound("This address has expired: request the PDF again.")
        find = partial(pdfs.of_living_space, pdf_id=pdf_id)
        found = look_up(host, find, lambda found: (found[1], ""), "pdf", pdf_id)
        if found is None or found[0].space_id != space_id:
            raise errors.NotFound("This PDF was deleted: request it again.")
        row, owner = found
        if row.blob is not None:
            return answer_with(host, owner, row.blob, row.size, name, "application/pdf")
        if row.problem is not None:
            raise errors.NotFound(row.problem)
        if request.accept_mimetypes.best_match(("application/pdf", "text/html")) == "text/html":
            page = TEMPLATES.get_template("pdf_waiting.html").render(title=row.name, again=AGAIN)
            return Response(page, 202, {"Retry-After": str(AGAIN), "Cache-Control": "no-store"}, mimetype="text/html")
        return Response("The PDF is being created.\n", 202, {"Retry-After": str(AGAIN)}, mimetype="text/plain")

    app.add_url_rule("/pdfs/<space_id>/<pdf_id>/<until>/<signature>/<path:name>", "pdf", view, methods=("GET", "HEAD"))
