"""Visitors of a site that an integration guards: the whole way to a fake identity provider and back, over HTTP."""

from __future__ import annotations

import http.server
import json
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests

from tests.conftest import HostProcess, Tenant, free_port, init, installed, tenant, wait_for
from tests.scenarios.visitor_sign_in import SCOPES, SCRIPT, Guarded, Provider, guard, visit


@pytest.fixture(scope="module")
def provider() -> Iterator[int]:
    port = free_port()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def owner(provider: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    data = tmp_path_factory.mktemp("visitors")
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--allow-egress", f"127.0.0.1:{provider}").start()
    yield tenant(process, "Owner", "owner@example.com")
    assert process.stop() == 0


@pytest.fixture(scope="module")
def guarded(owner: Tenant, provider: int) -> Guarded:
    return guard(owner, provider)


def test_the_whole_way_there_and_back(guarded: Guarded) -> None:
    browser = requests.Session()
    browser.cookies.set("consent", "yes", domain="127.0.0.1", path="/sites")
    start = guarded.home + "guide/first%20steps?lang=de"
    asked = visit(start, browser)
    assert asked.status_code == 302 and asked.headers["Location"].startswith(f"{guarded.provider}/authorize?")
    assert asked.headers["Cache-Control"] == "no-store"
    state = json.loads(parse_qs(urlsplit(asked.headers["Location"]).query)["state"][0])
    assert state == {"location": "guide/first%20steps", "params": {"lang": "de"}, "cookies": {"consent": "yes"}}
    back = visit(asked.headers["Location"], browser)
    endpoint = back.headers["Location"]
    assert f"/site-installation/{guarded.one.installation}/{guarded.one.site}/visitor-auth/response" in endpoint
    signed = visit(endpoint, browser)
    assert signed.status_code == 302, signed.text
    assert signed.headers["Location"].startswith(f"{guarded.home}guide/first%20steps?jwt_token=")
    opened = visit(signed.headers["Location"], browser)
    assert (opened.status_code, opened.headers["Location"]) == (302, f"{guarded.home}guide/first%20steps")
    cookie = opened.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and f"Path={urlsplit(guarded.home).path};" in f"{cookie};"
    assert "Secure" not in cookie and "Expires=" in cookie
    assert visit(opened.headers["Location"], browser).status_code == 404  # the site has no pages
    page = visit(guarded.home, browser)
    assert page.status_code == 200 and "Guarded &lt;site&gt;" in page.text and "Sign out" in page.text
    assert page.headers["Cache-Control"] == "private, no-store"
    assert visit(guarded.home).status_code == 302  # anybody else

    left = browser.post(guarded.home + "-/sign-out", timeout=60, allow_redirects=False)
    assert (left.status_code, left.headers["Location"]) == (302, f"{guarded.provider}/logout")
    assert visit(guarded.home, browser).status_code == 302
    stolen = visit(guarded.home, cookies={"site_visitor": cookie.split(";")[0].split("=", 1)[1]})
    assert stolen.status_code == 302  # the host has forgotten the session, too


def test_a_scripts_cookies_go_where_the_script_is_and_nowhere_else(guarded: Guarded) -> None:
    lines = visit(guarded.home).raw.headers.getlist("Set-Cookie")
    endpoint = f"/v1/integrations/{guarded.one.name}/site-installation/{guarded.one.installation}/{guarded.one.site}"
    assert [line.rpartition("; ")[2] for line in lines] == [f"Path={endpoint}", f"Path=/sites/{guarded.one.site}/"]
    public = guarded.one.owner.api.get(guarded.one.path).json["urls"]["publicEndpoint"]
    assert visit(f"{public}/fixed").raw.headers.getlist("Set-Cookie") == ["mine=1"]
    assert all(line.startswith("verifier=") and "HttpOnly" in line and "Domain" not in line for line in lines)


def test_without_the_verifier_the_provider_refuses(guarded: Guarded) -> None:
    back = visit(visit(visit(guarded.home).headers["Location"]).headers["Location"], cookies={"verifier": "another"})
    assert back.status_code == 403 and "no proof" in back.text


def refused(answer: requests.Response, status: int, *words: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"].startswith("text/html") and "<h1>" in answer.text
    assert "Set-Cookie" not in answer.headers
    assert all(word in answer.text for word in words), answer.text


def test_tokens_that_open_nothing(guarded: Guarded, owner: Tenant, provider: int) -> None:
    other = guard(owner, provider)
    secret, now = guarded.secret(), int(time.time())
    unsigned = jwt.encode({"exp": now + 600}, "", algorithm="none")
    with warnings.catch_warnings(action="ignore"):
        stronger = jwt.encode({"exp": now + 600}, secret, algorithm="HS512")
    for token, word in (
        ("rubbish", "not for this site"),
        ("", "not for this site"),
        ("a.b.c", "not for this site"),
        (unsigned, "not for this site"),
        (other.token(), "not for this site"),
        (stronger, "not for this site"),
        (jwt.encode({"exp": now - 1}, secret, algorithm="HS256"), "expired"),
        (jwt.encode({"a": 1}, secret, algorithm="HS256"), "no expiry time"),
        (jwt.encode({"exp": "later"}, secret, algorithm="HS256"), "not for this site"),
        ("x" * 9000, "longer"),
    ):
        refused(visit(guarded.home, params={"jwt_token": token}), 401, word, "Sign in again")
    opened = visit(other.home, params={"jwt_token": other.token()})
    assert opened.status_code == 302 and opened.headers["Location"] == other.home
    value = opened.headers["Set-Cookie"].split(";")[0].split("=", 1)[1]
    assert visit(other.home, cookies={"site_visitor": value}).status_code == 200
    assert visit(guarded.home, cookies={"site_visitor": value}).status_code == 302  # not this site's


def test_a_session_ends_with_its_token_and_lasts_no_longer_than_a_cookie(guarded: Guarded) -> None:
    secret = guarded.secret()
    token = jwt.encode({"exp": int(time.time()) + 6}, secret, algorithm="HS256")
    opened = visit(guarded.home, params={"jwt_token": token})
    assert opened.status_code == 302
    kept = opened.cookies["site_visitor"]
    deadline = time.monotonic() + 30
    while visit(guarded.home, cookies={"site_visitor": kept}).status_code == 200 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert visit(guarded.home, cookies={"site_visitor": kept}).status_code == 302
    for claims in ({"exp": 10**30}, {"exp": 99999999999}, {"sub": 7, "aud": "x", "iat": 99999999999, "jti": 1}):
        assert visit(guarded.home, params={"jwt_token": guarded.token(**claims)}).status_code == 302, claims


@pytest.mark.parametrize(
    "place",
    [
        "/evil.example",
        "//evil.example/x",
        "https://evil.example/",
        "%2F%2Fevil.example",
        "%5Cevil.example",
        "@evil.example",
        "x%0d%0aLocation:%20https://evil.example",
        "a?next=https://evil.example",
        "a%3Fjwt_token=1%23",
    ],
)
def test_no_address_leads_away_from_the_site(guarded: Guarded, place: str) -> None:
    joint = "&" if "?" in place else "?"
    request = requests.Request("GET", guarded.home).prepare()
    request.url = f"{guarded.home}{place}{joint}jwt_token={guarded.token()}"
    answer = requests.Session().send(request, timeout=60, allow_redirects=False)
    if answer.status_code == 404:
        return  # no such page is no way out either
    assert answer.status_code == 302
    location = answer.headers["Location"]
    assert location.startswith(guarded.home) and "jwt_token=" not in location.replace("%3Fjwt_token=", "")
    assert "\r" not in location and "\\" not in location
    assert urlsplit(location).netloc == urlsplit(guarded.home).netloc


def test_no_place_climbs_out_of_the_site(guarded: Guarded) -> None:
    other = "%2e%2e/other/"
    for place in (other, "..%2fother/", "a/%2e/b", "a/..%2f..%2fother"):
        request = requests.Request("GET", guarded.home).prepare()
        request.url = guarded.home + place
        answer = requests.Session().send(request, timeout=60, allow_redirects=False)
        refused(answer, 404)


def test_what_the_script_refuses_is_told_to_the_visitor(guarded: Guarded) -> None:
    refused(visit(guarded.home + "refused"), 403, "Only on &lt;weekdays&gt;.")


def test_a_guard_that_is_gone_lets_nobody_in(owner: Tenant, provider: int) -> None:
    here = guard(owner, provider)
    browser = requests.Session()
    assert visit(here.home, browser, params={"jwt_token": here.token()}).status_code == 302
    assert visit(here.home, browser).status_code == 200
    part = f"{here.one.path}/installations/{here.one.installation}/sites/{here.one.site}"
    assert owner.api.call("PATCH", part, {"status": "paused"}).status == 200
    refused(visit(here.home, browser), 503, "not active")
    assert owner.api.call("PATCH", part, {"status": "active"}).status == 200
    assert visit(here.home, browser).status_code == 200
    assert owner.api.call("DELETE", part).status == 205
    refused(visit(here.home, browser), 503, "not active")
    assert owner.api.call("PATCH", here.site, {"visitorAuth": {"backend": "custom"}}).json["visitorAuth"] == {
        "backend": "custom"
    }
    refused(visit(here.home, browser), 403, "own service")
    assert "visitorAuth" not in owner.api.call("PATCH", here.site, {"visitorAuth": None}).json


def test_a_new_installation_does_not_take_over_the_visitors_of_the_old_one(owner: Tenant, provider: int) -> None:
    here = guard(owner, provider)
    browser, old = requests.Session(), here.token()
    assert visit(here.home, browser, params={"jwt_token": old}).status_code == 302
    parts = f"{here.one.path}/installations/{here.one.installation}/sites"
    assert owner.api.call("DELETE", f"{parts}/{here.one.site}").status == 205
    assert owner.api.post(parts, {"siteId": here.one.site}).status == 201
    assert visit(here.home, browser).status_code == 302
    refused(visit(here.home, params={"jwt_token": old}), 401)


def test_sites_that_everybody_may_see_and_those_nobody_may(owner: Tenant, provider: int) -> None:
    here = guard(owner, provider)

    def set_to(**change: Any) -> requests.Response:
        assert owner.api.call("PATCH", here.site, change).status == 200
        return visit(here.home)

    page = set_to(visibility="public")
    assert page.status_code == 200 and "A space" in page.text and "📘" in page.text and "Sign out" not in page.text
    assert "X-Robots-Tag" not in page.headers
    assert set_to(visibility="unlisted").headers["X-Robots-Tag"] == "noindex"
    refused(set_to(visibility="share-link"), 403)
    refused(set_to(published=False, visibility="public"), 404)
    refused(visit(owner.api.url + "/sites/nowhere/"), 404)
    without_slash = visit(owner.api.url + f"/sites/{here.one.site}?a=1")
    assert without_slash.status_code == 404
    set_to(published=True)
    without_slash = visit(owner.api.url + f"/sites/{here.one.site}?a=1")
    assert (without_slash.status_code, without_slash.headers["Location"]) == (302, f"{here.home}?a=1")
    assert requests.post(here.home, timeout=30).status_code == 405


def test_scripts_are_embedded_with_the_policy_they_ask_for(owner: Tenant, provider: int) -> None:
    policy = {"default-src": "https://cdn.example", "connect-src": "https://api.example", "script-src": "'none'"}
    one = installed(
        owner, SCRIPT.replace("PORT", str(provider)), scopes=SCOPES, blocks=[], contentSecurityPolicy=policy
    )
    changed = owner.api.call("PATCH", f"/v1/orgs/{owner.id}/sites/{one.site}", {"published": True}).json
    page = visit(changed["urls"]["published"])
    script = owner.api.get(f"/v1/orgs/{owner.id}/sites/{one.site}/integration-scripts").json[0]["script"]
    assert f'<script src="{script}" async></script>' in page.text
    directives = {part.split()[0]: part.split()[1:] for part in page.headers["Content-Security-Policy"].split(";")}
    assert directives["script-src"] == [f"{owner.api.url}/sites/-/", script]
    assert directives["connect-src"] == [f"{changed['urls']['published']}-/insights", "https://api.example"]
    assert directives["img-src"] == ["'self'", "data:", "https://cdn.example"]
    assert directives["default-src"] == directives["base-uri"] == ["'none'"]
    style = visit(owner.api.url + "/sites/-/published.css")
    assert style.status_code == 200 and "light-dark(" in style.text


def test_the_log_does_not_show_a_visitors_cookies(guarded: Guarded) -> None:
    browser = requests.Session()
    browser.cookies.set("private", "hush-hush", domain="127.0.0.1", path="/sites")
    assert visit(guarded.home, browser).status_code == 302

    def masked() -> bool:
        listed = guarded.one.owner.api.get(f"{guarded.one.path}/events", type="fetch_visitor_authentication")
        assert "hush-hush" not in listed.text
        return any(item["payload"].get("cookies") == {"private": "[secret]"} for item in listed.json["items"])

    assert wait_for(masked)


def test_the_cookie_is_secure_where_the_site_is(tmp_path: Path, provider: int) -> None:
    init(tmp_path, "First", "first@example.com")
    process = HostProcess(tmp_path, environ={"DEVKIT_CONTENT_URL": "https://content.example"}).start()
    here = guard(tenant(process, "Owner", "owner@example.com"), provider)
    assert here.home == f"https://content.example/sites/{here.one.site}/"
    local = here.home.replace("https://content.example", process.url)
    assert visit(local).status_code == 404  # sites are kept off the platform's own origin
    endpoint = (
        f"{process.url}/v1/integrations/{here.one.name}/site-installation/{here.one.installation}/{here.one.site}"
    )
    host = {"Host": "content.example"}
    secret = requests.get(f"{endpoint}/secret", headers=host, timeout=30).json()["siteInstallation"]
    token = jwt.encode({"exp": int(time.time()) + 600}, secret, algorithm="HS256")
    opened = visit(local, headers=host, params={"jwt_token": token})
    assert (opened.status_code, opened.headers["Location"]) == (302, here.home)
    set_ = opened.headers["Set-Cookie"]
    # Nobody at another name below the same domain can have set a cookie whose name begins like this.
    assert set_.startswith(f"__Host-site_visitor-{here.one.site}=") and "; Secure" in set_ and "Domain" not in set_
    assert set_.endswith("; Path=/") or "; Path=/;" in set_
    name, _, value = set_.partition(";")[0].partition("=")
    assert visit(local, headers=host, cookies={name: value}).status_code == 200
    assert visit(local, headers=host, cookies={"site_visitor": value}).status_code == 302
    assert process.stop() == 0
