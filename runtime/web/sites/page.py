"""What a published site asks for: renders, and what readers do; with the preview also what its policy kept out.

None of it needs a token, as for a platform whose own server stands between readers and the API: a reader may do what
the visibility of the site allows, in its spaces, and in such numbers that nobody is drowned.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from flask import Flask, Response, request

from runtime.api.anonymous_lanes import network_of
from runtime.api.content_origin import on_own_origin
from runtime.api.entrance import caller
from runtime.api.host import Host
from runtime.api.render_lane import answer_of
from runtime.api.requests import parse_body, read_json
from runtime.api.script_headers import is_hosts
from runtime.contract import errors
from runtime.contract.identifiers import new_id
from runtime.contract.insights import MAX_COOKIES, InsightsEvent, PageView, TrackEvents
from runtime.contract.invocation import LogLine, Trace
from runtime.contract.masking import BY_SHAPE
from runtime.contract.rendering import DocumentContext, RenderIntegration
from runtime.dispatch.outbox import WAKE
from runtime.dispatch.traces import trace_text
from runtime.services import site_scripts, tracking, visiting
from runtime.store import previewing, rows, searching
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow
from runtime.web.assets import STATIC, serve
from runtime.web.embed import EVERYWHERE
from runtime.web.origins import on_public_origin
from runtime.web.preview import admit
from runtime.web.rate_limits import RateLimit, SharedLimit
from runtime.web.sites.page_content import sample_of
from runtime.web.sites.page_reports import MAX_BODY, Violation, violations
from runtime.web.sites.policy import policy_of_sample, scripts_that_fit
from runtime.web.sites.published import claims_of_reader
from runtime.web.unknown_visitors import find_site

VIOLATION = "site_policy_violation"
"""The type of the event that records a violation in an integration's log; no script receives it."""
CONSENT = "__gitbook_cookie_granted"
TO_STRANGERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Content-Type",
}
LONGEST_RENDER = 64 * 1024
LONGEST_INSIGHTS = 64 * 1024
MAX_INSIGHTS = 10


class Reading:
    """What readers of sites do now, in this process: how much of it is taken, and where the last of each site was."""

    def __init__(self) -> None:
        self.renders = SharedLimit(600, 60)
        self.insights = SharedLimit(1200, 60)  # each is a commit, which anybody may cause
        self.violations = RateLimit(30, 60)
        self.last: dict[str, dict[str, Any]] = {}


def mount_site_page(app: Flask, host: Host) -> None:
    """Add what sites ask for, on the origin of content; with the preview also what its page about them asks for."""
    reading = Reading()
    files = serve(STATIC / "site", Cache_Control="no-cache", **EVERYWHERE)
    app.add_url_rule("/sites/-/<file>", "site files", files, methods=("GET",))
    views: tuple[tuple[str, Callable[..., Response]], ...] = (
        ("-/insights", _insights),
        ("-/render/<name>", _render),
        ("<key>/-/render/<name>", _render),  # of a site that a shared link opens
    )
    if host.settings.preview:
        views += (("-/violations", _violations),)
    for place, view in views:
        guarded = partial(_guarded, host, reading, view)
        methods = ("POST", "OPTIONS")
        at = f"/sites/<site_id>/{place}"
        app.add_url_rule(at, f"site {place}", guarded, methods=methods, provide_automatic_options=False)
    if not host.settings.preview:
        return
    state = on_public_origin(host, partial(_state, host, reading))
    app.add_url_rule("/preview/api/<name>/site", "preview site", state, methods=("GET",))


def _guarded(host: Host, reading: Reading, view: Callable[..., Response], site_id: str, **path: str) -> Response:
    """Find the site; raises NotFound for one that is not published here.

    Pages that are confined ask as strangers: what everybody may know they get, and nothing as their visitor.
    """
    own = on_own_origin(host, host.addresses.site_origin(site_id))
    site = _existing(host, site_id)
    with host.capacity.turns.of(site.organization_id):
        answer = Response(b"", 204) if request.method == "OPTIONS" else view(host, reading, site, **path)
    if not own:
        answer.headers.update(TO_STRANGERS)
    return answer


def _sent(host: Host, site: SiteRow, most: int, key: str | None = None) -> tuple[SiteRow, Mapping[str, Any], bytes]:
    """Read the body of a reader's request, in a place of the organization that has the site.

    Returns the site and the reader's claims as well, both as they are when the body has arrived.
    """
    claims = _claims(host, site, key)

    def again() -> None:
        nonlocal site, claims
        site = _existing(host, site.id)
        claims = _claims(host, site, key)

    content = host.capacity.read(site.organization_id, lambda: read_json(request.environ, most), again=again)
    return site, claims, content


def _existing(host: Host, site_id: str) -> SiteRow:
    site = find_site(host, site_id)
    if site is None:
        raise errors.NotFound("There is no published site at this address.")
    return site


