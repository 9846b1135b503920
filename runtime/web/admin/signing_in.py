"""Signing in: with a token, or by an identity provider of an organization."""

from __future__ import annotations

import hmac
import logging
from urllib.parse import quote, unquote

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.url_parts import split_url
from runtime.services import sessions, signing_in
from runtime.services.saml_response import ResponseRejected, SamlResponse
from runtime.store import rows
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.saml import SamlProviderRow
from runtime.web.admin.browser import PATH, OperatorVisit, add_page

log = logging.getLogger(__name__)

# Most browsers claim to be several; the first that matches is the one.
BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)
METADATA = "urn:oasis:names:tc:SAML:2.0:metadata"


def mount_signing_in(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{PATH}/sign-in", _form, "GET")
    add_page(app, host, f"{PATH}/sign-in", _with_token, "POST")
    add_page(app, host, f"{PATH}/signed-in", _finish, "GET")
    add_page(app, host, f"{PATH}/sign-out", _sign_out, "POST")
    add_page(app, host, "/saml/<provider>", _metadata, "GET")
    add_page(app, host, "/saml/<provider>/start", _start, "GET")
    add_page(app, host, "/saml/<provider>/acs", _accept, "POST", foreign=True)


def inside(place: str) -> str:
    """Return a page of ours to go on to, whatever somebody wrote into an address."""
    fits = place.startswith(f"{PATH}/") or place == PATH
    odd = any(sign in place for sign in "\\\r\n\t") or "//" in place or ".." in unquote(place)
    return place if fits and not odd and len(place) <= 1000 else PATH


UNKNOWN_TOKEN = "This token is unknown, revoked or expired."


def browser_name() -> str:
    """Return what a browser calls itself, for the list of own sessions."""
    said = request.headers.get("User-Agent", "")
    browser = next((name for mark, name in BROWSERS if mark in said), "A browser")
    system = next((name for mark, name in SYSTEMS if mark in said), "")
    return f"{browser} on {system}" if system else browser


def _form(visit: OperatorVisit, problem: str = "") -> Response:
    place = inside(visit.form.get("next") or request.args.get("next", ""))
    return visit.page("sign_in", 403 if problem else 200, problem=problem, next=place)


def _with_token(visit: OperatorVisit) -> Response:
    token = visit.form.get("token", "").strip()
    database = visit.host.database
    with database.transaction(writes=False) as session:  # nobody waits for what is made up to be written
        known = sessions.is_token(session, token)
    if not known:
        return _form(visit, UNKNOWN_TOKEN)
    with database.transaction(writes=True) as session:
        begun = sessions.begin_with_token(session, token, browser_name(), now() + signing_in.SESSION_FOR)
    if begun is None:
        return _form(visit, UNKNOWN_TOKEN)
    visit.begin(*begun)
    return visit.to(inside(visit.form.get("next", "")))


def _sign_out(visit: OperatorVisit) -> Response:
    if visit.session:
        with visit.host.database.transaction(writes=True) as session:
            sessions.end(session, visit.session)
    visit.ended = True
    return visit.to(f"{PATH}/sign-in")


def _start(visit: OperatorVisit, provider: str) -> Response:
    """Send the browser to the identity provider, once the person has asked for that themselves.

    Another site could have begun it, to have somebody signed in as a person that they are not.
    """
    place = inside(request.args.get("next", ""))
    asked = hmac.compare_digest(request.args.get("csrf", "").encode(), visit.csrf_token.encode())
    if not (asked or _is_from_us()):
        with visit.host.database.transaction(writes=False) as session:
            title, label = signing_in.named(session, provider)
        return visit.page("sign_in_by", title=title, label=label, provider=provider, next=place)
    with visit.host.database.transaction(writes=True) as session:
        there = signing_in.begin(session, visit.host.addresses, provider, visit.browser, place)
    return Response(b"", 303, {"Location": there})


def _is_from_us() -> bool:
    """Tell whether the person opened an address themselves, or followed a link on a page of the platform.

    The pages of published sites may have the same origin, and whoever writes them says where links in them lead.
    """
    came_from = request.headers.get("Sec-Fetch-Site")
    try:
        page = split_url(request.headers.get("Referer", "")).path
    except ValueError:
        page = ""
    return came_from == "none" or (came_from == "same-origin" and f"{page}/".startswith(f"{PATH}/"))


def _accept(visit: OperatorVisit, provider: str) -> Response:
    """Take what the identity provider had the browser bring; the browser comes back with a code by itself."""
    # Cookies of ours do not come along from another site, and none is to be set for it.
    visit.is_new = False
    database, at = visit.host.database, visit.host.addresses
    with database.transaction(writes=False) as session:
        signing_in.require_provider(session, provider)
    try:
        response = SamlResponse(visit.form.get("SAMLResponse", ""))
        with database.transaction(writes=False) as session:
            asked = signing_in.asked(session, provider, response)
        person = signing_in.prove(at, asked, response)  # while nobody waits: it takes long, and may be made up
        with database.transaction(writes=True) as session:
            code = signing_in.accept(session, asked, person)
    except ResponseRejected as refused:
        log.warning("a response to identity provider %r was rejected: %s", provider[:30], refused)
        raise errors.Forbidden(f"The sign-in was refused. {refused}") from None
    return visit.to(f"{PATH}/signed-in?code={quote(code)}")


def _finish(visit: OperatorVisit) -> Response:
    code = request.args.get("code", "")[:200]
    with visit.host.database.transaction(writes=False) as session:
        if not signing_in.is_arriving(session, code):
            raise errors.Forbidden(signing_in.OVER)
    with visit.host.database.transaction(writes=True) as session:
        arrived = signing_in.finish(session, code, visit.browser)
        fixed = (browser_name(), arrived.until, arrived.organization_id)
        value = sessions.begin(session, arrived.user_id, *fixed, sso=True)
        if visit.session:
            sessions.end(session, visit.session)
    visit.begin(value, arrived.until)
    return visit.to(inside(arrived.next))


def _metadata(visit: OperatorVisit, provider: str) -> Response:
    """Describe this host to an identity provider (SAML metadata 2.0)."""
    with visit.host.database.transaction(writes=False) as session:
        if rows.find(session, HOST, SamlProviderRow, id=provider) is None:
            raise errors.NotFound(signing_in.NO_PROVIDER)
    visit.is_new = False
    return Response(_described(visit.host.addresses, provider), 200, mimetype="application/samlmetadata+xml")


def _described(at: Addresses, provider: str) -> bytes:
    from lxml import etree  # only here: it takes megabytes, also on hosts where nobody signs in this way

    root = etree.Element(f"{{{METADATA}}}EntityDescriptor", nsmap={"md": METADATA}, entityID=at.saml(provider))
    protocol = "urn:oasis:names:tc:SAML:2.0:protocol"
    service = etree.SubElement(
        root,
        f"{{{METADATA}}}SPSSODescriptor",
        AuthnRequestsSigned="false",
        WantAssertionsSigned="false",
        protocolSupportEnumeration=protocol,
    )
    form = etree.SubElement(service, f"{{{METADATA}}}NameIDFormat")
    form.text = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
    etree.SubElement(
        service,
        f"{{{METADATA}}}AssertionConsumerService",
        Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
        Location=at.saml(provider, "acs"),
        index="0",
    )
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")
