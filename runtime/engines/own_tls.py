"""How scripts reach the platform's own API at its https address: the egress proxy terminates TLS itself.

The host listens in plain text behind whatever ends TLS for the world; a script knows the public address only. So the
proxy has a certificate authority of its own, which only the scripts of this process trust, and sees each request.
"""

from __future__ import annotations

import ssl
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_YEARS = timedelta(days=3650)  # a process does not live that long, and a leaf is made for each
_SKEW = timedelta(days=1)


class OwnAuthority:
    """Issues certificates for the platform's own names; safe to use from many threads."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "docs-integration-runtime egress")])
        certificate = self._certificate(self._name, self._key.public_key(), authority=True)
        self._contexts: dict[str, ssl.SSLContext] = {}
        self._lock = threading.Lock()
        self.pem = certificate.public_bytes(serialization.Encoding.PEM).decode()
        """The authority's certificate, for scripts to trust."""

    def context_for(self, host: str) -> ssl.SSLContext:
        """Return what the proxy answers with as a host of the platform, or as all below `*.name`."""
        with self._lock:
            context = self._contexts.get(host)
            if context is None:
                context = self._contexts[host] = self._make(host)
            return context

    def _make(self, host: str) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host[:64])])
        certificate = self._certificate(subject, key.public_key(), host=host)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        # The library takes files only; this folder is closed to others, and gone when the key is read.
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "leaf.pem")
            file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
            context.load_cert_chain(file)
        return context

    def _certificate(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, *, host: str = "", authority: bool = False
    ) -> x509.Certificate:
        moment = datetime.now(UTC)
        own = self._key.public_key()
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(moment - _SKEW)
            .not_valid_after(moment + _YEARS)
            .add_extension(x509.BasicConstraints(ca=authority, path_length=0 if authority else None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own), critical=False)
            .add_extension(_usage(authority), critical=True)
        )
        if not authority:
            builder = builder.add_extension(x509.SubjectAlternativeName([_name_of(host)]), critical=False)
            server = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
            builder = builder.add_extension(server, critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _name_of(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
