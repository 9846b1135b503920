"""Published sites as visitors see them, and how they sign in (docs/contract/scripts.md, "Visitor authentication")."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from flask import Flask, Response, request, send_from_directory

from runtime.api.content_origin import on_own_origin
from runtime.api.host import Host
from runtime.api.inbound import passed_on
from runtime.api.script_headers import SANDBOX
from runtime.contract import errors
from runtime.contract.url_parts import split_url
from runtime.dispatch.planning import Plan
from runtime.engines.shares import NoneLeft
from runtime.services import visiting, visitor_asking
from runtime.services.published_lookup import NO_SIGN_IN_PAGE, sign_in_address
from runtime.services.rendering import body_of, script_error
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.answers import html_answer, text_answer
from runtime.web.sites.redirects import lead_on, redirect
from runtime.web.sites.theme import CHOOSE, choose_theme, chosen_theme
from runtime.web.sites.visit import SiteVisit
from runtime.web.unknown_visitors import claims_of_session, end_sessions, find_site, is_opened
from runtime.web.visitor_cookies import is_of_site, session_cookies, set_session_cookie, visitors_cookies

HERE = Path(__file__).parents[1]
TOKEN = "jwt_token"
MAX_PARAMETERS = 50
SIGN_OUT = "-/sign-out"
SAFE = "/-._~!$&'()*+,=:@"
ROBOTS = "User-agent: *\nAllow: /sites/\nAllow: /files/\nDisallow: /\n"
ASKED = "visit"
"""The parameter with which a visitor is sent to where the integration is asked."""


class VisitorNotice(Exception):
    """The page cannot be shown; the message is for the visitor."""

    def __init__(self, status: int, heading: str, sentence: str, home: str | None = None) -> None:
        """`home` is the address of the site as it was opened, for who may read it."""
        super().__init__(sentence)
        self.status, self.heading, self.sentence, self.home = status, heading, sentence, home


def mount_published(app: Flask, host: Host) -> None:
    """Add the pages of published sites; they need no token."""
    page = partial(_guarded, host, _page)
    app.add_url_rule("/sites/-/published.css", "site style", _style, methods=("GET",))
    app.add_url_rule("/robots.txt", "robots", _robots, methods=("GET",))
    for method, leave in (("GET", _ask_whether_to_leave), ("POST", _sign_out)):
        view = partial(_guarded, host, leave)
        app.add_url_rule(f"/sites/<site_id>/{SIGN_OUT}", f"site sign-out {method}", view, methods=(method,))
    themed = partial(_guarded, host, choose_theme)
    for at in (CHOOSE, f"<rest>/{CHOOSE}"):  # the second is for sites that a shared link opens
        app.add_url_rule(f"/sites/<site_id>/{at}", f"site theme {at}", themed, methods=("POST",))
    visitor_path = "/v1/integrations/<name>/visitor-authentication/<installation>/<site_id>"
    app.add_url_rule(visitor_path, "visitor authentication", partial(_asked_elsewhere, host), methods=("GET",))
    app.add_url_rule("/sites/<site_id>", "site", partial(_guarded, host, _to_home), methods=("GET",))
    app.add_url_rule("/sites/<site_id>/", "site home", page, methods=("GET",))
    app.add_url_rule("/sites/<site_id>/<tail:rest>", "site page", page, methods=("GET",))


def _style() -> Response:
    answer = send_from_directory(HERE / "static" / "site", "published.css")
    answer.headers["Cache-Control"] = "public, max-age=300"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _robots() -> Response:
    """Tell crawlers to read published sites, and nothing else; the same at each origin, of which many have no site."""
    return text_answer(ROBOTS, "text/plain")


def _guarded(host: Host, view: Callable[..., Response], site_id: str, rest: str = "") -> Response:
    """Find the site, and convert errors to pages."""
    on_own_origin(host, host.addresses.site_origin(site_id))
    site = find_site(host, site_id)
    if site is None:
        return _notice_page(
            host, None, VisitorNotice(404, "Nothing here", "There is no published site at this address.")
        )
    with host.capacity.turns.of(site.organization_id):
        return _with_notices(host, site, lambda: view(host, site, _place(rest)))


def _with_notices(host: Host, site: SiteRow, view: Callable[[], Response]) -> Response:
    try:
        return view()
    except VisitorNotice as error:
        return _notice_page(host, site, error)
    except errors.ApiError as error:
        status = errors.status_of(error)
        return _notice_page(host, site, VisitorNotice(status, "This page cannot be shown", error.message))


def claims_of_reader(host: Host, site: SiteRow, key: str | None = None) -> Mapping[str, Any] | None:
    """Give what who asks claims, nothing where everybody may read the site; None for who may not read it."""
    if site.visibility == "share-link":
        return {} if is_opened(host, site, key or "") else None
    if site.visibility != "visitor-auth":
        return {}
    try:
        return claims_of_session(host, site, _part(host, site))
    except VisitorNotice:
        return None  # nobody can sign in, so nobody is


def _place(rest: str) -> str:
    """Write the place inside a site for use in an address: one that can only lead to the same site."""
    segments = [segment for segment in rest.split("/") if segment]
    if any(segment in (".", "..") for segment in segments):
        raise VisitorNotice(404, "Nothing here", "There is no such page on this site.")
    return quote("/".join(segments), safe=SAFE)


def _to_home(host: Host, site: SiteRow, place: str) -> Response:
    return lead_on(host.addresses.site(site.id))


def _page(host: Host, site: SiteRow, place: str) -> Response:
    """Show a site to those whom its visibility allows; others are redirected to sign in."""
    if site.visibility == "share-link":
        return _shared(host, site, place)
    if site.visibility != "visitor-auth":
        return _shown(host, site, place)
    part = _part(host, site)
    token = request.args.get(TOKEN)
    if token is not None:
        return _sign_in(host, site, part, place, token)
    claims = claims_of_session(host, site, part)
    if claims is not None:
        return _shown(host, site, place, claims=claims)
    if part is None:
        return _send_elsewhere(site, place)
    return _ask_or_send(host, site, _backend(host, site)[0], {"location": place, "searchParams": _parameters()})


def _shared(host: Host, site: SiteRow, place: str) -> Response:
    """Show a site to visitors with the key of a share link, which is the first segment of the path."""
    key, _, rest = place.partition("/")
    if not is_opened(host, site, key):
        raise VisitorNotice(403, "This site needs a share link", "It can only be opened with a link from its owners.")
    answer = _shown(host, site, rest, key=key)
    answer.headers["Referrer-Policy"] = "no-referrer"  # the address is what opens the site
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _send_elsewhere(site: SiteRow, place: str) -> Response:
    """Redirect a visitor to the sign-in of the site's owners."""
    if site.fallback_url is None and site.visitor_auth_backend is None:
        raise VisitorNotice(403, "There is no sign-in page", NO_SIGN_IN_PAGE)
    if site.fallback_url is None:
        raise VisitorNotice(403, "Sign in elsewhere", "Visitors of this site are signed in by its owners' own service.")
    return redirect(sign_in_address(site.fallback_url, place))


