"""Single sign-on by SAML: the identity providers of an organization."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, Moment, Text, WireModel
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import Role
from runtime.contract.teams import Team
from runtime.contract.titles import Title
from runtime.contract.url_parts import split_url

MIN_RSA_BITS = 2048


def read_certificate(text: str) -> x509.Certificate:
    """Read a certificate as PEM, or as its base64 alone; raises ValueError with a sentence."""
    try:
        if "-----BEGIN" in text:
            certificate = x509.load_pem_x509_certificate(text.strip().encode())
        else:
            certificate = x509.load_der_x509_certificate(base64.b64decode("".join(text.split()), validate=True))
    except (ValueError, binascii.Error):
        raise ValueError("must be one X.509 certificate as PEM, or its base64 alone") from None
    key = certificate.public_key()
    if isinstance(key, ec.EllipticCurvePublicKey):
        return certificate
    if isinstance(key, rsa.RSAPublicKey) and key.key_size >= MIN_RSA_BITS:
        return certificate
    raise ValueError(f"must have an RSA key of at least {MIN_RSA_BITS} bits, or an elliptic-curve key")


def checked_certificate(text: str) -> str:
    """Let a certificate pass that signatures could be verified with, and the empty text of one that is to come."""
    if text.strip():
        read_certificate(text)
    return text


def checked_sign_in_address(text: str) -> str:
    """Let the address of a sign-in pass: people's browsers are sent there; empty where it is to come."""
    if not text:
        return text
    try:
        parts = split_url(text)
        _ = parts.port
    except ValueError:
        parts = split_url("")
    if parts.scheme not in ("http", "https") or not parts.hostname or any(sign in text for sign in ' \t\r\n<>"\\'):
        raise ValueError("must be an http or https address")
    return text


Label = Annotated[Title, StringConstraints(min_length=1, max_length=30)]
EntityId = Annotated[Text, StringConstraints(max_length=1024)]
Certificate = Annotated[Text, StringConstraints(max_length=10_000), AfterValidator(checked_certificate)]
SignInUrl = Annotated[Text, StringConstraints(max_length=2048), AfterValidator(checked_sign_in_address)]


class CreateSamlProvider(Body):
    """An identity provider to add; it is `pending` until address, entity id and certificate are all known."""

    label: Label
    entity_id: EntityId = Field("", alias="entityID")
    certificate: Certificate = ""
    sso_url: SignInUrl = Field("", alias="ssoURL")
    default_team: ObjectId | None = None
    default_role: Role | MISSING | None = MISSING


class UpdateSamlProvider(Body):
    """Other settings of an identity provider."""

    label: Label | MISSING = MISSING
    entity_id: EntityId | MISSING = Field(MISSING, alias="entityID")
    certificate: Certificate | MISSING = MISSING
    sso_url: SignInUrl | MISSING = Field(MISSING, alias="ssoURL")
    default_team: ObjectId | MISSING | None = MISSING
    default_role: Role | MISSING | None = MISSING


class SamlService(WireModel):
    """What the identity provider must know of this host, and where people begin to sign in."""

    acs_url: str = Field(alias="acsURL")
    start_url: str = Field(alias="startURL")
    entity_id: str = Field(alias="entityID")


class SamlProviderUrls(WireModel):
    location: str


class SamlProvider(WireModel):
    """An identity provider of an organization; one without `ssoURL` is `pending`."""

    object: Literal["saml-provider"] = "saml-provider"
    id: str
    label: str
    sso_url: str | MISSING = Field(MISSING, alias="ssoURL")
    entity_id: str = Field(alias="entityID")
    certificate: str
    default_team: Team | MISSING = MISSING
    default_role: Role | None
    created_at: Moment
    status: Literal["active", "pending"]
    service: SamlService
    urls: SamlProviderUrls


class SamlLogin(WireModel):
    """A way to sign in to an organization."""

    id: str
    label: str
    start_url: str = Field(alias="startURL")


class SamlLogins(WireModel):
    """The ways to sign in to an organization."""

    items: list[SamlLogin]
