"""What a published site asks for where the preview is served: renders, what readers do, and what its policy kept out.

None of it needs a token, as for a platform whose own server stands between readers and the API: a reader may do what
the visibility of the site allows, in its spaces, and in such numbers that nobody is drowned.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from flask import Flask, Response, request
from sqlalchemy.orm import Session

from runtime.api import render_lane
from runtime.api.content_origin import on_own_origin
from runtime.api.host import Host
from runtime.api.mount import parse, read_json
from runtime.api.script_headers import is_hosts
from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.contract.insights import MOST_COOKIES, InsightsEvent, PageView, TrackEvents
from runtime.contract.invocation import LogLine, Trace
from runtime.contract.masking import BY_SHAPE
from runtime.contract.rendering import DocumentContext, RenderIntegration
from runtime.dispatch.outbox import WAKE
from runtime.dispatch.traces import trace_text
from runtime.services import site_scripts, tracking
from runtime.services.rendering import Asker
from runtime.store import previewing, rows, searching
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow
from runtime.web.allowance import Allowance
from runtime.web.assets import STATIC, serve
from runtime.web.embed import EVERYWHERE
from runtime.web.origins import on_public_origin
from runtime.web.preview import admit
from runtime.web.published import find_site, may_read
from runtime.web.site_page_content import sample_of
from runtime.web.site_page_reports import MOST_BODY, Violation, violations
from runtime.web.site_policy import policy_of_sample

VIOLATION = "site_policy_violation"
"""The type of the event under which a violation stands in an integration's log; no script is told of it."""
CONSENT = "__gitbook_cookie_granted"
TO_STRANGERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Content-Type",
}
LONGEST_RENDER = 64 * 1024
LONGEST_INSIGHTS = 64 * 1024
MOST_INSIGHTS = 10


class Reading:
    """What readers of sites do now, in this process: how much of it is taken, and where the last of each site was."""

    def __init__(self) -> None:
        self.renders = Allowance(600, 60)
        self.insights = Allowance(120, 60)
        self.violations = Allowance(30, 60)
        self.last: dict[str, dict[str, Any]] = {}


def mount_site_page(app: Flask, host: Host) -> None:
    """Add what sites ask for, on the origin of content, and what the preview's page about them asks for."""
    reading = Reading()
    files = serve(STATIC / "site", Cache_Control="no-cache", **EVERYWHERE)
    app.add_url_rule("/sites/-/<file>", "site files", files, methods=("GET",))
    views: tuple[tuple[str, Callable[..., Response]], ...] = (("render/<name>", _render), ("insights", _insights))
    for place, view in (*views, ("violations", _violations)):
        guarded = partial(_guarded, host, reading, view)
        methods = ("POST", "OPTIONS")
        at = f"/sites/<site_id>/-/{place}"
        app.add_url_rule(at, f"site {place}", guarded, methods=methods, provide_automatic_options=False)
    state = on_public_origin(host, partial(_state, host, reading))
    app.add_url_rule("/preview/api/<name>/site", "preview site", state, methods=("GET",))


def _guarded(host: Host, reading: Reading, view: Callable[..., Response], site_id: str, **path: str) -> Response:
    """Find the site; raises NotFound for one that is not published here.

    Pages that are confined ask as strangers: what everybody may know they get, and nothing as their visitor.
    """
    own = on_own_origin(host, host.addresses.site_origin(site_id))
    site = find_site(host, site_id)
    if site is None:
        raise errors.NotFound("There is no published site at this address.")
    answer = Response(b"", 204) if request.method == "OPTIONS" else view(host, reading, site, **path)
    if not own:
        answer.headers.update(TO_STRANGERS)
    return answer


def _render(host: Host, reading: Reading, site: SiteRow, name: str) -> Response:
    """Render a block for a reader, by the same way as the API does."""
    _may(host, site)
    wanted = parse(RenderIntegration, body=read_json(LONGEST_RENDER))
    assert isinstance(wanted, RenderIntegration)
    if not isinstance(wanted.context, DocumentContext) or wanted.context.editable:
        raise errors.BadRequest("context: readers see documents, and edit none")
    _within(reading.renders.take(site.id))
    epoch = host.database.epoch()
    with host.database.transaction(writes=False) as session:
        blocks = {
            (one.integration, one.component, one.space) for one in sample_of(session, site, host.addresses).blocks
        }
        integration = rows.find(session, HOST, IntegrationRow, name=name)
    shown = {(one, space) for one, _, space in blocks}
    if integration is None or (name, wanted.context.space_id) not in shown:
        raise errors.NotFound(f"There is no block of `{name[:60]}` on this site.")
    render = host.renderer.render(Asker(HOST, lambda _: None), integration, wanted, epoch)
    status, headers, body = render_lane.answer(render, None)
    return Response(body, status, headers)


