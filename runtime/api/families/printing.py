"""PDF of spaces, change requests and their pages."""

from __future__ import annotations

import time

from runtime.api.call import Call
from runtime.api.families.change_requests import CHANGE_REQUEST
from runtime.api.families.content import PEOPLE_AND_SCRIPTS
from runtime.api.families.spaces import SPACE
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.contract import errors
from runtime.contract.printing import PdfQuery, PdfUrl
from runtime.engines.interpreter_turns import Waiting
from runtime.engines.shares import NoneLeft
from runtime.serializers import pdf_urls
from runtime.services import change_requests, content
from runtime.services.printing import making
from runtime.store.jobs import TooManyJobs
from runtime.store.rows import HOST, find
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.pdfs import PdfRow
from runtime.store.tables.spaces import SpaceRow

printing = Family("PDF")
PATIENCE = 20.0
"""Seconds to wait for a PDF, so that most addresses work at once."""
LOOK_EVERY = 0.2


@printing.operation(f"GET {SPACE.path}/pdf", PdfUrl, needs=PEOPLE_AND_SCRIPTS, own_transaction=True, also=("429",))
def get_space_pdf(call: Call, space: SpaceRow, query: PdfQuery) -> PdfUrl:
    """Get the address of a PDF of a space, or of one of its pages."""
    return _address(call, space, None, query)


@printing.operation(f"GET {CHANGE_REQUEST.path}/pdf", PdfUrl, needs=member("read"), own_transaction=True, also=("429",))
def get_change_request_pdf(call: Call, space: SpaceRow, change_request: ChangeRequestRow, query: PdfQuery) -> PdfUrl:
    """Get the address of a PDF of a change request, or of one of its pages."""
    return _address(call, space, change_request, query)


def _address(call: Call, space: SpaceRow, change_request: ChangeRequestRow | None, query: PdfQuery) -> PdfUrl:
    database = call.host.database
    try:
        with database.transaction(writes=True) as session:
            call.opened = session
            within = call.find(SpaceRow, id=space.id)
            if change_request is None:
                revision = content.current(session, within)
            else:
                row = call.find(ChangeRequestRow, id=change_request.id, space_id=space.id)
                revision = change_requests.content_of(session, row)
            pdf = making.ask(session, within, revision, query.page or None, only=query.only)
    except TooManyJobs:
        raise errors.TooManyRequests(
            "Too many PDFs are being created for this organization; try again later."
        ) from None
    call.host.jobs.wake()
    _wait(call, pdf)
    return PdfUrl(url=pdf_urls.address_of(call.host.addresses, pdf))


def _wait(call: Call, pdf: PdfRow) -> None:
    """Wait some time for a PDF; raises BadRequest if it cannot be created. Without a free slot, do not wait."""
    until = time.monotonic() + PATIENCE
    owner = call.actor.owner
    try:
        with call.host.capacity.calls.place(owner), Waiting():
            while time.monotonic() < until:
                with call.host.database.transaction(writes=False) as session:
                    row = find(session, HOST, PdfRow, id=pdf.id)
                if row is None or row.blob is not None:
                    return
                if row.problem is not None:
                    raise errors.BadRequest(row.problem)
                time.sleep(LOOK_EVERY)
    except NoneLeft:
        return
