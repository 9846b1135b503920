"""Changes sites: what is allowed depends on their spaces, and on what is installed on them."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.sites import IntegrationVisitorAuth, UpdateSite
from runtime.store import installed, rows
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow, SiteSpaceRow

VISITOR_AUTH = "site:visitor:auth"


def update(session: Session, site: SiteRow, body: UpdateSite) -> None:
    """Change a site; raises BadRequest for a part of it, or a sign-in, that is not there."""
    if body.default_site_section is not MISSING:
        raise errors.BadRequest("defaultSiteSection: this site has no such section")
    for field in ("title", "visibility", "basename", "agents_context", "proxy", "published"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(site, field, value)
    if body.adaptive_content is not MISSING:
        site.adaptive_content = body.adaptive_content.enabled
    if body.default_site_space is not MISSING:
        _put_first(session, site, body.default_site_space)
    if body.visitor_auth is not MISSING:
        _sign_in_by(session, site, body.visitor_auth)
    session.flush()


def _put_first(session: Session, site: SiteRow, wanted: str) -> None:
    parts = rows.every(session, HOST, SiteSpaceRow, site_id=site.id)
    if wanted not in {part.id for part in parts}:
        raise errors.BadRequest("defaultSiteSpace: this site has no such site space")
    for place, part in enumerate(sorted(parts, key=lambda part: (part.id != wanted, part.position))):
        part.position = place


def _sign_in_by(session: Session, site: SiteRow, wanted: object) -> None:
    if not isinstance(wanted, IntegrationVisitorAuth):
        site.visitor_auth_backend = "custom" if wanted is not None else None
        site.visitor_auth_integration = None
        return
    integration = rows.find(session, HOST, IntegrationRow, name=wanted.integration)
    if integration is None or installed.covering_site(session, integration.id, site) is None:
        raise errors.BadRequest(f"visitorAuth.integration: `{wanted.integration}` is not installed on this site")
    if VISITOR_AUTH not in integration.manifest["scopes"]:
        raise errors.BadRequest(
            f"visitorAuth.integration: `{wanted.integration}` does not ask for the scope `{VISITOR_AUTH}`"
        )
    site.visitor_auth_backend, site.visitor_auth_integration = "integration", integration.name
