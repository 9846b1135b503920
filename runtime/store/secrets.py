"""Encryption at rest: columns that cannot be read from the database file alone."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import secrets
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import LargeBinary
from sqlalchemy.types import TypeDecorator

from runtime.store.key_files import read_or_make

KEY_BYTES = 32
NONCE_BYTES = 12
SHORTEST_KEY = 16
FEWEST_CHARACTERS = 5
"""Distinct characters required in a key that somebody chose."""


class KeyMissing(RuntimeError):
    """The host has no secret key, or not the one its database was written with."""


class Keyring:
    """The host's one secret and the keys derived from it: one per purpose, none usable for another."""

    def __init__(self, secret: bytes) -> None:
        if len(secret) < KEY_BYTES:
            raise KeyMissing(f"the secret key must have at least {KEY_BYTES} bytes")
        self._secret = secret
        self.encryption = AESGCM(self.derive("encryption at rest"))
        self.tokens = self.derive("integration tokens")

    def derive(self, purpose: str) -> bytes:
        """Derive a key of 32 bytes for one purpose."""
        return hmac.new(self._secret, purpose.encode(), hashlib.sha256).digest()


def new_signing_secret() -> str:
    """Create a signing secret: 32 random bytes in base64url."""
    return secrets.token_urlsafe(32)


_keyring: Keyring | None = None


def use_keyring(keyring: Keyring) -> None:
    """Set the keys of this process; columns are read and written with them."""
    global _keyring
    _keyring = keyring


def keyring() -> Keyring:
    """Return the keys of this process; raises KeyMissing before `use_keyring`."""
    if _keyring is None:
        raise KeyMissing("no secret key is set")
    return _keyring


def load_keyring(data: Path | None, secret_key: str | None) -> Keyring:
    """Read the secret from the setting, else from `DATA/secret.key`, which is made at the first start (mode 0600).

    Raises KeyMissing, also for a setting that is too short.
    """
    if secret_key:
        _must_be_long(secret_key)
        return Keyring(hashlib.sha256(secret_key.encode()).digest())
    if data is None:
        raise KeyMissing("set DEVKIT_SECRET_KEY (any long random text) when the database is not in a data folder")
    content = read_or_make(data / "secret.key", lambda: base64.b64encode(secrets.token_bytes(KEY_BYTES)))
    return Keyring(base64.b64decode(content))


def _must_be_long(secret_key: str) -> None:
    """Refuse a key that could be guessed by somebody who has the database."""
    text = secret_key.strip()
    if len(text) >= SHORTEST_KEY and len(set(text)) >= FEWEST_CHARACTERS:
        return
    fault = f"has {len(text)} characters" if len(text) < SHORTEST_KEY else "repeats the same few characters"
    raise KeyMissing(
        f"DEVKIT_SECRET_KEY {fault}: it must have at least {SHORTEST_KEY}, {FEWEST_CHARACTERS} of them different; "
        "`openssl rand -base64 32` creates one. A database that was written with the old key cannot be read with "
        "another one"
    )


def encrypt(clear: bytes) -> bytes:
    """Encrypt with AES-256-GCM; the nonce comes first."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + keyring().encryption.encrypt(nonce, clear, None)


def decrypt(sealed: bytes) -> bytes:
    """Decrypt what `encrypt` made; raises KeyMissing when it was written with another key."""
    try:
        return keyring().encryption.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None)
    except InvalidTag as error:
        raise KeyMissing("the database was written with another secret key") from error


class SealedJson(TypeDecorator[Any]):
    """A JSON value that is encrypted in the database."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> bytes | None:
        return None if value is None else encrypt(json.dumps(value, separators=(",", ":")).encode())

    def process_result_value(self, value: bytes | None, dialect: Any) -> Any:
        return None if value is None else json.loads(decrypt(value))


class SealedText(TypeDecorator[str]):
    """A text that is encrypted in the database."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> bytes | None:
        return None if value is None else encrypt(value.encode())

    def process_result_value(self, value: bytes | None, dialect: Any) -> str | None:
        return None if value is None else decrypt(value).decode()
