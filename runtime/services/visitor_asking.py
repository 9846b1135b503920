"""What a site hands over when a visitor is sent to the origin of the integration that signs them in.

A script's cookies must stay on its own origin, so that is where it is asked; what it is asked with travels in the
address, sealed: nobody but the host reads it or makes one up.
"""

from __future__ import annotations

import base64
import json
import os
import time
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from runtime.store.secrets import keyring

LASTS = 60.0
"""Seconds: a redirect takes less."""
NONCE = 12
MAX_COOKIES_BYTES = 4096
"""Bytes of a visitor's cookies that fit into an address beside the rest."""


class Spent(ValueError):
    """It is none of this host's, for something else, or too old."""


def seal(about: str, fields: dict[str, Any]) -> str:
    """Seal what a script is asked with; `about` names whom and for which site."""
    left, cookies = MAX_COOKIES_BYTES, {}
    for name, value in fields.get("cookies", {}).items():
        left -= len(name) + len(value)
        if left >= 0:
            cookies[name] = value
    content = {**fields, **({"cookies": cookies} if cookies else {})}
    nonce = os.urandom(NONCE)
    text = json.dumps([time.time(), content], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(nonce + _cipher().encrypt(nonce, text, about.encode())).decode().rstrip("=")


def unseal(about: str, text: str) -> dict[str, Any]:
    """Read what was sealed; raises Spent."""
    try:
        sealed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        sealed_at, fields = json.loads(_cipher().decrypt(sealed[:NONCE], sealed[NONCE:], about.encode()))
    except (ValueError, InvalidTag):
        raise Spent from None
    if not 0 <= time.time() - sealed_at <= LASTS:
        raise Spent
    content: dict[str, Any] = fields
    return content


def _cipher() -> AESGCM:
    return AESGCM(keyring().derive("visitor authentication"))
