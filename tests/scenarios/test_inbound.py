"""Public endpoints: raw HTTP in, raw HTTP out."""

from __future__ import annotations

import pytest
import requests

from tests.conftest import COUNTER, Installed, Tenant, installed, wait_for
from tests.scenarios.endpoints import endpoints

SHOWS = """
import json
from runtime.sdk import Integration, Response, ui

integration = Integration()


@integration.component("counter")
def counter(element):
    return ui.block(ui.text("x"))


@integration.fetch()
def anything(request, event, context):
    shown = {
        "method": request.method,
        "url": request.url,
        "headers": dict(request.headers),
        "body": len(request.body or b""),
        "levels": sorted(key for key in context.environment if key.endswith("nstallation")),
        "ids": {key: value for key, value in event.items() if key.endswith("Id") and key != "eventId"},
    }
    cookies = [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2")]
    headers = [("Content-Type", "application/json"), *cookies, ("X-Own", "yes")]
    return Response(json.dumps(shown), status=203, headers=headers)
"""


def test_each_level_sees_exactly_itself(alpha: Tenant) -> None:
    one = installed(alpha, SHOWS)
    expected = {
        "integration": ([], {}),
        "installation": (["installation"], {"installationId": one.installation}),
        "space": (["installation", "spaceInstallation"], {"installationId": one.installation, "spaceId": one.space}),
        "site": (["installation", "siteInstallation"], {"installationId": one.installation, "siteId": one.site}),
    }
    for level, endpoint in endpoints(one).items():
        for tail in ("", "/", "/deep/er?q=1&q=2", "/a%20b%2Fc?x=%C3%A9"):
            shown = requests.get(endpoint + tail, timeout=10).json()
            assert shown["url"].startswith(endpoint)
            assert (shown["levels"], shown["ids"]) == expected[level]
        for rest in ("/deep?q=1&q=2", "//deep", "///", "/deep//"):
            assert requests.get(f"{endpoint}{rest}", timeout=10).json()["url"] == f"{endpoint}{rest}"
        doubled = endpoint.replace("/v1/", "//v1/")
        assert requests.get(f"{doubled}/deep", timeout=10).json()["url"] == f"{endpoint}/deep"


def test_methods_bodies_headers_and_cookies(alpha: Tenant) -> None:
    one = installed(alpha, SHOWS)
    endpoint = endpoints(one)["integration"]
    for method in ("GET", "POST", "PUT", "DELETE"):
        answer = requests.request(
            method,
            endpoint,
            data=b"\x00\xff" * 10 if method in ("POST", "PUT") else None,
            cookies={"pkce": "v"},
            timeout=10,
        )
        shown = answer.json()
        assert shown["method"] == method
        assert shown["body"] == (20 if method in ("POST", "PUT") else 0)
        assert shown["headers"]["cookie"] == "pkce=v"
        assert "connection" not in shown["headers"]
        assert answer.status_code == 203
        assert answer.raw.headers.getlist("Set-Cookie") == [f"a=1; Path={one.path}", "b=2"]
        assert answer.headers["X-Own"] == "yes"
    head = requests.head(endpoint, timeout=10)
    assert head.status_code == 203 and head.content == b""
    for method in ("PATCH", "OPTIONS", "PROPFIND"):
        other = requests.request(method, endpoint, data=b"x", timeout=10)
        assert (other.status_code, other.json()["method"]) == (203, method)
    assert requests.request("TRACE", endpoint, timeout=10).status_code == 405


def test_bodies_both_ways_are_untouched(counter: Installed) -> None:
    endpoint = endpoints(counter)["integration"]
    body = bytes(range(256)) * 4000
    assert requests.post(f"{endpoint}/echo", data=body, timeout=20).content == body


def test_redirects_are_passed_on(counter: Installed) -> None:
    answer = requests.get(endpoints(counter)["integration"] + "/away", allow_redirects=False, timeout=10)
    assert (answer.status_code, answer.headers["Location"]) == (302, "https://example.com/")


def test_a_body_that_is_too_large(counter: Installed) -> None:
    answer = requests.post(endpoints(counter)["integration"] + "/echo", data=b"x" * (11 * 1024 * 1024), timeout=20)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == 413


