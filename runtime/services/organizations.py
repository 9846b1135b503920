"""Makes organizations and changes their settings."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.organizations import Role, UpdateOrganization
from runtime.services import quotas
from runtime.store import identity_providers, rows
from runtime.store import organizations as stored
from runtime.store.database import now
from runtime.store.rows import HOST
from runtime.store.tables.organizations import MemberRow, OrganizationRow
from runtime.store.tables.sites import SiteRow

WITHOUT_PROVIDER = (
    "the organization has no identity provider with `ssoURL`, `entityID` and `certificate`; "
    "without one, nobody could sign in. Complete an identity provider first."
)
OF_OTHER_DOMAINS = (
    "no administrator's e-mail address is in these domains, so none could use single sign-on. Add the "
    "domain of an administrator's address first."
)
PLAIN = ("title", "hostname", "default_role", "logo", "sso", "ai", "invite_links")


def create(session: Session, title: str, hostname: str | None, user_id: str) -> OrganizationRow:
    """Make an organization with its first administrator; a hostname that is taken is refused by the database.

    Raises Conflict for somebody who administers as many as one person may: each costs all their requests a little.
    """
    quotas.for_administered(session, user_id)
    organization = stored.add(session, title, hostname)
    session.add(MemberRow(organization_id=organization.id, user_id=user_id, role="admin"))
    session.flush()
    return organization


def update(session: Session, organization: OrganizationRow, body: UpdateOrganization) -> OrganizationRow:
    """Change the settings of an organization.

    Raises BadRequest for default content that does not exist, for single sign-on without an identity provider, and for
    e-mail domains that would keep every administrator out.
    """
    rows.lock(session, organization)
    could_sign_in = identity_providers.lets_an_administrator_in(session, organization)
    if body.sso is True and not organization.sso and not identity_providers.is_any_active(session, organization.id):
        raise errors.BadRequest(WITHOUT_PROVIDER, field="sso")
    for name in PLAIN:
        value = getattr(body, name)
        if value is not MISSING:
            setattr(organization, name, value)
    if body.email_domains is not MISSING:
        organization.email_domains = list(dict.fromkeys(body.email_domains))
    session.flush()
    if could_sign_in and not identity_providers.lets_an_administrator_in(session, organization):
        raise errors.BadRequest(OF_OTHER_DOMAINS, field="emailDomains")
    if body.merge_rules is not MISSING:
        organization.merge_rules = body.merge_rules.model_dump(mode="json", by_alias=True)
    if body.default_content is not MISSING:
        content = body.default_content
        if content is not None:
            _must_have_site(session, organization, content.site)
        organization.default_content = content.model_dump(mode="json") if content is not None else None
    session.flush()
    return organization


def seen(session: Session, organization: OrganizationRow, user_id: str) -> Role | None:
    """Note that a member is there, and give their role; raises NotFound for somebody who left meanwhile."""
    member = rows.find(session, HOST, MemberRow, organization_id=organization.id, user_id=user_id)
    if member is None:
        raise errors.NotFound
    member.last_seen_at = now()
    return member.role


def _must_have_site(session: Session, organization: OrganizationRow, site_id: str) -> None:
    by = {"id": site_id, "organization_id": organization.id, "deleted_at": None}
    if rows.find(session, HOST, SiteRow, **by) is None:
        raise errors.BadRequest("there is no such site in this organization", field="defaultContent.site")
