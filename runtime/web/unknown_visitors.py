"""What visitors of sites name to be let in: the site, the key of a share link, the cookie of a session.

Anybody may make these up, so each is looked up in the line of whom it led to before, otherwise among strangers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from runtime.api.entrance import look_up
from runtime.api.host import Host
from runtime.services import visiting
from runtime.services.site_entry import signed_claims
from runtime.store import share_links, visitors
from runtime.store.tables.installations import SiteInstallationRow
from runtime.store.tables.sites import SiteRow
from runtime.web.visitor_cookies import session_cookies


def find_site(host: Host, site_id: str) -> SiteRow | None:
    """Find a site that is published."""
    if len(site_id) > 100 or "\x00" in site_id:
        return None
    return look_up(host, partial(visiting.published, site_id=site_id), _whose, "site", site_id)


def is_opened(host: Host, site: SiteRow, key: str) -> bool:
    """Tell whether a site is opened by the key of a share link."""
    if not key:
        return False
    find = partial(share_links.active, site=site, key=key)
    return look_up(host, find, lambda _: _whose(site), "share link", site.id, key) is not None


def claims_of_session(host: Host, site: SiteRow, part: SiteInstallationRow | None) -> Mapping[str, Any] | None:
    """Return what a visitor who is signed in claims; None for who is not.

    `part` is the integration that signs visitors in, as it is installed; None where the site's owners do.
    """
    part_id = None if part is None else part.id
    for value in session_cookies(host, site):
        find = partial(visitors.find_session, site_id=site.id, site_installation_id=part_id, value=value)
        known = look_up(host, find, lambda _: _whose(site), "visitor", site.id, value)
        if known is not None:
            return signed_claims(known.claims)
    return None


def end_sessions(host: Host, site: SiteRow, values: Iterable[str]) -> None:
    """End the sessions of these cookies; nothing is written for those that are made up."""
    for value in values:
        find = partial(visitors.is_session, site_id=site.id, value=value)
        if look_up(host, find, lambda _: _whose(site), "visitor", site.id, value):
            with host.database.transaction(writes=True) as session:
                visitors.close_session(session, site.id, value)


def _whose(site: SiteRow) -> tuple[str, str]:
    return site.organization_id, ""
