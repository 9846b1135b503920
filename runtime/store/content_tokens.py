"""Tokens of visitors: they read one published site for a few minutes (docs/contract/api.md, "Tokens").

They are signed with a separate key, so that no other token is accepted as one. The visitor's data is encrypted:
programs that render a site do not need it.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import jwt

from runtime.contract.identifiers import new_id
from runtime.store.secrets import decrypt, encrypt, keyring

LIFETIME = 900
"""Lifetime of a token, in seconds."""
REQUIRED = ["exp", "site", "organization", "entry", "visitor"]


class Preview(NamedTuple):
    """A change request or revision by its id, and the person who may read it: with their right ends the preview."""

    id: str
    user_id: str


@dataclass(frozen=True, slots=True)
class ContentClaims:
    """What a token says: `entry` is by which way its visitor came in, `expires` seconds since the epoch.

    `preview` is what it also reads.
    """

    site_id: str
    organization_id: str
    entry: str
    visitor: Mapping[str, Any]
    share_key: str | None
    expires: float
    preview: Preview | None = None


def sign(
    site_id: str,
    organization_id: str,
    entry: str,
    visitor: Mapping[str, Any],
    share_key: str | None,
    until: float | None = None,
    preview: Preview | None = None,
) -> str:
    """Create a token; it expires with the visitor's own if that is earlier (`until`, seconds since the epoch)."""
    issued = int(time.time())
    expires = issued + LIFETIME if until is None else min(issued + LIFETIME, int(until))
    sealed = encrypt(json.dumps([dict(visitor), share_key], separators=(",", ":")).encode())
    claims = {
        "jti": new_id(),
        "iat": issued,
        "exp": expires,
        "site": site_id,
        "organization": organization_id,
        "entry": entry,
        "visitor": base64.urlsafe_b64encode(sealed).decode(),
    }
    if preview is not None:
        claims["preview"] = list(preview)
    return jwt.encode(claims, _key(), algorithm="HS256")


def verify(token: str) -> ContentClaims | None:
    """Read a token; None when it is malformed, forged or expired."""
    try:
        claims = jwt.decode(token, _key(), algorithms=["HS256"], options={"require": REQUIRED})
    except jwt.PyJWTError:
        return None
    visitor, share_key = json.loads(decrypt(base64.urlsafe_b64decode(claims["visitor"])))
    return ContentClaims(
        claims["site"],
        claims["organization"],
        claims["entry"],
        visitor,
        share_key,
        float(claims["exp"]),
        Preview(*claims["preview"]) if "preview" in claims else None,
    )


def _key() -> bytes:
    return keyring().derive("published content")