def _part(host: Host, site: SiteRow) -> Any:
    """Find the integration that signs visitors in, as it is installed; None where the site's owners do."""
    return _backend(host, site)[1] if site.visitor_auth_backend == "integration" else None


def _backend(host: Host, site: SiteRow) -> tuple[Plan, Any]:
    basis = host.database.basis()
    with host.database.transaction(writes=False) as session:
        level = visiting.backend_of(session, site)
    key = ("visitor", site.id, site.visitor_auth_integration)
    plan = host.plans.get(key, basis, lambda session: visiting.backend_of(session, site))
    if level is None or plan is None:
        raise VisitorNotice(
            503, "Signing in is not possible", "The integration that signs visitors in is not active here."
        )
    return plan, level.site


def _sign_in(host: Host, site: SiteRow, part: Any, place: str, token: str) -> Response:
    """Open a session for the bearer of a token, and redirect to the same address without it."""
    try:
        signed = visiting.read_token(site, part, token)  # before anything is written for what may be made up
        with host.database.transaction(writes=True) as session:
            visit = visiting.sign_in(session, site, part, signed)
    except visiting.BadToken as error:
        raise VisitorNotice(401, "You are not signed in", str(error)) from None
    query = urlencode([(name, value) for name, value in request.args.items(multi=True) if name != TOKEN])
    answer = redirect(host.addresses.site(site.id) + place + (f"?{query}" if query else ""))
    set_session_cookie(host, site, answer, visit.cookie, expires=visit.expires)
    return answer


