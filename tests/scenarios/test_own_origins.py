"""A host that gives each integration, site and tunnel an origin of its own, as clients meet it over HTTP."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from tests.conftest import HostProcess, Installed, Tenant, free_port, init, installed, tenant
from tests.devkit.dev_process import devkit
from tests.scenarios import visitor_sign_in as visiting
from tests.scenarios.endpoints import endpoints
from tests.scenarios.tunnel_process import Server, Tunnel

REACHES = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.fetch("GET", "/here")
def here(request):
    return Response("here")


@integration.fetch("GET", "/itself")
def itself(context):
    at = context.environment["integration"]["urls"]
    answers = [context.fetch(at[name] + "/here").text() for name in ("publicEndpoint", "publicContentEndpoint")]
    found = context.api.get("/integrations/" + context.environment["integration"]["name"])
    return Response.json([*answers, found["name"]])
"""
REACHES_JS = """
export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get("event"));
    if (event.type !== "fetch") return Response.json({ error: "no handler" }, { status: 406 });
    if (!new URL(event.request.url).pathname.endsWith("/itself")) return new Response("here");
    const { integration, apiEndpoint, apiTokens } = JSON.parse(form.get("environment"));
    const own = await fetch(integration.urls.publicEndpoint + "/here");
    const content = await fetch(integration.urls.publicContentEndpoint + "/here");
    const headers = { authorization: `Bearer ${apiTokens.integration}` };
    const told = await fetch(`${apiEndpoint}/v1/integrations/${integration.name}`, { headers });
    return Response.json([await own.text(), await content.text(), (await told.json()).name]);
  },
};
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", free_port()), visiting.Provider)
    Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def apart(provider: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("apart")
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--allow-egress", f"127.0.0.1:{provider}")
    process.environ = {"DEVKIT_CONTENT_URL": f"http://*.localhost:{process.port}"}
    process.start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def owner(apart: HostProcess) -> Tenant:
    return tenant(apart, "Owner", "owner@example.com")


def origin(address: str) -> str:
    return urlsplit(address).netloc


def test_every_address_that_is_given_out_is_at_its_own_origin(apart: HostProcess, owner: Tenant) -> None:
    one, other = installed(owner), installed(owner)
    mine = {origin(address) for address in endpoints(one).values()}
    assert len(mine) == 1 and re.fullmatch(rf"{one.name}-[a-z0-9]{{20}}\.localhost:{apart.port}", min(mine))
    assert not mine & {origin(address) for address in endpoints(other).values()}
    shown = owner.api.get(one.path).json["urls"]
    assert {origin(shown[name]) for name in ("assets", "publicEndpoint", "publicContentEndpoint")} == mine
    assert origin(shown["location"]) == origin(shown["app"]) == f"127.0.0.1:{apart.port}"
    sites = [
        owner.api.call("PATCH", f"/v1/orgs/{owner.id}/sites/{site}", {"published": True}).json["urls"]["published"]
        for site in (one.site, other.site)
    ]
    assert len({*mine, *(origin(site) for site in sites)}) == 3
    (script, *_) = owner.api.get(f"/v1/orgs/{owner.id}/sites/{one.site}/integration-scripts").json
    assert origin(script["script"]) in mine
    answer = requests.get(script["script"], timeout=30)
    assert (answer.status_code, answer.headers["Cross-Origin-Resource-Policy"]) == (200, "cross-origin")
    policy = requests.get(sites[0], timeout=30).headers["Content-Security-Policy"]
    assert script["script"] in policy and "sandbox" not in policy


@pytest.mark.parametrize(("script", "runtime"), [(REACHES, "python"), (REACHES_JS, "v2")])
def test_a_script_reaches_its_own_endpoint_and_the_api(owner: Tenant, script: str, runtime: str) -> None:
    one = installed(owner, script, runtime=runtime, blocks=[])
    answer = requests.get(endpoints(one)["integration"] + "/itself", timeout=60)
    assert answer.json() == ["here", "here", one.name], answer.text


def test_visitors_keep_what_proves_that_they_asked(owner: Tenant, provider: int) -> None:
    guarded = visiting.guard(owner, provider)
    browser = requests.Session()
    browser.cookies.set("consent", "yes", domain=urlsplit(guarded.home).hostname, path="/sites")
    sent = visiting.visit(guarded.home + "guide?lang=de", browser)
    there = sent.headers["Location"]
    script = endpoints(guarded.one)["site"]
    assert (sent.status_code, origin(there)) == (302, origin(script)) and origin(there) != origin(guarded.home)
    assert "Set-Cookie" not in sent.headers and "guide" not in there and "consent" not in there
    asked = visiting.visit(there, browser)
    lines = asked.raw.headers.getlist("Set-Cookie")
    assert len(lines) == 1 and lines[0].startswith("verifier=") and "Domain" not in lines[0]
    state = parse_qs(urlsplit(asked.headers["Location"]).query)["state"][0]
    assert '"location": "guide"' in state and '"lang": "de"' in state and '"consent": "yes"' in state
    back = visiting.visit(asked.headers["Location"], browser).headers["Location"]
    assert origin(back) == origin(script)
    signed = visiting.visit(back, browser).headers["Location"]
    opened = visiting.visit(signed, browser)
    assert opened.headers["Location"] == f"{guarded.home}guide"
    assert "Sign out" in visiting.visit(guarded.home, browser).text
    left = browser.post(f"{guarded.home}-/sign-out", timeout=60, allow_redirects=False)
    assert origin(left.headers["Location"]) == origin(script)
    assert visiting.visit(left.headers["Location"], browser).headers["Location"] == f"{guarded.provider}/logout"
    assert visiting.visit(guarded.home, browser).status_code == 302


def test_what_was_sealed_is_for_one_site_and_one_script(owner: Tenant, provider: int) -> None:
    one, other = visiting.guard(owner, provider), visiting.guard(owner, provider)
    sealed = visiting.visit(one.home).headers["Location"]
    theirs = visiting.visit(other.home).headers["Location"]
    moved = f"{theirs.partition('?')[0]}?{sealed.partition('?')[2]}"
    spoiled = [moved, sealed[:-4] + "AAAA", sealed.partition("?")[0], f"{sealed.partition('?')[0]}?visit=%00é"]
    for address in spoiled:
        again = visiting.visit(address)
        # Whoever comes with something else starts over, at the site.
        assert (again.status_code, again.headers["Location"] in (one.home, other.home)) == (302, True), address
        assert "Set-Cookie" not in again.headers
    wrong = sealed.replace(origin(sealed), origin(theirs))
    assert visiting.visit(wrong).status_code == 404
    assert visiting.visit(sealed.replace(origin(sealed), f"127.0.0.1:{urlsplit(sealed).port}")).status_code == 404


def test_signing_out_is_asked_for_and_refused_to_others(owner: Tenant, provider: int) -> None:
    guarded = visiting.guard(owner, provider)
    browser = requests.Session()
    visiting.visit(guarded.home, browser, params={"jwt_token": guarded.token()})
    out = f"{guarded.home}-/sign-out"
    for theirs in ("null", "https://evil.example", endpoints(guarded.one)["site"].partition("/v1")[0], "x"):
        answer = browser.post(out, headers={"Origin": theirs}, timeout=60, allow_redirects=False)
        assert answer.status_code == 403 and "still signed in" in answer.text
    assert "Sign out" in visiting.visit(guarded.home, browser).text
    page = visiting.visit(out, browser)
    assert "Sign out?" in page.text and f'action="{out}"' in page.text
    mine = guarded.home.partition("/sites")[0]
    assert browser.post(out, headers={"Origin": mine}, timeout=60, allow_redirects=False).status_code == 302
    assert visiting.visit(guarded.home, browser).status_code == 302


def test_a_tunnel_has_its_own(apart: HostProcess, owner: Tenant, tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, daemon=True).start()
    tunnel = Tunnel(owner.api, server.server_port, tmp_path)
    try:
        assert re.fullmatch(
            rf"http://tunnel-[a-z0-9]{{20}}\.localhost:{apart.port}/tunnels/[0-9A-Za-z]{{20}}", tunnel.url
        )
        told = requests.get(f"{tunnel.url}/a", timeout=20).json()
        assert told["headers"]["X-Forwarded-Host"] == origin(tunnel.url)
        path = urlsplit(tunnel.url).path
        site = installed(owner)
        for netloc in (origin(endpoints(site)["integration"]), f"127.0.0.1:{apart.port}"):
            assert requests.get(f"http://{netloc}{path}/a", timeout=20).status_code == 404
    finally:
        tunnel.kill()
        server.shutdown()
        server.server_close()


def test_commands_find_names_below_localhost(owner: Tenant, tmp_path: Path) -> None:
    one: Installed = installed(owner)
    known = ("--host", owner.api.url, "--token", str(owner.api.token))
    sent = devkit(
        tmp_path, "trigger", "fetch", "--integration", one.name, "--method", "GET", "--path", "/hello", *known
    )
    assert "hi http://" in sent.out, sent.err
    doctor = devkit(tmp_path, "doctor", *known)
    assert "origins: each integration and each site has its own" in doctor.out


def test_the_doctor_says_when_there_is_one_origin(host: HostProcess, alpha: Tenant, tmp_path: Path) -> None:
    doctor = devkit(tmp_path, "doctor", "--host", host.url, "--token", str(alpha.api.token))
    assert "origins: integrations and sites share an origin with the platform itself" in doctor.out
    assert "DEVKIT_CONTENT_URL=https://*.content.example" in doctor.out


@pytest.mark.parametrize(
    ("content", "words"),
    [("https://*.com", "belong to others"), ("http://127.0.0.1:PORT", "preview cannot share"), ("x", "https://")],
)
def test_a_host_does_not_start_with_origins_that_keep_nothing_apart(tmp_path: Path, content: str, words: str) -> None:
    port = free_port()
    environ: dict[str, Any] = {"DEVKIT_CONTENT_URL": content.replace("PORT", str(port)), "DEVKIT_PREVIEW": "1"}
    command = [sys.executable, "-m", "devkit", "serve", "--data", str(tmp_path), "--port", str(port)]
    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin", **environ}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr
