"""Who may look at a published site: visitors are signed in by an integration (contract/dispatch.md section 10)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import jwt
from sqlalchemy.orm import Session

from runtime.dispatch.deliveries import level_of
from runtime.dispatch.planning import Level
from runtime.services.site_settings import VISITOR_AUTH
from runtime.store import installed, rows, searching, visitors
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.installations import SiteInstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow, SiteSpaceRow
from runtime.store.tables.spaces import SpaceRow

LONGEST_TOKEN = 8192
LONGEST_SESSION = timedelta(days=400)
"""As long as browsers keep a cookie."""


class BadToken(ValueError):
    """A visitor's token is not accepted; the sentence is for the visitor."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A visitor who is signed in: the cookie's value and how long it holds."""

    cookie: str
    expires: datetime


def published(session: Session, site_id: str) -> SiteRow | None:
    """Find a site that is published."""
    return rows.find(session, HOST, SiteRow, id=site_id, published=True, deleted_at=None)


def spaces_of(session: Session, site: SiteRow) -> list[SpaceRow]:
    """List the spaces a site is made of, in their order."""
    parts = sorted(rows.every(session, HOST, SiteSpaceRow, site_id=site.id), key=lambda part: part.position)
    known = searching.contents(session, SpaceRow, [part.space_id for part in parts])
    return [known[part.space_id] for part in parts if known[part.space_id].deleted_at is None]


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


def sign_in(session: Session, site: SiteRow, part: SiteInstallationRow, token: str) -> Visit:
    """Open a session for the bearer of a token that this very site installation signed; raises BadToken."""
    if len(token) > LONGEST_TOKEN:
        raise BadToken("The sign-in is longer than this site accepts.")
    options = {"require": ["exp"], "verify_aud": False, "verify_iat": False, "verify_sub": False, "verify_jti": False}
    try:
        claims = jwt.decode(token, part.signing_secret, algorithms=["HS256"], options=options)  # type: ignore[arg-type]
        expires = datetime.fromtimestamp(min(float(claims["exp"]), (now() + LONGEST_SESSION).timestamp()), UTC)
    except jwt.ExpiredSignatureError:
        raise BadToken("This sign-in is over its time.") from None
    except jwt.MissingRequiredClaimError:
        raise BadToken("This sign-in does not say how long it lasts.") from None
    except (jwt.PyJWTError, ValueError, OverflowError):
        raise BadToken("This sign-in was not made for this site.") from None
    return Visit(visitors.open_session(session, site.id, part.id, claims, expires), expires)
