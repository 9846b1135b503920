"""Tokens: who they belong to, and how the short-lived ones are made (docs/contract/api.md, "Tokens")."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import dataclass
from typing import Any

import jwt

from runtime.contract.identifiers import new_id
from runtime.store.secrets import keyring

PREFIX = "dk_"
LIFETIME = 3600
"""Seconds an integration or installation token lives."""


def new_token() -> tuple[str, bytes]:
    """Make a personal token; returns it with the digest that is stored."""
    token = PREFIX + secrets.token_urlsafe(32)
    return token, digest_of(token)


def digest_of(token: str) -> bytes:
    """Return the SHA-256 under which a personal token is stored."""
    return hashlib.sha256(token.encode()).digest()


@dataclass(frozen=True, slots=True)
class Claims:
    """What an integration or installation token says of itself; `expires` is seconds since the epoch."""

    integration_id: str
    installation_id: str | None
    organization_id: str | None
    scopes: tuple[str, ...]
    expires: float


def sign(integration_id: str, installation_id: str | None, organization_id: str | None, scopes: list[str]) -> str:
    """Make a token for one hour that acts as an integration, or as one of its installations."""
    issued = int(time.time())
    claims: dict[str, Any] = {
        "jti": new_id(),
        "iat": issued,
        "exp": issued + LIFETIME,
        "integration": integration_id,
        "scopes": scopes,
    }
    if installation_id is not None:
        claims |= {"installation": installation_id, "organization": organization_id}
    return jwt.encode(claims, keyring().tokens, algorithm="HS256")


def sign_claims(claims: dict[str, Any]) -> str:
    """Make a token for one hour that says who somebody is; no operation of the API takes it."""
    issued = int(time.time())
    key = keyring().derive("claims of visitors")
    return jwt.encode({**claims, "jti": new_id(), "iat": issued, "exp": issued + LIFETIME}, key, algorithm="HS256")


def verify(token: str) -> Claims | None:
    """Read a signed token; None when it is malformed, forged or expired."""
    try:
        claims = jwt.decode(
            token, keyring().tokens, algorithms=["HS256"], options={"require": ["exp", "integration", "scopes"]}
        )
    except jwt.PyJWTError:
        return None
    return Claims(
        claims["integration"],
        claims.get("installation"),
        claims.get("organization"),
        tuple(claims["scopes"]),
        float(claims["exp"]),
    )
