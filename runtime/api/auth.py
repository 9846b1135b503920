"""Token -> actor."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.store import rows, tokens
from runtime.store.database import Database
from runtime.store.epoch import Remembered
from runtime.store.rows import HOST, Reach
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import MemberRow, TokenRow

MAX_TOKEN = 4096


@dataclass(frozen=True, slots=True)
class Actor:
    """Who calls.

    `roles` are a user's, by organisation; `scopes` a script's; `expires` is in epoch seconds; `token_id` that of a
    personal token.
    """

    reach: Reach
    roles: dict[str, str | None] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    expires: float = float("inf")
    organization_id: str | None = None
    token_id: str | None = None

    @property
    def kind(self) -> str:
        """`user`, `integration` or `installation`."""
        return self.reach.kind

    @property
    def owner(self) -> str:
        """Whose part of what is scarce a request takes: the person's, the integration's, the installation's."""
        reach = self.reach
        return reach.user_id or reach.installation_id or reach.integration_id or ""

    def role_in(self, organization_id: str | None) -> str | None:
        """Tell the role a user has in an organisation."""
        return self.roles.get(organization_id) if organization_id else None


class Authenticator:
    """Finds actors by token and remembers them until a row that decides over access changes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: Remembered[Actor] = Remembered()

    def actor(self, header: str | None, epoch: int) -> Actor:
        """Authenticate an `Authorization` header; raises Unauthorized."""
        if not header:
            raise errors.Unauthorized
        known = self._known.get(header, epoch)
        if known is None:
            known = self._look_up(header)
            self._known.keep(header, epoch, known)
        if known.expires <= time.time():
            raise errors.Unauthorized("This token is over its time; ask for a new one.")
        return known

    def known(self, header: str | None, epoch: int) -> str | None:
        """Tell whose part of what is scarce a request takes, if its bearer was found before; asks no database."""
        actor = self._known.get(header, epoch) if header else None
        return actor.owner if actor is not None and actor.expires > time.time() else None

    def _look_up(self, header: str) -> Actor:
        scheme, _, token = header.partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token or len(token) > MAX_TOKEN:
            raise errors.Unauthorized("The header must read `Authorization: Bearer <token>`.")
        with self._database.transaction(writes=False) as session:
            actor = _user(session, token) if token.startswith(tokens.PREFIX) else _script(session, token)
        if actor is None:
            raise errors.Unauthorized("This token is unknown, revoked or over its time.")
        return actor


def _user(session: Session, token: str) -> Actor | None:
    row = rows.find(session, HOST, TokenRow, digest=tokens.digest_of(token))
    if row is None:
        return None
    roles = {member.organization_id: member.role for member in _memberships(session, row.user_id)}
    # A guest, a member without a role, sees what is shared with them only: not the organisation's own things.
    member_of = frozenset(organization_id for organization_id, role in roles.items() if role is not None)
    return Actor(Reach("user", user_id=row.user_id, organizations=member_of), roles, token_id=row.id)


def _memberships(session: Session, user_id: str) -> list[MemberRow]:
    return rows.every(session, HOST, MemberRow, user_id=user_id)


def _script(session: Session, token: str) -> Actor | None:
    claims = tokens.verify(token)
    if claims is None:
        return None
    integration = rows.find(session, HOST, IntegrationRow, id=claims.integration_id)
    if integration is None:
        return None
    # A scope counts only while the current version still asks for it.
    scopes = tuple(scope for scope in claims.scopes if scope in integration.manifest["scopes"])
    if claims.installation_id is None:
        return Actor(Reach("integration", integration_id=integration.id), scopes=scopes, expires=claims.expires)
    installation = rows.find(
        session, HOST, InstallationRow, id=claims.installation_id, integration_id=integration.id, deleted_at=None
    )
    if installation is None:
        return None
    reach = Reach("installation", integration_id=integration.id, installation_id=installation.id)
    return Actor(reach, scopes=scopes, expires=claims.expires, organization_id=installation.organization_id)
