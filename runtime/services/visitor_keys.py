"""The keys that visitors' tokens are signed with, and what a token says.

The key of a site whose owners sign visitors in themselves is derived from the host's own: it is kept nowhere, and
another one when its number moves. Where an integration signs visitors in, it is the one its script is given.
"""

from __future__ import annotations

import base64
import hmac
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.site_publishing import UpdatePublishingAuth
from runtime.contract.sites import CustomVisitorAuth, IntegrationVisitorAuth
from runtime.services.site_removal import lock_site
from runtime.services.site_settings import VISITOR_AUTH, let_visitors_sign_in_by
from runtime.store import visitors
from runtime.store.database import now
from runtime.store.secrets import keyring, new_signing_secret
from runtime.store.tables.installations import SiteInstallationRow
from runtime.store.tables.sites import SiteRow

NOT_ACTIVE = (
    "The integration that signs visitors in is not active on this site. Activate it there, or choose another way to "
    "sign visitors in."
)
LONGEST_TOKEN = 8192
LONGEST_SESSION = timedelta(days=400)
"""As long as browsers keep a cookie."""


class BadToken(ValueError):
    """A visitor's token is not accepted; the sentence is for the visitor."""


def own_key(site: SiteRow) -> str:
    """Return the key with which the owners of a site sign its visitors in."""
    derived = hmac.digest(keyring().derive("visitors of sites"), f"{site.id} {site.auth_revision}".encode(), "sha256")
    return base64.urlsafe_b64encode(derived).decode().rstrip("=")


def key_of(session: Session, site: SiteRow) -> str | None:
    """Return the key that visitors' tokens are signed with; None while the integration that does is not active."""
    if site.visitor_auth_backend != "integration":
        return own_key(site)
    part = part_of(session, site)
    return part.signing_secret if part is not None else None


def part_of(session: Session, site: SiteRow) -> SiteInstallationRow | None:
    """Find the integration that signs visitors in, as it is installed on the site; None while it is not active."""
    found = visitors.installed_by_name(session, site.id, site.visitor_auth_integration or "")
    if found is None:
        return None
    integration, installation, part = found
    active = installation.status == "active" and part.status == "active"
    return part if active and VISITOR_AUTH in integration.manifest["scopes"] else None


def regenerate(session: Session, site: SiteRow) -> None:
    """Make another key: whoever holds a token of the old one is signed in no more.

    Raises BadRequest while the integration that signs visitors in is not active.
    """
    lock_site(session, site)
    if site.visitor_auth_backend != "integration":
        site.auth_revision += 1
    else:
        part = part_of(session, site)
        if part is None:
            raise errors.BadRequest(NOT_ACTIVE)
        part.signing_secret = new_signing_secret()
        part.revision += 1
    visitors.close_sessions(session, site.id)
    session.flush()


def update(session: Session, site: SiteRow, body: UpdatePublishingAuth) -> None:
    """Change who signs visitors in; raises BadRequest for an integration that cannot."""
    lock_site(session, site)
    if body.backend == "custom":
        let_visitors_sign_in_by(session, site, CustomVisitorAuth(backend="custom"))
    else:
        name = site.visitor_auth_integration if body.integration is MISSING else body.integration
        if name is None:
            raise errors.BadRequest("name the one that signs visitors in", field="integration")
        let_visitors_sign_in_by(session, site, IntegrationVisitorAuth(backend="integration", integration=name))
    if body.fallback_url is not MISSING:
        site.fallback_url = body.fallback_url
    session.flush()


def claims_of(key: str, token: str) -> tuple[dict[str, Any], datetime]:
    """Read a visitor's token that was signed with a key: what it says, and how long it holds; raises BadToken."""
    if len(token) > LONGEST_TOKEN:
        raise BadToken("The sign-in is longer than this site accepts.")
    options = {"require": ["exp"], "verify_aud": False, "verify_iat": False, "verify_sub": False, "verify_jti": False}
    try:
        claims = jwt.decode(token, key, algorithms=["HS256"], options=options)  # type: ignore[arg-type]
        expires = datetime.fromtimestamp(min(float(claims["exp"]), (now() + LONGEST_SESSION).timestamp()), UTC)
    except jwt.ExpiredSignatureError:
        raise BadToken("This sign-in has expired.") from None
    except jwt.MissingRequiredClaimError:
        raise BadToken("This sign-in has no expiry time.") from None
    except (jwt.PyJWTError, ValueError, OverflowError):
        raise BadToken("This sign-in is not for this site.") from None
    return claims, expires
