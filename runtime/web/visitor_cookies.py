"""The cookie by which a host knows a visitor of a site, and who may do what with it."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from runtime.api.content_origin import asked_host
from runtime.api.host import Host
from runtime.api.script_headers import BOUND_VISITOR_COOKIE, VISITOR_COOKIE, is_hosts
from runtime.contract.origins import authority, authority_of
from runtime.contract.url_parts import split_url
from runtime.store.tables.sites import SiteRow


def session_cookies(host: Host, site: SiteRow) -> list[str]:
    """Return every cookie of the session's name: over plain HTTP somebody may have set one beside ours."""
    values = request.cookies.getlist(_name(host, site))
    return [value for value in values[:5] if len(value) <= 200]


def _name(host: Host, site: SiteRow) -> str:
    return BOUND_VISITOR_COOKIE + site.id if _is_secure(host, site) else VISITOR_COOKIE


def _is_secure(host: Host, site: SiteRow) -> bool:
    return host.addresses.site_origin(site.id).startswith("https:")


def set_session_cookie(host: Host, site: SiteRow, answer: Response, value: str, **lasts: Any) -> None:
    """Set the cookie; over HTTPS such that nobody on a name beside or above the site's can set one like it."""
    name, secure = _name(host, site), _is_secure(host, site)
    path = "/" if secure else split_url(host.addresses.site(site.id)).path
    answer.set_cookie(name, value, path=path, httponly=True, samesite="Lax", secure=secure, **lasts)


def visitors_cookies() -> dict[str, str]:
    """Return a visitor's cookies but those by which the host knows them."""
    return {name: value for name, value in request.cookies.items() if not is_hosts(name)}


def is_of_site(host: Host, site: SiteRow, origin: str) -> bool:
    """Return whether an `Origin` header names the site's own pages."""
    scheme, _, netloc = origin.partition("://")
    if scheme not in ("http", "https"):
        return False
    known = (authority_of(host.addresses.site_origin(site.id)), authority(asked_host(), scheme))
    return authority(netloc, scheme) in known
