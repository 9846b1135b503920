"""Why a host does not answer, in words that differ."""

from __future__ import annotations

import datetime
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from devkit.hosts.client import Client, HostUnreachable, RequestRefused
from devkit.hosts.credentials import Credentials
from runtime.contract.json_shapes import mapping, text
from tests.conftest import free_port
from tests.devkit.hosts.dripping import HEAD, Dripping


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate that nobody signed but itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    begin = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    file = tmp_path / "host.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, plain) + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


def answering(context: ssl.SSLContext | None) -> Iterator[int]:
    """Answer at a port, with TLS or without; gives the port."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            try:
                if context is not None:
                    connection = context.wrap_socket(connection, server_side=True)
                connection.recv(1000)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            except OSError:  # whoever asked has seen enough
                pass
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()


@pytest.fixture
def untrusted(certificate: Path) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    yield from answering(context)


@pytest.fixture
def plain() -> Iterator[int]:
    yield from answering(None)


def said(url: str) -> str:
    with pytest.raises(HostUnreachable) as raised:
        Client(Credentials(url, "dk_x")).call("GET", "/v1")
    assert raised.value.sentence.startswith(f"{url} does not answer (")
    return raised.value.sentence


def test_a_long_message_of_a_host_is_cut() -> None:
    body = json.dumps({"error": {"message": "a b " * 100_000}}).encode()
    host = Dripping(b"HTTP/1.1 400 Bad\r\nContent-Length: %d\r\n\r\n" % len(body) + body, b"")
    with pytest.raises(RequestRefused, match="a b a b") as raised:
        Client(Credentials(host.url, "dk_x")).call("GET", "/v1")
    assert raised.value.sentence.endswith("... (399,000 more characters)") and len(raised.value.sentence) < 1100
    host.close()
    long = "x" * 100_000
    host = Dripping(b"HTTP/1.1 302 Found\r\nLocation: /%s\r\nContent-Length: 0\r\n\r\n" % (b"x" * 50_000), b"")
    with pytest.raises(HostUnreachable, match="redirects to") as moved:
        Client(Credentials(host.url, "dk_x")).call("GET", "/v1")
    assert len(moved.value.sentence) < 1500
    host.close()
    body = json.dumps({long: 1}).encode()
    host = Dripping(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body, b"")
    with pytest.raises(HostUnreachable, match="must be a text") as wrong:
        Client(Credentials(host.url, "dk_x")).call("GET", "/v1", shape=mapping(text))
    assert len(wrong.value.sentence) < 1500
    host.close()


def test_each_reason_has_its_own_words(untrusted: int, plain: int) -> None:
    assert "(connection refused; is it running?)" in said(f"http://127.0.0.1:{free_port()}")
    assert "the name cannot be resolved" in said("http://no-such-host.invalid")
    assert "its certificate is not trusted: self-signed certificate" in said(f"https://127.0.0.1:{untrusted}")
    assert "it does not use TLS; try http://" in said(f"https://127.0.0.1:{plain}")
