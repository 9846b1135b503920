"""The theme a reader chose for a site, light or dark: kept in a cookie, since pages of sites need no script."""

from __future__ import annotations

from urllib.parse import quote, unquote

from flask import Response, request

from runtime.api.host import Host
from runtime.contract.url_parts import split_url
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.frame import THEMES
from runtime.web.sites.redirects import redirect

COOKIE = "site_theme"
CHOOSE = "-/theme"
A_YEAR = 365 * 24 * 3600
SAFE = "/-._~!$&'()*+,=:@"


def chosen_theme() -> str:
    """Give the theme that whoever asks chose; empty for none."""
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in THEMES else ""


def choose_theme(host: Host, site: SiteRow, key: str) -> Response:
    """Keep a choice, and go back to the page where it was made; anything but a theme forgets the choice."""
    home = host.addresses.site(site.id)
    segments = [segment for segment in unquote(request.args.get("place", "")).split("/") if segment]
    inside = "" if any(segment in (".", "..") for segment in segments) else quote("/".join(segments), safe=SAFE)
    answer = redirect(f"{home}{key}/{inside}" if key else home + inside)
    theme = request.args.get("theme", "")
    secure = home.startswith("https:")
    answer.set_cookie(
        COOKIE,
        theme if theme in THEMES else "",
        max_age=A_YEAR if theme in THEMES else 0,
        path=split_url(home).path,
        httponly=True,
        samesite="Lax",
        secure=secure,
    )
    return answer
