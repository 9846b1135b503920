"""Public endpoints of integrations: raw HTTP -> one call of a script -> raw HTTP.

Source: docs/contract/scripts.md, "Public endpoints".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from flask import Flask, Response, request
from sqlalchemy.orm import Session

from runtime.api.anonymous_lanes import Whose, lane_of
from runtime.api.content_origin import asked_host, on_own_origin
from runtime.api.entrance import look_up
from runtime.api.host import Host
from runtime.api.raw_path import raw_path, raw_query
from runtime.api.script_headers import HOP_BY_HOP, POLICY, cookies_for_scripts, fits, kept
from runtime.contract import errors
from runtime.contract.addresses import Asked
from runtime.contract.invocation import Outcome
from runtime.contract.pictures import type_of_picture
from runtime.contract.url_parts import split_url
from runtime.dispatch.deliveries import level_of
from runtime.dispatch.planning import Level, Plan
from runtime.services.rendering import failed
from runtime.store import rows, versions
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow, VersionRow

BASE = "/v1/integrations/<name>"
LEVELS = {
    "integration": "",
    "installation": "/<installation>",
    "space-installation": "/<installation>/<space>",
    "site-installation": "/<installation>/<site>",
}
LISTED_METHODS = frozenset(("GET", "POST", "PUT", "DELETE"))
REFUSED_METHODS = frozenset(("CONNECT", "TRACE", "TRACK"))
"""Methods that no `Request` of a script can have."""
MAX_BODY = 10 * 1024 * 1024
NUMBER = re.compile(r"[0-9]{1,9}")
"""A version number; ids are longer."""
JAVASCRIPT = re.compile(r"(?:application|text)/(?:x-)?javascript(?:; ?charset=\"?[\w-]+\"?)?", re.IGNORECASE)
"""Matches a whole `Content-Type` of a script: of a list, browsers use the last entry, which may be a page."""
EVERYWHERE = {"Cross-Origin-Resource-Policy": "cross-origin", "X-Content-Type-Options": "nosniff"}
"""Sites and platforms load scripts and images from other origins, and cannot use them as anything else."""
NO_OP = b"/* This integration's script is not available. */\n"


def mount_inbound(app: Flask, host: Host) -> None:
    """Add the routes that need no token."""
    for level, names in LEVELS.items():
        for tail in ("", "/", "/<tail:rest>"):
            rule = f"{BASE}/{level}{names}{tail}"
            # Without a list of methods: all of them reach the script.
            app.url_map.add(app.url_rule_class(rule, endpoint=f"public {level} {tail}"))
            app.view_functions[f"public {level} {tail}"] = _fetch(host)
    script = f"{BASE}/published-script/<installation>/<site>/<fingerprint>.js"
    app.add_url_rule(script, "published script", _published_script(host), methods=("GET",))
    app.add_url_rule(f"{BASE}/assets/<version>/<file>", "asset", _asset(host), methods=("GET",))


def _fetch(host: Host) -> Callable[..., Response]:
    def view(
        name: str,
        installation: str | None = None,
        space: str | None = None,
        site: str | None = None,
        rest: str = "",
    ) -> Response:
        if request.method in REFUSED_METHODS:
            raise errors.MethodNotAllowed
        own = on_own_origin(host, host.addresses.integration_origin(name), tools=True)
        plan = _plan(host, name, installation, space, site)
        whose, part = plan.organization_id, plan.integration

        def again() -> None:
            nonlocal plan
            plan = _plan(host, name, installation, space, site)

        reads_no_body = request.method in ("GET", "HEAD")
        body = _body() if reads_no_body else host.capacity.read(whose, _body, part, again=again)
        fields: dict[str, object] = {"spaceId": space} if space else {"siteId": site} if site else {}
        fields["request"] = {"method": _method(), "url": _url(plan.endpoint), "headers": _headers()}
        with host.capacity.turns.of(whose, part):
            outcome = host.invoker.call(plan, "fetch", fields, body, source="visitors")
            return _answer(outcome, plan, own)

    return view


def _published_script(host: Host) -> Callable[..., Response]:
    def view(name: str, installation: str, site: str, fingerprint: str) -> Response:
        own = on_own_origin(host, host.addresses.integration_origin(name), tools=True)
        plan = _plan(host, name, installation, None, site, active=True)
        with host.capacity.turns.of(plan.organization_id, plan.integration):
            outcome = host.invoker.call(plan, "fetch_published_script", {"siteId": site}, source="visitors")
        if outcome.failure is not None or outcome.status >= 400:
            # A site must not break because one of its integrations does; the event log has the failure.
            headers = {"Cache-Control": "no-store", **EVERYWHERE} | ({POLICY: plan.policy} if plan.policy else {})
            return Response(NO_OP, 200, headers, mimetype="application/javascript")
        answer = _answer(outcome, plan, own)
        kinds = answer.headers.getlist("Content-Type")
        if own or (len(kinds) == 1 and JAVASCRIPT.fullmatch(kinds[0])):
            # No browser shows this as a page, so there is nothing to sandbox: the policy is that of the manifest.
            answer.headers.remove(POLICY)
        if plan.policy:
            answer.headers.add(POLICY, plan.policy)
        for header, value in EVERYWHERE.items():
            answer.headers[header] = value
        return answer

    return view


def _asset(host: Host) -> Callable[..., Response]:
    def view(name: str, version: str, file: str) -> Response:
        if host.addresses.asked(asked_host(), host.addresses.integration_origin(name)) is Asked.OTHERS:
            raise errors.NotFound("There is no such image.")
        match = re.fullmatch(r"(icon|preview-(\d{1,2}))\.png", file)
        find = partial(_picture, name=name, version=version, place=int(match[2]) if match and match[2] else None)
        found = look_up(host, find, lambda found: found[1], "asset", name, version, file) if match is not None else None
        if found is None:
            raise errors.NotFound("There is no such image.")
        image, _ = found
        headers = {"Cache-Control": "public, max-age=31536000, immutable", **EVERYWHERE}
        return Response(image, 200, headers, mimetype=type_of_picture(image) or "application/octet-stream")

    return view


def _picture(session: Session, name: str, version: str, place: int | None) -> tuple[bytes, Whose] | None:
    """Find an image of a version of an integration, and whose the integration is."""
    integration = rows.find(session, HOST, IntegrationRow, name=name)
    row = _version(session, integration, version) if integration is not None else None
    image = versions.picture(session, row.id, place) if row is not None else None
    if integration is None or image is None:
        return None
    return image, (integration.organization_id, integration.name)


def _version(session: Session, integration: IntegrationRow, named: str) -> VersionRow | None:
    """Find a version by its id, or by its number if the integration is not private."""
    if not NUMBER.fullmatch(named):
        return rows.find(session, HOST, VersionRow, integration_id=integration.id, id=named)
    if integration.visibility == "private":
        return None
    return rows.find(session, HOST, VersionRow, integration_id=integration.id, number=int(named))


def _plan(
    host: Host, name: str, installation: str | None, space: str | None, site: str | None, *, active: bool = False
) -> Plan:
    """Find the plan of exactly the addressed level; raises NotFound."""
    places = [name, installation or "", space or "", site or ""]
    if any("\x00" in place or len(place) > 200 for place in places):
        raise errors.NotFound

    def find(session: Session) -> Level | None:
        integration = rows.find(session, HOST, IntegrationRow, name=name)
        level = level_of(session, integration.id, installation, space, site) if integration else None
        if (
            level is None
            or integration is None
            or (installation is not None and not _alive(level, space, site, active))
        ):
            return None
        if level.paused and not active:
            raise errors.Inactive(f"`{name}` does not answer: its {level.paused} is paused.")
        return level

    whose = host.known_owners.whose("endpoint", *places) or (lane_of(request.environ), "")
    with host.capacity.turns.of(*whose):
        plan = host.plans.get(("public", active, *places), host.database.basis(), find)
    host.known_owners.note((plan.organization_id, plan.integration) if plan is not None else None, "endpoint", *places)
    if plan is None:
        raise errors.NotFound("Nothing is served here.")
    return plan


def _alive(level: Level, space: str | None, site: str | None, active: bool) -> bool:
    levels = [level.installation] + ([level.space] if space else []) + ([level.site] if site else [])
    live = [row for row in levels if row is not None and row.deleted_at is None]
    own = level.installation is not None and level.installation.integration_id == level.integration.id
    return own and len(live) == len(levels) and not (active and any(row.status != "active" for row in live))


def _method() -> str:
    if request.method == "HEAD":
        return "get"
    # Lower case, as in the contract's list; a `Request` in JavaScript keeps the case of other methods.
    return request.method.lower() if request.method in LISTED_METHODS else request.method


def _url(endpoint: str) -> str:
    """Return the URL as clients see it: it begins with the addressed endpoint."""
    path, prefix = raw_path(request), split_url(endpoint).path
    return endpoint + (path[len(prefix) :] if path.startswith(prefix) else path) + raw_query(request)


def _headers() -> dict[str, str]:
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
    if "cookie" in headers:
        headers["cookie"] = cookies_for_scripts(headers["cookie"])
    return {name: value for name, value in headers.items() if value or name != "cookie"}


def _body() -> bytes | None:
    """Read the raw body unchanged, since signatures are computed over it; None for methods without a body."""
    if request.method in ("GET", "HEAD"):
        return None
    if (request.content_length or 0) > MAX_BODY:
        raise errors.TooLarge
    body = request.stream.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise errors.TooLarge
    return body or None


def _answer(outcome: Outcome, plan: Plan, own: bool) -> Response:
    answer = passed_on(outcome, plan, own=own)
    if "Access-Control-Allow-Origin" not in answer.headers:
        answer.headers["Access-Control-Allow-Origin"] = "*"
    return answer


def passed_on(outcome: Outcome, plan: Plan, *, own: bool) -> Response:
    """Pass on the script's answer; redirects are not followed, every `Set-Cookie` line is kept.

    `own`: the origin belongs to the integration; otherwise headers that act on the origin are dropped.
    """
    if outcome.failure is not None:
        raise failed(outcome.failure)
    if not all(fits(name, value) for name, value in outcome.headers):
        raise errors.BadGateway("The integration answered with an invalid HTTP header.")
    answer = Response(status=outcome.status)
    answer.headers.clear()
    has_policy = any(name.lower() == POLICY.lower() for name, _ in outcome.headers)
    place = f"/v1/integrations/{plan.integration}"
    for name, value in kept(outcome.headers, own=own, place=place, asked=request.path):
        answer.headers.add(name, value)
    is_page = answer.headers.get("Content-Type", "").lower().startswith("text/html")
    if plan.page_policy and is_page and not has_policy:
        answer.headers.add(POLICY, plan.page_policy)
    if isinstance(outcome.body, bytes):
        answer.set_data(outcome.body)
    else:
        answer.response = outcome.body
    return answer
