"""Adds and changes the identity providers of an organization."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.saml import CreateSamlProvider, UpdateSamlProvider
from runtime.services import quotas
from runtime.store import identity_providers, rows
from runtime.store.rows import HOST
from runtime.store.tables.organizations import OrganizationRow, TokenRow
from runtime.store.tables.saml import SamlProviderRow, SamlSignInRow
from runtime.store.tables.teams import TeamRow

MAX_PROVIDERS = 20
LAST_ACTIVE = (
    "Without this identity provider, no administrator could sign in to the organization. First complete another "
    "provider, or make sure that the organization's `sso` is false and that an administrator without `sso` remains."
)
FULL = "An organization has at most {most} identity providers; delete one first."


def create(session: Session, organization: OrganizationRow, body: CreateSamlProvider) -> SamlProviderRow:
    """Add one; raises BadRequest for a team that is not there, and where there are too many."""
    _must_have_team(session, organization.id, body.default_team)
    quotas.enforce(session, SamlProviderRow, MAX_PROVIDERS, FULL, organization_id=organization.id)
    row = SamlProviderRow(
        organization_id=organization.id,
        label=body.label,
        sso_url=body.sso_url,
        entity_id=body.entity_id,
        certificate=body.certificate,
        default_team=body.default_team,
        default_role=organization.default_role if body.default_role is MISSING else body.default_role,
    )
    session.add(row)
    session.flush()
    return row


def update(session: Session, row: SamlProviderRow, body: UpdateSamlProvider) -> SamlProviderRow:
    """Change one, and end what began with what it was; raises BadRequest for a team that is not there.

    Raises Conflict if no administrator could sign in any more.
    """
    if body.default_team is not MISSING:
        _must_have_team(session, row.organization_id, body.default_team)
    could = row.is_active and _lets_an_administrator_in(session, row.organization_id)
    for name in type(body).model_fields:
        value = getattr(body, name)
        if value is not MISSING:
            setattr(row, name, value)
    for begun in rows.every(session, HOST, SamlSignInRow, provider_id=row.id):
        session.delete(begun)
    if any(getattr(body, name) is not MISSING for name in ("entity_id", "certificate", "sso_url")):
        _end_sessions(session, row.organization_id)
    session.flush()
    if could and not row.is_active and not _lets_an_administrator_in(session, row.organization_id):
        raise errors.Conflict(LAST_ACTIVE)
    return row


def remove(session: Session, row: SamlProviderRow) -> None:
    """Remove one, and end the sessions that began at identity providers of its organization.

    Raises Conflict if no administrator could sign in any more.
    """
    organization_id = row.organization_id
    could = row.is_active and _lets_an_administrator_in(session, organization_id)
    _end_sessions(session, organization_id)
    session.delete(row)
    session.flush()
    if could and not _lets_an_administrator_in(session, organization_id):
        raise errors.Conflict(LAST_ACTIVE)


def _lets_an_administrator_in(session: Session, organization_id: str) -> bool:
    """Return whether an administrator can sign in, while nobody else changes the organization."""
    organization = rows.find(session, HOST, OrganizationRow, id=organization_id)
    if organization is None:
        return False
    rows.lock(session, organization)
    return identity_providers.lets_an_administrator_in(session, organization)


def _end_sessions(session: Session, organization_id: str) -> None:
    for begun in rows.every(session, HOST, TokenRow, organization_id=organization_id, kind="session", sso=True):
        session.delete(begun)


def _must_have_team(session: Session, organization_id: str, team_id: str | None) -> None:
    by = {"id": team_id, "organization_id": organization_id}
    if team_id is not None and rows.find(session, HOST, TeamRow, **by) is None:
        raise errors.BadRequest("there is no such team in this organization", field="defaultTeam")
