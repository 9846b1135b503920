"""Token -> actor."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.conditions import ConditionEvaluator
from runtime.services import published_places, site_entry
from runtime.store import content_tokens, membership, rows, share_links, tokens
from runtime.store.content_tokens import Preview
from runtime.store.database import Database
from runtime.store.epoch_cache import Basis, EpochCache
from runtime.store.rows import HOST, Reach
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import MemberRow, OrganizationRow, TokenRow
from runtime.store.tables.sites import SiteRow

HEAVIEST = 32_000_000
"""Limit, in bytes, of all cached actors."""
BYTES_OF_ONE, BYTES_FOR_EACH_LETTER = 2_000, 8
"""Approximate bytes of an actor, and of each character of a visitor's claims as JSON."""
MAX_TOKEN = 24 * 1024
"""Longest token, in characters: a visitor's token contains its claims, encrypted."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A visitor of a published site: their claims, and the key of the share link they came with."""

    claims: Mapping[str, Any]
    share_key: str | None = None


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller of an operation.

    `scopes` are a script's; `expires` is in epoch seconds. `organization_id` is the organization of an installation, a
    site or an integration, or the one that a person's token is bound to, or else the only one the person is in. Scarce
    resources are accounted to it.
    """

    reach: Reach
    scopes: tuple[str, ...] = ()
    expires: float = float("inf")
    organization_id: str | None = None
    visitor: Visitor | None = None

    @property
    def kind(self) -> str:
        """`user`, `integration`, `installation` or `visitor`."""
        return self.reach.kind

    @property
    def owner(self) -> str:
        """Whose share of scarce resources a request uses: an organization's, a person's, or that of everybody else.

        Never a member's, an integration's or a token's: an administrator can create any number of those.
        """
        return self.organization_id or self.reach.user_id or ""

    @property
    def part(self) -> str:
        """The integration that uses the owner's share; "" for people, for whom scripts leave part of it."""
        return self.reach.integration_id or ""


ANYBODY = Actor(Reach("visitor"))
"""A caller without a token, who sees no private data."""


class Authenticator:
    """Finds actors by token and caches them until a row that affects access changes."""

    def __init__(self, database: Database) -> None:
        self._known: EpochCache[Actor] = EpochCache(
            database, lambda _, actor: actor.owner, heaviest=HEAVIEST, weigh=_weight
        )

    def browser(self, value: str, basis: Basis) -> Actor:
        """Authenticate the session cookie of a browser; raises Unauthorized."""
        known = self._known.get(_key("session", value), basis, partial(_of_session, value))
        if known.expires <= time.time():
            raise errors.Unauthorized("This session has ended; sign in again.")
        return known

    def last_seen(self, header: str | None) -> tuple[str, str]:
        """Return the owner and part of the actor that a header last authenticated; "" if unknown.

        This grants nothing: it is for sharing resources before the request is authenticated.
        """
        known = self._known.last(_key("header", header)) if header else None
        return (known.owner, known.part) if known is not None else ("", "")

    def last_seen_browser(self, value: str) -> str:
        """Return the owner of the actor that a session cookie last authenticated; "" if unknown."""
        known = self._known.last(_key("session", value)) if value else None
        return known.owner if known is not None else ""

    def actor(self, header: str | None, basis: Basis) -> Actor:
        """Authenticate an `Authorization` header; raises Unauthorized."""
        if not header:
            raise errors.Unauthorized
        known = self._known.get(_key("header", header), basis, partial(_look_up, header))
        if known.expires <= time.time():
            raise errors.Unauthorized("This token has expired; ask for a new one.")
        return known


def _key(kind: str, sent: str) -> Hashable:
    """Return the cache key of a token: a visitor's token can be thousands of characters long."""
    return kind, hashlib.sha256(sent.encode("utf-8", "surrogatepass")).digest()


def _weight(actor: Actor) -> Mapping[Hashable, int]:
    claims = actor.visitor.claims if actor.visitor is not None else {}
    return {id(actor): len(json.dumps(claims)) * BYTES_FOR_EACH_LETTER + BYTES_OF_ONE}


