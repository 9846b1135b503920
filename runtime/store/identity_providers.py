"""Whether people can sign in to an organization by single sign-on."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.store import rows
from runtime.store.reach import HOST
from runtime.store.tables.saml import SamlProviderRow


def is_any_active(session: Session, organization_id: str) -> bool:
    """Return whether an organization has an identity provider with all that a sign-in needs."""
    return any(one.is_active for one in rows.every(session, HOST, SamlProviderRow, organization_id=organization_id))
