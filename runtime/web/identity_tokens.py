"""Tokens of the fake identity provider: codes, access and refresh tokens, and ID tokens.

Whatever it gives out says itself what it is for, so that nothing is kept but what was used up or revoked.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any, Literal

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from runtime.store.key_files import read_or_make

Use = Literal["code", "access", "refresh"]
LASTS: dict[Use, int] = {"code": 300, "access": 3600, "refresh": 30 * 24 * 3600}
"""Seconds until each is over."""
KEY_FILE = "identity.pem"
MAX_SPENT = 10_000


class Spoiled(ValueError):
    """A code or token is not accepted; the message says why."""


class Spent:
    """Names of what may not be used again, until it would be over anyway."""

    def __init__(self) -> None:
        self._until: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, name: str, until: float) -> bool:
        """Remember a name; tells whether it is new."""
        with self._lock:
            fresh = name not in self._until
            self._until.setdefault(name, until)
            while self._until and (len(self._until) > MAX_SPENT or next(iter(self._until.values())) < time.time()):
                self._until.popitem(last=False)
        return fresh

    def __contains__(self, name: object) -> bool:
        return name in self._until


class Signer:
    """One RSA key, and everything signed with it; `folder` keeps the key, else it lives as long as the process."""

    def __init__(self, issuer: str, folder: Path | None) -> None:
        self.issuer = issuer
        self._folder = folder
        self._made: rsa.RSAPrivateKey | None = None
        self._making = threading.Lock()
        self.spent = Spent()

    @property
    def _key(self) -> rsa.RSAPrivateKey:
        """The key, made when it is first asked for: a host must not wait for it at its start."""
        with self._making:
            if self._made is None:
                self._made = _read_key(self._folder / KEY_FILE) if self._folder else _fresh()
        return self._made

    def keys(self) -> dict[str, Any]:
        """Return the public keys as a JSON Web Key Set (RFC 7517)."""
        public = json.loads(RSAAlgorithm.to_jwk(self._key.public_key()))
        return {"keys": [{**public, "use": "sig", "alg": "RS256", "kid": self._name(public)}]}

    def issue(self, use: Use, **claims: Any) -> str:
        """Sign a code, an access token or a refresh token."""
        now = int(time.time())
        return self._sign(
            {"jti": secrets.token_urlsafe(16), **claims, "use": use, "iat": now, "exp": now + LASTS[use]}, "at+jwt"
        )

    def identify(self, audience: str, **claims: Any) -> str:
        """Sign an ID token (OpenID Connect Core, section 2)."""
        now = int(time.time())
        return self._sign({**claims, "aud": audience, "iat": now, "auth_time": now, "exp": now + 3600}, "JWT")

    def read(self, use: Use, token: str) -> dict[str, Any]:
        """Read what `issue` signed; raises Spoiled for anything else, what is over, and what was revoked."""
        try:
            claims: dict[str, Any] = jwt.decode(
                token, self._key.public_key(), algorithms=["RS256"], issuer=self.issuer, options={"verify_aud": False}
            )
        except jwt.ExpiredSignatureError:
            raise Spoiled(f"The {use} has expired; start again.") from None
        except jwt.PyJWTError:
            raise Spoiled(f"The {use} was not issued here.") from None
        if claims.get("use") != use:
            raise Spoiled(f"This is not a {use}.")
        if claims.get("family") in self.spent or (use == "access" and claims["jti"] in self.spent):
            raise Spoiled(f"The {use} was revoked.")
        return claims

    def use_up(self, claims: dict[str, Any]) -> None:
        """Mark a code or refresh token as used; raises Spoiled, and revokes all that came of it, the second time."""
        if not self.spent.add(claims["jti"], claims["exp"]):
            self.spent.add(claims["family"], time.time() + LASTS["refresh"])
            raise Spoiled("It was used before; all tokens derived from it are revoked.")

    def revoke(self, token: str) -> None:
        """End a token; a refresh token ends with all that came of it. An unknown one is ended already (RFC 7009)."""
        for use in ("access", "refresh"):
            try:
                claims = self.read(use, token)
            except Spoiled:
                continue
            self.spent.add(claims["family"] if use == "refresh" else claims["jti"], time.time() + LASTS["refresh"])

    def _sign(self, claims: dict[str, Any], kind: str) -> str:
        (public,) = self.keys()["keys"]
        headers = {"kid": public["kid"], "typ": kind}
        return jwt.encode({"iss": self.issuer, **claims}, self._key, algorithm="RS256", headers=headers)

    @staticmethod
    def _name(public: dict[str, Any]) -> str:
        return hashlib.sha256(public["n"].encode()).hexdigest()[:16]


def _fresh() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def _pem() -> bytes:
    return _fresh().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _read_key(path: Path) -> rsa.RSAPrivateKey:
    """Read the key of a folder, so that tokens outlive a restart."""
    key = serialization.load_pem_private_key(read_or_make(path, _pem), None)
    if not isinstance(key, rsa.RSAPrivateKey):
        raise TypeError(f"{path} contains no RSA key; remove it, and a new one is created")
    return key
