"""Changes sites: what is allowed depends on their spaces, and on what is installed on them."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.sites import IntegrationVisitorAuth, UpdateSite
from runtime.services import site_places
from runtime.services.site_outline import Outline
from runtime.services.site_removal import lock_site
from runtime.services.site_structure import make_default_space
from runtime.store import installed, locks, rows, searching
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow

VISITOR_AUTH = "site:visitor:auth"


def update(session: Session, site: SiteRow, body: UpdateSite) -> None:
    """Change a site; raises BadRequest for a part of it, or a sign-in, that is not there."""
    lock_site(session, site)
    for field in ("title", "visibility", "basename", "agents_context", "proxy", "published"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(site, field, value)
    if isinstance(body.proxy, str):
        host, _, path = body.proxy.partition("/")
        _be_alone_at(session, site, host.lower())
        site.proxy = f"{host.lower()}/{path}"  # as it is looked for
    if body.adaptive_content is not MISSING:
        site.adaptive_content = body.adaptive_content.enabled
    if body.default_site_section is not MISSING or body.default_site_space is not MISSING:
        _choose_defaults(session, site, body)
    if body.visitor_auth is not MISSING:
        let_visitors_sign_in_by(session, site, body.visitor_auth)
    session.flush()


def _be_alone_at(session: Session, site: SiteRow, host: str) -> None:
    """Raise Conflict for a host that another organization uses: it could stand in for parts of its sites."""
    locks.acquire(session, f"proxy {host}")
    if searching.proxied_by_others(session, site.organization_id, host):
        raise errors.Conflict("Another organization uses this host; choose a `proxy` on another one.")


def _choose_defaults(session: Session, site: SiteRow, body: UpdateSite) -> None:
    """Choose the default section, and the default space of that, or of a site without sections."""
    session.flush()  # the site is read again with its structure
    outline = Outline(session, site)
    if body.default_site_section is not MISSING:
        chosen = outline.section(body.default_site_section, "defaultSiteSection")
        outline.make_default(chosen)
        site_places.forget_default(session, site, chosen.id)
    if body.default_site_space is not MISSING:
        section = next((one for one in outline.sections.values() if one.default_of is not None), None)
        make_default_space(outline, site.id if section is None else section.id, body.default_site_space)
    outline.save()


def visitors_sign_in_by(site: SiteRow, backend: object) -> bool:
    """Return whether that is who signs visitors in already."""
    integration = backend.integration if isinstance(backend, IntegrationVisitorAuth) else None
    name = "integration" if integration is not None else "custom" if backend is not None else None
    return (site.visitor_auth_backend, site.visitor_auth_integration) == (name, integration)


def let_visitors_sign_in_by(session: Session, site: SiteRow, backend: object) -> None:
    """Choose who signs visitors in; raises BadRequest for an integration that is not there, or does not."""
    if not isinstance(backend, IntegrationVisitorAuth):
        site.visitor_auth_backend = "custom" if backend is not None else None
        site.visitor_auth_integration = None
        return
    integration = rows.find(session, HOST, IntegrationRow, name=backend.integration)
    if integration is None or installed.covering_site(session, integration.id, site) is None:
        raise errors.BadRequest(
            f"`{backend.integration}` is not installed on this site", field="visitorAuth.integration"
        )
    if VISITOR_AUTH not in integration.manifest["scopes"]:
        raise errors.BadRequest(
            f"`{backend.integration}` does not ask for the scope `{VISITOR_AUTH}`", field="visitorAuth.integration"
        )
    site.visitor_auth_backend, site.visitor_auth_integration = "integration", integration.name
