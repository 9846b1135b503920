"""Hosts with each kind of origins for what scripts send; on each a visitor, and somebody who is after them."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.browser.conftest import OPTIONS, executable
from tests.conftest import HostProcess, Installed, Tenant, free_port, init, installed, tenant

PLATFORM, CONTENT = "platform.example", "content.example"
HOSTILE = '''
from runtime.sdk import Integration, Response

integration = Integration()
PAGE = "<!doctype html><html lang=en><title>Hostile</title><body>hostile</body></html>"


@integration.fetch("GET", "/page")
def page():
    return Response.html(PAGE)


@integration.fetch("GET", "/as")
def anything(request):
    """A page under another name: what browsers take for one is theirs to say."""
    kind = request.query["kind"]
    body = PAGE if "xml" not in kind else (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Hostile</title></head><body>hostile</body></html>')
    return Response(body, headers={"Content-Type": kind} if kind != "none" else {})


@integration.fetch("GET", "/worker.js")
def worker():
    script = "self.addEventListener('fetch', (event) => event.respondWith(new Response('taken over')));"
    return Response(script, headers={"Content-Type": "text/javascript", "Service-Worker-Allowed": "/"})


@integration.fetch("GET", "/clear")
def clear():
    return Response(PAGE, headers={"Content-Type": "text/html", "Clear-Site-Data": '"cookies", "storage", "cache"'})


@integration.fetch("GET", "/cookies")
def cookies(request):
    answer = Response.html(PAGE)
    for line in request.query["lines"].split("|"):
        answer.add_header("Set-Cookie", line)
    return answer


@integration.fetch("GET", "/told")
def told(request):
    return Response.json({"cookie": request.headers.get("cookie", "")})


@integration.published_script
def script():
    return "window.injected = true;"
'''
GUARD = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.visitor_authentication
def sign_in(event, context):
    return Response.redirect(context.environment["siteInstallation"]["urls"]["publicEndpoint"] + "/strangers")


@integration.fetch("GET", "/strangers")
def strangers():
    return Response("Who are you?")


@integration.fetch("GET", "/secret")
def secret(context):
    return Response.json(context.environment["signingSecrets"])
"""


@dataclass
class Meeting:
    """A host on which a visitor is signed in to one organization's site, and another organization is hostile."""

    process: HostProcess
    public: str
    browser: Any
    hostile: Installed
    hostile_site: str
    guarded: Installed
    home: str
    token: str

    @property
    def endpoint(self) -> str:
        """The hostile integration's public endpoint."""
        address: str = self.hostile.owner.api.get(self.hostile.path).json["urls"]["publicEndpoint"]
        return address

    def visitor(self) -> Any:
        """Open a browser whose user has signed in to the guarded site."""
        context = self.browser.new_context(ignore_https_errors=True)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.goto(f"{self.home}?jwt_token={self.pass_()}")
        assert page.get_by_text("Sign out").is_visible()
        return context

    def signed_in(self, context: Any) -> bool:
        """Tell whether the site still knows its visitor."""
        page = context.new_page()
        page.goto(self.home)
        known = "Sign out" in page.content()
        page.close()
        return known

    def pass_(self) -> str:
        """A token with which the guarded site lets somebody in."""
        one = self.guarded
        part = f"{one.path}/installations/{one.installation}/sites/{one.site}"
        endpoint = one.owner.api.get(part).json["urls"]["publicEndpoint"]
        body = self.direct(f"{endpoint}/secret").json()
        return jwt.encode({"exp": int(time.time()) + 600}, body["siteInstallation"], algorithm="HS256")

    def direct(self, address: str, **more: Any) -> requests.Response:
        """Ask for an address as a proxy in front of the host does."""
        at = urlsplit(address)
        headers = {"Host": at.netloc, **more.pop("headers", {})}
        url = f"{self.process.url}{at.path}" + (f"?{at.query}" if at.query else "")
        return requests.get(url, headers=headers, timeout=60, allow_redirects=False, **more)


KINDS = ("own", "shared", "domain")
"""Names below `localhost`, as `devkit dev` has them; one origin for all; a domain with a certificate."""


@contextmanager
def meeting(kind: str, chromium: Any, data: Path) -> Iterator[Meeting]:
    """Start a host whose content has this kind of origins, and a browser that finds it."""
    process = HostProcess(data)
    public, environ, arguments = process.url, {"DEVKIT_PREVIEW": "true"}, list(OPTIONS)
    front = None
    if kind == "shared":
        environ["DEVKIT_CONTENT_URL"] = f"http://localhost:{process.port}"
    if kind == "domain":
        front = Front(data, process.port)
        public = f"https://{PLATFORM}:{front.port}"
        environ |= {"DEVKIT_PUBLIC_URL": public, "DEVKIT_CONTENT_URL": f"https://*.{CONTENT}:{front.port}"}
        names = ", ".join(f"MAP {name} 127.0.0.1" for name in (PLATFORM, CONTENT, f"*.{CONTENT}"))
        arguments += ["--ignore-certificate-errors", f"--host-resolver-rules={names}"]
    init(data, "First", "first@example.com")
    process.environ = environ
    process.start()
    browser = chromium.launch(executable_path=executable(), args=arguments)
    try:
        good, bad = tenant(process, "Good", "good@example.com"), tenant(process, "Bad", "bad@example.com")
        guarded = installed(good, GUARD, scopes=["site:visitor:auth"], blocks=[])
        guard = {"backend": "integration", "integration": guarded.name}
        home = publish(good, guarded.site, visibility="visitor-auth", visitorAuth=guard)
        hostile = installed(bad, HOSTILE, scopes=["site:script:inject"], blocks=[], visibility="public")
        token = bad.api.token or ""
        yield Meeting(process, public, browser, hostile, publish(bad, hostile.site), guarded, home, token)
    finally:
        browser.close()
        code = process.stop()
        if front is not None:
            front.close()
    assert code == 0


def publish(owner: Tenant, site: str, **change: Any) -> str:
    """Publish a site; gives its address."""
    changed = owner.api.call("PATCH", f"/v1/orgs/{owner.id}/sites/{site}", {"published": True, **change})
    assert changed.status == 200, changed.text
    address: str = changed.json["urls"]["published"]
    return address


class Front:
    """A reverse proxy that speaks TLS for a domain and passes on every byte."""

    def __init__(self, folder: Path, to: int) -> None:
        self.port, self._to = free_port(), to
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(_certificate(folder))
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._tls = context
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw: socket.socket) -> None:
        try:
            with (
                self._tls.wrap_socket(raw, server_side=True) as near,
                socket.create_connection(("127.0.0.1", self._to)) as far,
            ):
                back = threading.Thread(target=_pass, args=(far, near), daemon=True)
                back.start()
                _pass(near, far)
                back.join()
        except OSError:
            raw.close()

    def close(self) -> None:
        self._listener.close()


def _pass(source: socket.socket, other: socket.socket) -> None:
    try:
        while block := source.recv(65536):
            other.sendall(block)
    except OSError:
        pass
    finally:
        for end in (source, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, CONTENT)])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(name) for name in (PLATFORM, CONTENT, f"*.{CONTENT}")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(2))
    signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    file = folder / "front.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(secret + signed.public_bytes(serialization.Encoding.PEM))
    return file