def _ask_whether_to_leave(host: Host, site: SiteRow, place: str) -> Response:
    """Ask on a page without scripts: from a page that is confined nobody can be signed out."""
    home = host.addresses.site(site.id)
    fields: dict[str, Any] = {
        "title": site.title,
        "home": home,
        "heading": "Sign out?",
        "again": home,
        "again_text": "Back to the site",
    }
    words = "You will be signed out of this site."
    answer = html_answer(200, message=words, leave=home + SIGN_OUT, **fields)
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _sign_out(host: Host, site: SiteRow, place: str) -> Response:
    """Sign out a visitor, also at the integration that signed them in."""
    origin = request.headers.get("Origin")
    if origin is not None and not is_of_site(host, site, origin):
        # Sites and integrations below one domain send each other's cookies along.
        raise VisitorNotice(403, "You are still signed in", "Another page tried to sign you out of this site.")
    values = session_cookies(host, site)
    end_sessions(host, site, values)
    error = VisitorNotice(200, "You are signed out", "You were signed out of this site.")
    answer = _notice_page(host, site, error)
    if values and site.visibility == "visitor-auth" and site.visitor_auth_backend == "integration":
        plan, _ = _backend(host, site)
        asked = _ask_or_send(host, site, plan, {"location": "", "action": "logout"})
        answer = asked if 300 <= asked.status_code < 400 else answer
    set_session_cookie(host, site, answer, "", max_age=0)
    return answer


def _ask_or_send(host: Host, site: SiteRow, plan: Plan, fields: dict[str, Any]) -> Response:
    """Ask the integration where a visitor goes; where it has an origin of its own, the visitor is asked for there."""
    cookies = visitors_cookies()
    fields |= {"cookies": cookies} if cookies else {}
    if not on_own_origin(host, host.addresses.site_origin(site.id)):
        return _ask(host, site, plan, fields, own=False)
    installation = plan.installation_id or ""
    address = host.addresses.visitor_authentication(plan.integration, installation, site.id)
    sealed = visitor_asking.seal(_about(plan, site), fields)
    return redirect(f"{address}?{urlencode({ASKED: sealed})}")


def _about(plan: Plan, site: SiteRow) -> str:
    return f"{plan.integration}/{plan.installation_id}/{site.id}"


def _asked_elsewhere(host: Host, name: str, installation: str, site_id: str) -> Response:
    """Ask an integration at its own origin, with what the site sealed; starts over where that is too old."""
    own = on_own_origin(host, host.addresses.integration_origin(name))
    site = find_site(host, site_id) if own else None
    if site is None or site.visibility != "visitor-auth":
        raise errors.NotFound("Nothing is served here.")

    def ask() -> Response:
        plan, _ = _backend(host, site)
        if (plan.integration, plan.installation_id) != (name, installation):
            raise VisitorNotice(404, "Nothing here", "This site signs its visitors in elsewhere.")
        try:
            fields = visitor_asking.unseal(_about(plan, site), request.args.get(ASKED, ""))
        except visitor_asking.Spent:
            return redirect(host.addresses.site(site.id))
        cookies = fields.get("cookies", {}) | visitors_cookies()
        answer = _ask(host, site, plan, fields | ({"cookies": cookies} if cookies else {}), own=True)
        if fields.get("action") == "logout" and not 300 <= answer.status_code < 400:
            said = VisitorNotice(200, "You are signed out", "You were signed out of this site.")
            return _notice_page(host, site, said)
        return answer

    with host.capacity.turns.of(site.organization_id):
        return _with_notices(host, site, ask)