def _look_up(header: str, session: Session) -> Actor:
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > MAX_TOKEN:
        raise errors.Unauthorized("The header must read `Authorization: Bearer <token>`.")
    if token.startswith(tokens.PREFIX):
        actor = _user(session, token)
    else:
        actor = _script(session, token) or _visitor(session, token)
    if actor is None:
        raise errors.Unauthorized("This token is unknown, revoked or expired.")
    return actor


def _of_session(value: str, session: Session) -> Actor:
    actor = _user(session, value, "session") if len(value) <= MAX_TOKEN else None
    if actor is None:
        raise errors.Unauthorized("This session has ended; sign in again.")
    return actor


def _user(session: Session, token: str, kind: str = "token") -> Actor | None:
    row = rows.find(session, HOST, TokenRow, digest=tokens.digest_of(token), kind=kind)
    if row is None:
        return None
    expires = row.expires_at.timestamp() if row.expires_at is not None else float("inf")
    memberships = membership.enabled(session, user_id=row.user_id)
    if row.organization_id is not None:
        memberships = [member for member in memberships if member.organization_id == row.organization_id]
    if not row.sso:
        alone = _single_sign_on_alone(session, memberships)
        memberships = [member for member in memberships if not member.sso and member.organization_id not in alone]
    roles = membership.roles_of(memberships)
    reach = Reach("user", user_id=row.user_id, roles=roles, bound_to=row.organization_id, token_id=row.id)
    only = next(iter(roles))[0] if len(roles) == 1 else None
    return Actor(reach, expires=expires, organization_id=row.organization_id or only)


def _single_sign_on_alone(session: Session, memberships: list[MemberRow]) -> set[str]:
    """Return those of the organizations that admit only sessions of their identity provider."""
    ids = [member.organization_id for member in memberships]
    return {row.id for row in rows.every(session, HOST, OrganizationRow, OrganizationRow.id.in_(ids)) if row.sso}


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
        reach = Reach("integration", integration_id=integration.id)
        return Actor(reach, scopes=scopes, expires=claims.expires, organization_id=integration.organization_id)
    installation = rows.find(
        session, HOST, InstallationRow, id=claims.installation_id, integration_id=integration.id, deleted_at=None
    )
    if installation is None:
        return None
    reach = Reach("installation", integration_id=integration.id, installation_id=installation.id)
    return Actor(reach, scopes=scopes, expires=claims.expires, organization_id=installation.organization_id)


def _visitor(session: Session, token: str) -> Actor | None:
    claims = content_tokens.verify(token)
    if claims is None:
        return None
    by = {"id": claims.site_id, "organization_id": claims.organization_id, "published": True, "deleted_at": None}
    site = rows.find(session, HOST, SiteRow, **by)
    if site is None or not site_entry.still_open(session, site, claims):
        return None
    preview = _previewed(session, claims.preview) if claims.preview is not None else None
    visitor = Visitor(claims.visitor, claims.share_key)
    reach = _of_visitor(session, site, visitor, preview)
    return Actor(reach, expires=claims.expires, organization_id=site.organization_id, visitor=visitor)


def _of_visitor(session: Session, site: SiteRow, visitor: Visitor, preview: str | None = None) -> Reach:
    parts = published_places.visible_parts(session, site, ConditionEvaluator(visitor.claims))
    there = frozenset(part.space_id for part in parts.spaces)
    return Reach("visitor", site_id=site.id, home_id=site.organization_id, spaces=there, preview=preview)


def with_share_key(session: Session, person: Actor, key: str) -> Actor | None:
    """Return a person as the visitor that the key of a share link makes them; None for a key that opens nothing.

    Scarce resources stay accounted to the person's own organization.
    """
    site = share_links.opened_by(session, key)
    if site is None:
        return None
    visitor = Visitor({}, key)
    return replace(person, reach=_of_visitor(session, site, visitor), visitor=visitor)


def _previewed(session: Session, preview: Preview) -> str | None:
    """Return what a visitor may preview, as long as the person who opened the preview can read it."""
    roles = membership.roles_of(membership.enabled(session, user_id=preview.user_id))
    person = Reach("user", user_id=preview.user_id, roles=roles)
    seen = rows.find(session, person, ChangeRequestRow, id=preview.id) or rows.find(
        session, person, RevisionRow, id=preview.id
    )
    return seen.id if seen is not None else None
