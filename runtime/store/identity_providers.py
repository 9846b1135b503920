"""Whether an organization has a usable identity provider, and an administrator who can sign in."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.store import membership, rows
from runtime.store.reach import HOST
from runtime.store.tables.organizations import OrganizationRow, UserRow
from runtime.store.tables.saml import SamlProviderRow


def is_any_active(session: Session, organization_id: str) -> bool:
    """Return whether an organization has an identity provider with all that a sign-in needs."""
    return any(one.is_active for one in rows.every(session, HOST, SamlProviderRow, organization_id=organization_id))


def lets_an_administrator_in(session: Session, organization: OrganizationRow, without: str | None = None) -> bool:
    """Return whether an administrator, other than the person `without`, can sign in to an organization.

    Lock the organization's row: of two concurrent changes, each could rely on what the other takes away.
    """
    admins = membership.enabled(session, organization_id=organization.id, role="admin")
    others = [one for one in admins if one.user_id != without]
    if not organization.sso and not all(one.sso for one in others):
        return True
    if organization.email_domains:  # through which identity providers let nobody else in
        domains = {domain.lower() for domain in organization.email_domains}
        people = rows.every(session, HOST, UserRow, UserRow.id.in_([one.user_id for one in others]))
        return is_any_active(session, organization.id) and any(
            person.email.lower().rpartition("@")[2] in domains for person in people
        )
    return bool(others) and is_any_active(session, organization.id)
