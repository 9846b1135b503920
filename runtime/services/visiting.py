"""Who may look at a published site: visitors are signed in by an integration.

Source: docs/contract/scripts.md, "Visitor authentication".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.conditions import ConditionEvaluator
from runtime.dispatch.deliveries import level_of
from runtime.dispatch.planning import Level
from runtime.services.published_places import visible_parts
from runtime.services.site_removal import lock_site
from runtime.services.site_settings import VISITOR_AUTH
from runtime.services.visitor_keys import BadToken as BadToken
from runtime.services.visitor_keys import claims_of, key_of, own_key
from runtime.store import installed, rows, searching, visitors
from runtime.store.rows import HOST
from runtime.store.tables.installations import SiteInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

Signed = tuple[dict[str, Any], datetime]
CHANGED = "How visitors of this site sign in was changed a moment ago; sign in again."


@dataclass(frozen=True, slots=True)
class Visit:
    """A visitor who is signed in: the cookie's value and how long it holds."""

    cookie: str
    expires: datetime


def published(session: Session, site_id: str) -> SiteRow | None:
    """Find a site that is published."""
    return rows.find(session, HOST, SiteRow, id=site_id, published=True, deleted_at=None)


def spaces_of(session: Session, site: SiteRow, claims: Mapping[str, Any] | None = None) -> list[SpaceRow]:
    """List the spaces of a site that are there for a visitor, in their order."""
    parts = visible_parts(session, site, ConditionEvaluator(claims or {})).spaces
    spaces = searching.contents(session, SpaceRow, [part.space_id for part in parts])
    return [spaces[part.space_id] for part in parts]


def backend_of(session: Session, site: SiteRow) -> Level | None:
    """Find the integration that signs visitors in, as it is installed on the site; None while it is not active."""
    if site.visitor_auth_backend != "integration" or site.visitor_auth_integration is None:
        return None
    integration = rows.find(session, HOST, IntegrationRow, name=site.visitor_auth_integration)
    if integration is None or VISITOR_AUTH not in integration.manifest["scopes"]:
        return None
    installation = installed.covering_site(session, integration.id, site)
    if installation is None or installation.status != "active":
        return None
    level = level_of(session, integration.id, installation.id, None, site.id)
    part = level.site if level else None
    return level if part is not None and part.status == "active" and part.deleted_at is None else None


def read_token(site: SiteRow, part: SiteInstallationRow | None, token: str) -> Signed:
    """Read a token that this very site installation, or else the owners, signed: claims and expiry. Raises BadToken."""
    return claims_of(_key(site, part), token)


def sign_in(session: Session, site: SiteRow, part: SiteInstallationRow | None, signed: Signed) -> Visit:
    """Open a session for the bearer of a token that was read; raises BadToken where its key is another one by now.

    Whoever changes the key ends all sessions of the old one, and none may begin right after.
    """
    there = published(session, site.id)
    if there is None:
        raise BadToken(CHANGED)
    lock_site(session, there)
    if key_of(session, there) != _key(site, part):
        raise BadToken(CHANGED)
    claims, expires = signed
    part_id = None if part is None else part.id
    return Visit(visitors.open_session(session, site.id, part_id, claims, expires), expires)


def _key(site: SiteRow, part: SiteInstallationRow | None) -> str:
    return own_key(site) if part is None else part.signing_secret