def _render(host: Host, reading: Reading, site: SiteRow, name: str, key: str | None = None) -> Response:
    """Render a block for a reader, by the same way as the API does."""
    site, claims, content = _sent(host, site, LONGEST_RENDER, key)
    request_body = parse_body(RenderIntegration, content)
    if not isinstance(request_body.context, DocumentContext) or request_body.context.editable:
        raise errors.BadRequest("readers see documents, but cannot edit them", field="context")
    _within(reading.renders.take_all(site.id, network_of(request.environ)))
    basis = host.database.basis()
    with host.database.transaction(writes=False) as session:
        spaces = {space.id: space for space in visiting.spaces_of(session, site, claims)}
        space = spaces.get(request_body.context.space_id)
        integration = rows.find(session, HOST, IntegrationRow, name=name)
        offered = (
            space is not None
            and integration is not None
            and bool(integration.manifest.get("blocks"))
            and searching.is_active_on_space(session, integration.id, space)
        )
    if integration is None or not offered:
        raise errors.NotFound(f"There is no block of `{name[:60]}` on this site.")
    render = host.renderer.render(HOST, integration, request_body, basis)
    return answer_of(render).response()


def _insights(host: Host, reading: Reading, site: SiteRow) -> Response:
    """Take what a reader did; what the host sees itself is not believed from the page."""
    site, _, content = _sent(host, site, LONGEST_INSIGHTS)
    tracked = parse_body(TrackEvents, content)
    home = host.addresses.site(site.id)
    if len(tracked.events) > MAX_INSIGHTS or any(not event.location.url.startswith(home) for event in tracked.events):
        raise errors.BadRequest(f"at most {MAX_INSIGHTS} at once, of pages of this site", field="events")
    _within(reading.insights.take_all(site.id, network_of(request.environ), len(tracked.events)))
    for one in tracked.events:
        one.session.ip = request.remote_addr or ""
        one.session.user_agent = request.user_agent.string[:8192]
        one.session.cookies = _cookies()
    with host.database.transaction(writes=True) as session:
        tracking.track(session, site, tracked.events)
        wake = session.info.get(WAKE)
    if wake:
        host.dispatcher.wake()
    for one in tracked.events:
        if isinstance(one, PageView) and host.settings.preview:
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
    if (request.content_length or 0) > MAX_BODY:
        raise errors.TooLarge
    body = host.capacity.read(
        site.organization_id, lambda: request.stream.read(MAX_BODY + 1), again=partial(_existing, host, site.id)
    )
    if len(body) > MAX_BODY:
        raise errors.TooLarge
    reports = list(violations(body))
    left = reading.violations.take(site.id, len(reports))
    for report in reports[:left]:
        _write(host, site, report)
    _within(left)
    return Response(b"", 204)


def _write(host: Host, site: SiteRow, violation: Violation) -> None:
    created = now()
    with host.database.transaction(writes=False) as session:
        found = searching.scripts_of_site(session, site)
        scripts = [(integration.name, integration.id, installation.id) for integration, installation, _ in found]
    # Of what a script loads from elsewhere nobody can say who is behind it: all are notified.
    targets = [script for script in scripts if script[0] == violation.culprit] or scripts
    for name, integration_id, installation_id in targets:
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
    admit(caller(host, request.headers.get("Authorization"), {"integrationName": name}))
    at = host.addresses
    with host.database.transaction(writes=False) as session:
        site = previewing.place_of(session, name).site
        body: dict[str, Any] = {"site": None}
        if site is not None:
            scripts = scripts_that_fit(site_scripts.of_site(session, site, at))
            sample = sample_of(session, site, at)
            body = {
                "site": site.id,
                "address": at.site(site.id),
                "scripts": [script.model_dump(mode="json", by_alias=True) for script in scripts],
                "policy": policy_of_sample(scripts, sample, at, site.id),
                "pages": [
                    {"place": page.place, "title": page.title, "block": asdict(page.block) if page.block else None}
                    for page in sample.pages
                ],
                "reader": reading.last.get(site.id),
            }
    return Response(json.dumps(body), 200, {"Cache-Control": "no-store"}, mimetype="application/json")


def _on_site(host: Host, site: SiteRow) -> Sequence[str]:
    """Name the integrations on a site that are its own organization's: nobody else's authors learn of readers."""
    with host.database.transaction(writes=False) as session:
        return searching.own_integrations_on_site(session, site)


def _cookies() -> dict[str, str]:
    """Return the reader's cookies but the one by which the host knows them."""
    visible = [(name, value) for name, value in request.cookies.items() if not is_hosts(name)]
    return {name[:512]: value[:8192] for name, value in visible[:MAX_COOKIES]}


def _claims(host: Host, site: SiteRow, key: str | None = None) -> Mapping[str, Any]:
    claims = claims_of_reader(host, site, key)
    if claims is None:
        raise errors.Forbidden("This site requires signing in; load the page again.")
    return claims


def _within(count: int) -> None:
    if not count:
        raise errors.TooManyRequests("This site received too many requests; try again in a minute.")
