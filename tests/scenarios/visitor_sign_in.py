"""Sites that an integration guards, and the identity provider it asks."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import time
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import requests

from tests.conftest import Installed, Tenant, installed

SCRIPT = """
import base64
import hashlib
import json
import os
import time
from urllib.parse import urlencode

import jwt
import requests
from runtime.sdk import ExposableError, Integration, Response

integration = Integration()
PROVIDER = "http://127.0.0.1:PORT"


@integration.visitor_authentication
def sign_in(event, context):
    if event.get("action") == "logout":
        return Response.redirect(f"{PROVIDER}/logout")
    if event["location"] == "refused":
        raise ExposableError("Only on <weekdays>.", 403)
    verifier = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    here = context.environment["siteInstallation"]["urls"]["publicEndpoint"]
    query = {
        "redirect_uri": f"{here}/visitor-auth/response",
        "code_challenge": challenge,
        "state": json.dumps({"location": event["location"], "params": event.get("searchParams"),
                             "cookies": event.get("cookies")}),
    }
    answer = Response.redirect(f"{PROVIDER}/authorize?{urlencode(query)}")
    answer.add_header("Set-Cookie", f"verifier={verifier}; Path=/; Domain=evil.example; HttpOnly; SameSite=Lax")
    answer.add_header("Set-Cookie", "site_visitor=fixed; Path=/")
    return answer


@integration.fetch("GET", "/visitor-auth/response")
def response(request, context):
    form = {"code": request.query["code"], "code_verifier": request.cookies["verifier"]}
    told = requests.post(f"{PROVIDER}/token", data=form, timeout=10).json()
    if "error" in told:
        raise ExposableError(told["error"], 403)
    installation = context.environment["installation"]
    site = context.environment["siteInstallation"]["site"]
    found = context.api.get(f"/orgs/{installation['target']['organization']}/sites/{site}")
    claims = {"email": told["email"], "exp": int(time.time()) + 3600}
    token = jwt.encode(claims, context.environment["signingSecrets"]["siteInstallation"], algorithm="HS256")
    location = json.loads(request.query["state"])["location"]
    return Response.redirect(f"{found['urls']['published']}{location}?jwt_token={token}")


@integration.fetch("GET", "/fixed")
def fixed():
    return Response("", headers=[("Set-Cookie", "site_visitor=fixed; Path=/"), ("Set-Cookie", "mine=1")])


@integration.fetch("GET", "/secret")
def secret(context):
    return Response.json(context.environment["signingSecrets"])


@integration.published_script
def script():
    return Response.javascript("window.loaded = true;")
"""
SCOPES = ["site:visitor:auth", "site:metadata:read", "site:script:inject"]


class Provider(http.server.BaseHTTPRequestHandler):
    """Signs everybody in at once, and hands out an e-mail address to who proves that they asked."""

    challenges: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        code = base64.urlsafe_b64encode(query["code_challenge"].encode()).decode()[:12]
        self.challenges[code] = query["code_challenge"]
        back = f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"
        self.send_response(302)
        self.send_header("Location", back)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        digest = hashlib.sha256(form["code_verifier"][0].encode()).digest()
        proven = base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.challenges.get(form["code"][0])
        body = json.dumps({"email": "reader@example.com"} if proven else {"error": "no proof"}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


@dataclass
class Guarded:
    """A site behind a sign-in; `home` is its address."""

    one: Installed
    home: str
    provider: str

    @property
    def site(self) -> str:
        return f"/v1/orgs/{self.one.owner.id}/sites/{self.one.site}"

    def secret(self) -> str:
        at = f"{self.one.path}/installations/{self.one.installation}/sites/{self.one.site}"
        endpoint = self.one.owner.api.get(at).json["urls"]["publicEndpoint"]
        value: str = requests.get(f"{endpoint}/secret", timeout=30).json()["siteInstallation"]
        return value

    def token(self, **claims: Any) -> str:
        return jwt.encode({"exp": int(time.time()) + 600, **claims}, self.secret(), algorithm="HS256")


def guard(owner: Tenant, provider: int) -> Guarded:
    one = installed(owner, SCRIPT.replace("PORT", str(provider)), scopes=SCOPES, blocks=[])
    change = {
        "title": "Guarded <site>",
        "visibility": "visitor-auth",
        "published": True,
        "visitorAuth": {"backend": "integration", "integration": one.name},
    }
    site = owner.api.call("PATCH", f"/v1/orgs/{owner.id}/sites/{one.site}", change)
    assert site.status == 200, site.text
    assert site.json["visitorAuth"] == change["visitorAuth"]
    return Guarded(one, site.json["urls"]["published"], f"http://127.0.0.1:{provider}")


def visit(address: str, browser: requests.Session | None = None, **more: Any) -> requests.Response:
    return (browser or requests.Session()).get(address, timeout=60, allow_redirects=False, **more)
