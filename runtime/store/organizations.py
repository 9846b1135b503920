"""Makes what a new database needs before anybody can call it: an organization, its admin, a token."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from runtime.store import rows, tokens
from runtime.store.rows import HOST
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow, UserRow


@dataclass(frozen=True, slots=True)
class NewOrganization:
    """The ids that were made or found, and the token, which is not stored."""

    organization: str
    user: str
    token: str


def create_organization(session: Session, title: str, email: str, token: str | None = None) -> NewOrganization:
    """Make an organization of this title unless the user is its admin already, and a token for the user.

    The same e-mail address is the same user. With `token` that one is used, and kept if it is known.
    """
    user = rows.find(session, HOST, UserRow, email=email)
    if user is None:
        user = UserRow(display_name=email.split("@")[0][:100], email=email)
        session.add(user)
        session.flush()
    organization = _own(session, user, title)
    if organization is None:
        organization = OrganizationRow(title=title)
        session.add(organization)
        session.flush()
        session.add(MemberRow(organization_id=organization.id, user_id=user.id, role="admin"))
    fresh, digest = (token, tokens.digest_of(token)) if token else tokens.new_token()
    if rows.find(session, HOST, TokenRow, digest=digest) is None:
        session.add(TokenRow(user_id=user.id, digest=digest))
    session.flush()
    return NewOrganization(organization.id, user.id, fresh)


def _own(session: Session, user: UserRow, title: str) -> OrganizationRow | None:
    for member in rows.every(session, HOST, MemberRow, user_id=user.id, role="admin"):
        row = rows.find(session, HOST, OrganizationRow, id=member.organization_id, title=title)
        if row is not None:
            return row
    return None