def _insights(host: Host, reading: Reading, site: SiteRow) -> Response:
    """Take what a reader did; what the host sees itself is not believed from the page."""
    _may(host, site)
    told = parse(TrackEvents, body=read_json(LONGEST_INSIGHTS))
    assert isinstance(told, TrackEvents)
    home = host.addresses.site(site.id)
    if len(told.events) > MOST_INSIGHTS or any(not one.location.url.startswith(home) for one in told.events):
        raise errors.BadRequest(f"events: at most {MOST_INSIGHTS} at once, of pages of this site")
    _within(reading.insights.take(site.id, len(told.events)) == len(told.events))
    for one in told.events:
        one.session.ip = request.remote_addr or ""
        one.session.user_agent = request.user_agent.string[:8192]
        one.session.cookies = _cookies()
    with host.database.transaction(writes=True) as session:
        tracking.track(session, site, told.events)
        wake = session.info.get(WAKE)
    if wake:
        host.dispatcher.wake()
    for one in told.events:
        if isinstance(one, PageView):
            _tell(host, reading, site, one)
    return Response(b"", 204)


def _tell(host: Host, reading: Reading, site: SiteRow, view: InsightsEvent) -> None:
    """Show who watches the preview where a reader is, and what they said to cookies."""
    page = view.location.url.removeprefix(host.addresses.site(site.id))[:200]
    consent = {"yes": "granted", "no": "rejected"}.get(request.cookies.get(CONSENT, ""), "not asked yet")
    reading.last[site.id] = {"page": page, "consent": consent, "at": now().isoformat()}
    for name in _on_site(host, site):
        host.announcer.announce(name, "reader", reading.last[site.id])


def _violations(host: Host, reading: Reading, site: SiteRow) -> Response:
    """Write what the policy kept out into the logs of those whose script asked for it."""
    if (request.content_length or 0) > MOST_BODY:
        raise errors.TooLarge
    body = request.stream.read(MOST_BODY + 1)
    if len(body) > MOST_BODY:
        raise errors.TooLarge
    told = list(violations(body))
    left = reading.violations.take(site.id, len(told))
    for one in told[:left]:
        _write(host, site, one)
    _within(left)
    return Response(b"", 204)


def _write(host: Host, site: SiteRow, violation: Violation) -> None:
    created = now()
    with host.database.transaction(writes=False) as session:
        scripts = searching.scripts_of_site(session, site)
        # Of what a script loads from elsewhere nobody can say who is behind it: all are told.
        meant = [one for one in scripts if one[0].name == violation.culprit] or scripts
        found = [(integration.name, integration.id, installation.id) for integration, installation, _ in meant]
    for name, integration_id, installation_id in found:
        event_id = new_id()
        line = LogLine(created.timestamp(), "warn", violation.sentence())
        payload = {
            "eventId": event_id,
            "type": VIOLATION,
            "installationId": installation_id,
            "siteId": site.id,
            "violation": asdict(violation),
        }
        host.recorder.record(
            name,
            {
                "id": event_id,
                "integration_id": integration_id,
                "installation_id": installation_id,
                "lane": event_id,
                "type": VIOLATION,
                "source": "visitors",
                "payload": json.dumps(payload),
                "state": "delivered",
                "attempts": 1,
                "due_at": 0.0,
                "duration_ms": 0.0,
                "created_at": created,
                "trace": trace_text(Trace(logs=[line]), host.settings.limits, BY_SHAPE, created, 0.0),
            },
        )


def _state(host: Host, reading: Reading, name: str) -> Response:
    """Tell an author about the site: its scripts, its policy, its pages, and its reader."""
    admit(host, name)
    at = host.addresses
    with host.database.transaction(writes=False) as session:
        site = previewing.place_of(session, name).site
        told: dict[str, Any] = {"site": None}
        if site is not None:
            scripts = site_scripts.of_site(session, site, at)
            sample = sample_of(session, site, at)
            told = {
                "site": site.id,
                "address": at.site(site.id),
                "scripts": [one.model_dump(mode="json", by_alias=True) for one in scripts],
                "policy": policy_of_sample(scripts, sample, at, site.id),
                "pages": [
                    {"place": page.place, "title": page.title, "block": asdict(page.block) if page.block else None}
                    for page in sample.pages
                ],
                "reader": reading.last.get(site.id),
            }
    return Response(json.dumps(told), 200, {"Cache-Control": "no-store"}, mimetype="application/json")


def _on_site(host: Host, site: SiteRow) -> Sequence[str]:
    """Name the integrations on a site that are its own organization's: nobody else's authors are told of readers."""

    def names(session: Session) -> set[str]:
        scripts = [integration for integration, _, _ in searching.scripts_of_site(session, site)]
        installed = rows.every(session, HOST, IntegrationRow, *searching.integrations_on_site(site, None))
        return {one.name for one in (*scripts, *installed) if one.organization_id == site.organization_id}

    with host.database.transaction(writes=False) as session:
        return sorted(names(session))


def _cookies() -> dict[str, str]:
    """Give the reader's cookies but the one by which the host knows them."""
    kept = [(name, value) for name, value in request.cookies.items() if not is_hosts(name)]
    return {name[:512]: value[:8192] for name, value in kept[:MOST_COOKIES]}


def _may(host: Host, site: SiteRow) -> None:
    if not may_read(host, site):
        raise errors.Forbidden("This site is read after signing in; load the page again.")


def _within(taken: int) -> None:
    if not taken:
        raise errors.TooManyRequests("This site got too much at once; try again in a minute.")
