"""Questions whose answers are streamed: each event has the whole answer so far, and `done` ends it.

Permissions are checked again before each event, as for every stream.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from functools import partial

from flask import Flask, Response, request

from runtime.api.call import Call
from runtime.api.counting import counted_as
from runtime.api.described_streams import ASK, ASK_IN_SITE
from runtime.api.entrance import admit_alone
from runtime.api.families.asking import ASKERS, in_organization, model_for
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.families.search import IN_SITE, scope_in_site
from runtime.api.families.sites import SITE
from runtime.api.host import Host
from runtime.api.permission import Gate
from runtime.api.requests import parse_body, parse_query, read_json
from runtime.api.server_sent_events import CONNECTED, stream, written
from runtime.api.stream_access import StreamAccess
from runtime.contract.asking import AnswerSoFar, AskQuery, AskSite, AskStreamQuery
from runtime.contract.content import DocumentFormat
from runtime.services import asking as service
from runtime.services.answer_model import AnswerModel
from runtime.services.asking import Passages
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow

log = logging.getLogger(__name__)

IN_ORGANIZATION_GATE = Gate(ASK.name, (ORGANIZATION,), ASKERS)
IN_SITE_GATE = Gate(ASK_IN_SITE.name, (ORGANIZATION, SITE), IN_SITE)
EVERY = 0.2
"""Seconds between two events; each event repeats the previous text."""
MAX_BODY = 64 * 1024


def mount_ask_streams(app: Flask, host: Host) -> None:
    """Add the routes of both streams: for an organization, and for a site."""
    app.add_url_rule(ASK.rule, "ask stream", partial(_in_organization, host), methods=(ASK.method,))
    app.add_url_rule(ASK_IN_SITE.rule, "ask stream in site", partial(_in_site, host), methods=(ASK_IN_SITE.method,))


def _in_organization(host: Host, **path: str) -> Response:
    counted_as(request.environ, IN_ORGANIZATION_GATE.name)
    access = _access(host, path, IN_ORGANIZATION_GATE)
    query = parse_query(AskStreamQuery, request.args.lists())
    organization = _organization(access.call)
    find = partial(in_organization, access.call, organization, query.query)
    return _streamed(access, organization, find, query.query, query.format)


def _in_site(host: Host, **path: str) -> Response:
    counted_as(request.environ, IN_SITE_GATE.name)
    access = _access(host, path, IN_SITE_GATE)
    query = parse_query(AskQuery, request.args.lists())
    actor = access.call.actor

    def again() -> None:
        nonlocal access
        access = _access(host, path, IN_SITE_GATE)

    sent = host.capacity.read(actor.owner, lambda: read_json(request.environ, MAX_BODY), actor.part, again=again)
    call = access.call
    body = parse_body(AskSite, sent)
    site = call.named.rows[SITE.name]
    assert isinstance(site, SiteRow)

    def find() -> Passages:
        with host.database.transaction(writes=False) as session:
            call.opened = session
            scope = scope_in_site(call, site, body.scope)
            return service.find(session, host.addresses, scope, body.question)

    return _streamed(access, _organization(call), find, body.question, query.format)


def _access(host: Host, path: dict[str, str], gate: Gate) -> StreamAccess:
    return StreamAccess(host, request.headers.get("Authorization"), path, lambda call: admit_alone(call, gate))


def _organization(call: Call) -> OrganizationRow:
    row = call.named.rows[ORGANIZATION.name]
    assert isinstance(row, OrganizationRow)
    return row


def _streamed(
    access: StreamAccess,
    organization: OrganizationRow,
    find: Callable[[], Passages],
    question: str,
    form: DocumentFormat,
) -> Response:
    host = access.call.host
    with host.capacity.turns.of(organization.id, access.call.actor.part):
        passages = find()  # before the stream begins, so that an error is answered with its status
    model = model_for(access.call, organization)
    return stream(host, organization.id, lambda: _events(access, model, passages, question, form))


def _events(
    access: StreamAccess, model: AnswerModel | None, passages: Passages, question: str, form: DocumentFormat
) -> Iterator[bytes]:
    yield CONNECTED
    last, spoke = None, 0.0
    try:
        for text in service.answers(model, passages, question, ()) if passages.best else ():
            if time.monotonic() - spoke < EVERY:
                last = text
                continue
            if not access.holds():
                return
            yield _event(passages, text, form)
            last, spoke = None, time.monotonic()
    except Exception:  # the answer has begun: its status is sent
        log.exception("a question could not be answered")
        error = {"code": 500, "message": "The answer could not be completed; ask again."}
        yield written("error", {"error": error})
        return
    if not access.holds():
        return
    if last is not None:
        yield _event(passages, last, form)
    yield written("done", {})


def _event(passages: Passages, text: str, form: DocumentFormat) -> bytes:
    so_far = AnswerSoFar(answer=service.shown(passages, text, form))
    return written("answer", so_far.model_dump_json(by_alias=True).encode())