def _ask(host: Host, site: SiteRow, plan: Plan, fields: dict[str, Any], *, own: bool) -> Response:
    """Ask the integration where a visitor goes, and pass its answer on."""
    told = {"siteId": site.id, **fields}
    try:
        outcome = host.invoker.call(plan, "fetch_visitor_authentication", told, source="visitors")
        if outcome.failure is None and outcome.status >= 400:
            raise script_error(outcome.status, body_of(outcome.body), "signed a visitor in")
        answer = passed_on(outcome, plan, own=own)
    except errors.ApiError as error:
        raise VisitorNotice(errors.status_of(error), "Signing in did not work", error.message) from None
    lines = answer.headers.getlist("Set-Cookie")
    answer.headers.remove("Set-Cookie")
    for line in lines:
        for relayed in _relayed(host, site, plan, line, own=own):
            answer.headers.add("Set-Cookie", relayed)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _relayed(host: Host, site: SiteRow, plan: Plan, line: str, *, own: bool) -> list[str]:
    """Return a script's cookie for each place where the script is called, and for no other.

    A page at a shared origin is asked for at the site's address. Set there it would not come back to the endpoint the
    provider leads to: what is kept in it, a PKCE verifier for instance, would be lost.
    """
    first, *attributes = line.split("; ")
    if own and (first.lower().startswith("__host-") or "Path=/" in attributes):
        return [line]
    attributes_ = [part for part in attributes if not part.startswith("Path=")]
    if own:
        places = [f"/v1/integrations/{plan.integration}"]
    else:
        places = [split_url(address).path for address in (plan.endpoint, host.addresses.site(site.id))]
    return ["; ".join([first, *attributes_, f"Path={place}"]) for place in places]


def _parameters() -> dict[str, str]:
    known = [(name, value) for name, value in request.args.items() if name != TOKEN]
    return dict(known[:MAX_PARAMETERS])


def _shown(
    host: Host, site: SiteRow, place: str, *, claims: Mapping[str, Any] | None = None, key: str | None = None
) -> Response:
    """Show what is at a place of the site, as it is there for a visitor."""
    visit = SiteVisit(host, site, claims, key, chosen_theme())
    try:
        if not host.settings.preview:
            visit.compute(place)
        with host.database.transaction(writes=False) as session:
            seen = visit.sample(session, place) if host.settings.preview else visit.read(session, place)
    except NoneLeft:
        raise VisitorNotice(
            503, "Too many readers", "Too many people are reading this site right now; try again in a minute."
        ) from None
    if isinstance(seen, str):
        return lead_on(visit.home + seen)
    if seen is None:
        raise VisitorNotice(404, "Nothing here", "There is no such page on this site.", visit.home)
    # On a shared origin a script could read other sites as whoever is signed in there.
    confined = bool(seen.scripts) and not on_own_origin(host, host.addresses.site_origin(site.id))
    policy = f"{seen.policy}; {SANDBOX}" if confined else seen.policy
    fields = {
        "title": site.title,
        "home": visit.home,
        "sign_out": visit.home + SIGN_OUT if claims is not None else None,
        "confined": confined,
        **seen.fields,
    }
    if seen.text is not None:
        answer = text_answer(seen.text, seen.text_type)
    else:
        answer = html_answer(200, seen.scripts, policy, **fields)
    answer.headers["Cache-Control"] = "private, no-store" if claims is not None else "no-cache"
    answer.headers["Vary"] = "Cookie"  # which has the theme
    if site.visibility != "public" or not seen.listed:
        answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def _notice_page(host: Host, site: SiteRow | None, error: VisitorNotice) -> Response:
    title = site.title if site is not None else HTTPStatus(404).phrase
    home = error.home or (host.addresses.site(site.id) if site is not None else None)
    again = home if error.home is not None or (site is not None and error.status in (200, 401)) else None
    answer = html_answer(
        error.status,
        title=title,
        home=home,
        heading=error.heading,
        message=error.sentence,
        again=again,
        again_text="Sign in again" if error.home is None else "Back to the site",
    )
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer" if error.home is not None else answer.headers["Referrer-Policy"]
    return answer