def test_answers_may_come_in_pieces(alpha: Tenant) -> None:
    script = COUNTER + (
        "\n@integration.fetch('GET', '/pieces')\ndef pieces():\n    return Response(f'{n},' for n in range(1000))\n"
        "\n@integration.fetch('GET', '/endless')\ndef endless():\n"
        "    def parts():\n        while True:\n            yield 'x' * 100000\n    return Response(parts())\n"
    )
    one = installed(alpha, script)
    endpoint = endpoints(one)["integration"]
    assert requests.get(f"{endpoint}/pieces", timeout=10).text == "".join(f"{n}," for n in range(1000))
    try:
        size = len(requests.get(f"{endpoint}/endless", timeout=30).content)
    except requests.RequestException:
        size = 0
    assert size <= 5 * 1024 * 1024
    assert one.render().status == 200


def test_nobody_is_there(counter: Installed, alpha: Tenant) -> None:
    base = alpha.api.url + "/v1/integrations"
    other = installed(alpha)
    for path in (
        "/nothing/integration",
        f"/{counter.name}/installation/nowhere",
        f"/{counter.name}/installation/{other.installation}",
        f"/{counter.name}/space-installation/{counter.installation}/{other.space}",
        f"/{counter.name}/site-installation/{counter.installation}/nowhere",
        f"/{counter.name}/published-script/{counter.installation}/nowhere/1.js",
    ):
        answer = requests.get(base + path, timeout=10)
        assert answer.status_code == 404, path
        assert set(answer.json()["error"]) == {"code", "message"}


def test_a_published_script_that_fails_is_a_no_op(alpha: Tenant) -> None:
    script = COUNTER + "\n@integration.published_script\ndef script():\n    raise ValueError('broken')\n"
    one = installed(alpha, script)
    address = alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{one.site}/integration-scripts").json[0]["script"]
    answer = requests.get(address, timeout=10)
    assert answer.status_code == 200
    assert answer.text.startswith("/*") and answer.headers["Cache-Control"] == "no-store"
    failed = wait_for(
        lambda: alpha.api.get(f"{one.path}/events", type="fetch_published_script", status="failed").json["items"]
    )
    assert "broken" in alpha.api.get(f"{one.path}/events/{failed[0]['id']}").text


@pytest.mark.parametrize(
    ("kind", "confined"),
    [
        ("application/javascript", False),
        ("text/javascript; charset=utf-8", False),
        ("text/html", True),
        ("text/javascript, text/html", True),
        ("text/javascript;, text/html", True),
        ("text/javascript; charset=utf-8, text/html", True),
        ("image/svg+xml", True),
        ("", True),
    ],
)
def test_a_published_script_is_no_page(alpha: Tenant, kind: str, confined: bool) -> None:
    answer = f"Response('x', headers={{'Content-Type': {kind!r}}} if {kind!r} else {{}})"
    script = COUNTER + f"\n@integration.published_script\ndef script():\n    return {answer}\n"
    one = installed(alpha, script, contentSecurityPolicy="connect-src https://api.example")
    address = alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{one.site}/integration-scripts").json[0]["script"]
    told = requests.get(address, timeout=10)
    policies = told.raw.headers.getlist("Content-Security-Policy")
    assert "connect-src https://api.example" in policies
    assert any(policy.startswith("sandbox ") for policy in policies) is confined
    assert told.headers["X-Content-Type-Options"] == "nosniff"


def test_what_is_paused_renders_and_answers_nothing(alpha: Tenant) -> None:
    one = installed(alpha, SHOWS)
    assert one.render().status == 200
    addresses, own = endpoints(one), f"{one.path}/installations/{one.installation}"
    for at, silent, where in (
        (f"{own}/sites/{one.site}", {"site"}, "on this site"),
        (f"{own}/spaces/{one.space}", {"space"}, "on this space"),
        (own, {"installation", "space", "site"}, "its installation is paused"),
    ):
        assert alpha.api.call("PATCH", at, {"status": "paused"}).status == 200
        for level, address in addresses.items():
            answer = requests.get(address, timeout=10)
            assert answer.status_code == (503 if level in silent else 203), (at, level)
            assert level not in silent or "paused" in answer.json()["error"]["message"]
            assert "Retry-After" not in answer.headers  # time alone changes nothing
        render = one.render()
        assert render.status == (200 if "space" not in silent else 412), at
        assert "space" not in silent or (where in render.text and "resume" in render.text)
        assert alpha.api.call("PATCH", at, {"status": "active"}).status == 200
    assert one.render().status == 200
