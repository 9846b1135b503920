"""A real SAML identity provider, with which tests sign people in."""

from __future__ import annotations

import base64
import shutil
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    saml2 = pytest.importorskip("saml2")
    from saml2 import BINDING_HTTP_REDIRECT
    from saml2.config import IdPConfig
    from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NameID
    from saml2.server import Server

ENTITY = "https://idp.example.com/metadata"
SSO = "https://idp.example.com/sso"
STRONG = ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmlenc#sha256")
WEAK = ("http://www.w3.org/2000/09/xmldsig#rsa-sha1", "http://www.w3.org/2000/09/xmldsig#sha1")
HAS_XMLSEC = shutil.which("xmlsec1") is not None


def certificate(folder: Path, name: str, days: int = 30) -> tuple[Path, Path, str]:
    """Make a key and a certificate; gives their files, and the certificate as PEM."""
    key = rsa.generate_private_key(65537, 2048)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    moment = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - timedelta(days=1))
        .not_valid_after(moment + timedelta(days=days))
        .sign(key, hashes.SHA256())
    )
    key_file, file = folder / f"{name}.key", folder / f"{name}.crt"
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    file.write_bytes(pem)
    return key_file, file, pem.decode()


class IdentityProvider:
    """One that knows a host by its metadata."""

    def __init__(self, folder: Path, metadata: str, name: str = "idp") -> None:
        key, file, self.pem = certificate(folder, name)
        known = folder / f"{name}-known.xml"
        known.write_text(metadata)
        config: dict[str, Any] = {
            "entityid": ENTITY,
            "service": {
                "idp": {
                    "endpoints": {"single_sign_on_service": [(SSO, BINDING_HTTP_REDIRECT)]},
                    "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
                }
            },
            "key_file": str(key),
            "cert_file": str(file),
            "metadata": {"local": [str(known)]},
            "xmlsec_binary": shutil.which("xmlsec1"),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._server = Server(config=IdPConfig().load(config))

    def answer(self, address: str, email: str, *, signs: str = "both", **more: Any) -> bytes:
        """Answer the request in an address a browser was sent to, for a person; gives the XML.

        `signs` is `response`, `assertion`, `both` or `nothing`.
        """
        algorithms = WEAK if more.pop("weak", False) else STRONG
        (coded,) = parse_qs(urlsplit(address).query)["SAMLRequest"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            request = self._server.parse_authn_request(coded, BINDING_HTTP_REDIRECT)
            given = self._server.response_args(request.message)
            given.pop("binding", None)
            text = self._server.create_authn_response(
                more.pop("identity", {"givenName": "Ada", "sn": "Lovelace", "mail": email}),
                userid=email,
                name_id=NameID(format=NAMEID_FORMAT_EMAILADDRESS, text=email),
                authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": ENTITY},
                sign_alg=algorithms[0],
                digest_alg=algorithms[1],
                sign_response=signs in ("response", "both"),
                sign_assertion=signs in ("assertion", "both"),
                **{**given, **more},
            )
        return str(text).encode()


def coded(answer: bytes) -> str:
    """Write an answer as browsers bring it."""
    return base64.b64encode(answer).decode()
