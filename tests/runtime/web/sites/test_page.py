"""A published site where the preview is served: its pages, what it is asked for by anybody, and what it writes down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from runtime.web.sites.page_reports import violations
from tests.conftest import COUNTER, SCOPES, HostProcess, Installed, init, installed, tenant, wait_for
from tests.scenarios.content import Space
from tests.scenarios.elsewhere import packed
from tests.scenarios.importing import sent

SCRIPT = (
    COUNTER
    + """

@integration.published_script
def script():
    return "window.injected = true;"
"""
)
POLICY = "connect-src https://api.example; img-src 'none'"
VIEW: dict[str, Any] = {
    "type": "page_view",
    "session": {"visitorId": "v", "sessionId": "s", "cookies": {"made": "up"}, "userAgent": "made up"},
}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("reading")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_PREVIEW": "true"}).start()
    yield process
    assert process.stop() == 0


def publish(integration: Installed, **change: Any) -> str:
    changed = integration.owner.api.call(
        "PATCH", f"/v1/orgs/{integration.owner.id}/sites/{integration.site}", {"published": True, **change}
    )
    assert changed.status == 200, changed.text
    home: str = changed.json["urls"]["published"]
    return home


@pytest.fixture(scope="module")
def integration(host: HostProcess) -> Installed:
    owner = tenant(host, "Alpha", "alpha@example.com")
    app = installed(owner, SCRIPT, scopes=[*SCOPES, "page:feedback:read"], contentSecurityPolicy=POLICY)
    part = f"{app.path}/installations/{app.installation}/sites/{app.site}"
    assert owner.api.get(part).json["status"] == "active"
    return app


@pytest.fixture(scope="module")
def home(integration: Installed) -> str:
    return publish(integration)


def events(integration: Installed, kind: str) -> list[Any]:
    items: list[Any] = integration.owner.api.get(f"{integration.path}/events", type=kind, limit=100).json["items"]
    return items


def send(home: str, place: str, body: Any, **more: Any) -> requests.Response:
    return requests.post(f"{home}-/{place}", json=body, timeout=60, **more)


def report(blocked: str, **more: Any) -> dict[str, Any]:
    body = {
        "document-uri": "http://site.example/sites/x/?secret=1",
        "effective-directive": "script-src-elem",
        "blocked-uri": blocked,
        **more,
    }
    return {"csp-report": body}


def test_there_is_a_page_for_each_block_and_no_other(integration: Installed, home: str) -> None:
    page = requests.get(home, timeout=60)
    assert page.status_code == 200 and "<h1" in page.text and "Welcome" in page.text
    block = requests.get(f"{home}blocks/{integration.name}/counter", timeout=60)
    assert f'src="{home}-/render/{integration.name}"' in block.text and 'aria-current="page">Counter</a>' in block.text
    assert requests.get(f"{home}blocks/{integration.name}/other", timeout=60).status_code == 404


def test_the_policy_is_the_pages_own_the_scripts_and_the_blocks(integration: Installed, home: str) -> None:
    policy = requests.get(home, timeout=60).headers["Content-Security-Policy"]
    directives = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
    (script,) = integration.owner.api.get(
        f"/v1/orgs/{integration.owner.id}/sites/{integration.site}/integration-scripts"
    ).json
    assert script["script"] in directives["script-src"] and "'self'" not in directives["script-src"]
    assert {home, "https://api.example"} <= set(directives["connect-src"])
    assert directives["report-uri"] == [f"{home}-/violations"]
    assert directives["base-uri"] == directives["object-src"] == ["'none'"]
    body = integration.owner.api.get(f"/preview/api/{integration.name}/site").json
    assert (body["policy"], body["address"], [page["place"] for page in body["pages"]]) == (
        policy,
        home,
        ["", "guide", f"blocks/{integration.name}/counter"],
    )


def test_a_reader_gets_renders_of_the_blocks_that_are_there(
    integration: Installed, home: str, host: HostProcess
) -> None:
    expected = {"componentId": "counter", "props": {}, "context": integration.context()}
    output = send(home, f"render/{integration.name}", expected)
    assert (output.status_code, output.json()["state"]) == (200, {"count": 0})
    assert output.headers["Content-Security-Policy"] == POLICY
    action = {"action": "increment"}
    pressed = send(home, f"render/{integration.name}", {**expected, "state": {"count": 4}, "action": action})
    assert pressed.json()["state"] == {"count": 5}
    for context, status in (
        (integration.context(editable=True), 400),
        ({"type": "configuration_space", "spaceId": integration.space, "theme": "light"}, 400),
        (integration.context(spaceId="another"), 404),
    ):
        assert send(home, f"render/{integration.name}", {**expected, "context": context}).status_code == status
    other = installed(tenant(host, "Beta", "beta@example.com"))
    assert send(home, f"render/{other.name}", {**expected, "context": other.context()}).status_code == 404
    assert send(home, "render/nothing", expected).status_code == 404
    assert send(home, f"render/{integration.name}", {**expected, "props": {"a": "x" * 70_000}}).status_code == 413


def test_what_a_reader_does_becomes_events(integration: Installed, home: str) -> None:
    here = {"url": f"{home}guide", "page": "guide"}
    rating = {"type": "page_post_feedback_comment", "feedback": {"rating": "bad", "comment": "Too short"}}
    cookies = {"__gitbook_cookie_granted": "yes", "site_visitor": "secret"}
    response = send(
        home,
        "insights",
        {"events": [{**VIEW, "location": here}, {**VIEW, **rating, "location": here}]},
        cookies=cookies,
        headers={"User-Agent": "a browser"},
    )
    assert response.status_code == 204, response.text
    (view,) = wait_for(lambda: events(integration, "site_view"))
    visitor = view["payload"]["visitor"]
    assert (visitor["cookies"], visitor["userAgent"]) == ({"__gitbook_cookie_granted": "yes"}, "a browser")
    assert (visitor["ip"], view["payload"]["pageId"]) == ("127.0.0.1", "guide")
    (feedback,) = wait_for(lambda: events(integration, "page_feedback"))
    assert feedback["payload"]["feedback"] == {"rating": "bad", "comment": "Too short"}
    reader = integration.owner.api.get(f"/preview/api/{integration.name}/site").json["reader"]
    assert (reader["page"], reader["consent"]) == ("guide", "granted")
    away = {"events": [{**VIEW, "location": {"url": "https://evil.example/"}}]}
    assert send(home, "insights", away).status_code == 400
    assert send(home, "insights", {"events": [{**VIEW, "location": here}] * 11}).status_code == 400


def test_a_violation_is_a_warning_in_the_log_of_who_caused_it(integration: Installed, home: str) -> None:
    (script,) = integration.owner.api.get(
        f"/v1/orgs/{integration.owner.id}/sites/{integration.site}/integration-scripts"
    ).json
    source = {"source-file": script["script"], "line-number": 3}
    assert send(home, "violations", report("https://evil.example/x.js?visitor=ada", **source)).status_code == 204
    modern = {
        "type": "csp-violation",
        "body": {"blockedURL": "inline", "effectiveDirective": "style-src", "documentURL": home},
    }
    assert send(home, "violations", [modern]).status_code == 204
    wait_for(lambda: len(events(integration, "site_policy_violation")) == 2)
    second, first = events(integration, "site_policy_violation")
    assert first["payload"]["violation"] == {
        "directive": "script-src-elem",
        "blocked": "https://evil.example/x.js",
        "page": "/sites/x/",
        "source": script["script"],
        "line": 3,
    }
    assert (first["payload"]["siteId"], first["installationId"]) == (integration.site, integration.installation)
    (line,) = integration.owner.api.get(f"{integration.path}/events/{first['id']}").json["trace"]["logs"]
    assert line["level"] == "warn"
    assert line["message"] == (
        "The content security policy blocked https://evil.example/x.js on the page /sites/x/ (script-src-elem), "
        f"requested by {script['script']}:3: name its origin under `script-src` of the manifest's "
        "`contentSecurityPolicy`."
    )
    (line,) = integration.owner.api.get(f"{integration.path}/events/{second['id']}").json["trace"]["logs"]
    assert "blocked inline code or style on the page" in line["message"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[" * 30_000, b"[]", b"[1]", b"{}", b'{"csp-report": []}', b'{"csp-report": {}}' * 2, b"null"],
)
def test_what_is_not_a_report_is_refused(home: str, body: bytes) -> None:
    assert requests.post(f"{home}-/violations", data=body, timeout=60).status_code == 400


def test_a_source_that_is_no_address_is_nobodys() -> None:
    (one,) = violations(json.dumps(report("https://x.example/", **{"source-file": "http://[x/y"})).encode())
    assert one.culprit is None and "http://[x/y" in one.sentence()


def test_a_report_cannot_trick_who_reads_it() -> None:
    nasty = report("https://x.example/\x1b[31m\u202e" + "a" * 5000, **{"line-number": True, "source-file": ["x"]})
    (body,) = violations(json.dumps(nasty).encode())
    assert (len(body.blocked), "\x1b" in body.blocked, "\u202e" in body.blocked) == (300, False, False)
    assert (body.line, body.source, body.culprit) == (None, "", None)
    (empty,) = violations(b'{"csp-report": {}}')
    assert empty.sentence().startswith("The content security policy blocked something on the page /")


def test_a_flood_is_not_written_down(host: HostProcess) -> None:
    integration = installed(tenant(host, "Gamma", "gamma@example.com"), SCRIPT)
    home = publish(integration)
    many = [send(home, "violations", report(f"https://x.example/{number}")).status_code for number in range(40)]
    assert (many.count(204), many.count(429)) == (30, 10)
    assert send(home, "violations", report("x" * 40_000)).status_code == 413
    wait_for(lambda: len(events(integration, "site_policy_violation")) == 30)


def test_a_guarded_site_answers_who_signed_in_only(host: HostProcess) -> None:
    integration = installed(tenant(host, "Delta", "delta@example.com"), SCRIPT, scopes=["site:visitor:auth"])
    guard = {"backend": "integration", "integration": integration.name}
    home = publish(integration, visibility="visitor-auth", visitorAuth=guard)
    expected = {"componentId": "counter", "props": {}, "context": integration.context()}
    assert send(home, f"render/{integration.name}", expected).status_code == 403
    here = {"url": home}
    assert send(home, "insights", {"events": [{**VIEW, "location": here}]}).status_code == 403
    part = f"{integration.path}/installations/{integration.installation}/sites/{integration.site}"
    assert integration.owner.api.call("PATCH", part, {"status": "paused"}).status == 200
    assert send(home, f"render/{integration.name}", expected).status_code == 403
    publish(integration, visibility="share-link")
    assert send(home, f"render/{integration.name}", expected).status_code == 403
    assert (
        integration.owner.api.call(
            "PATCH", f"/v1/orgs/{integration.owner.id}/sites/{integration.site}", {"published": False}
        ).status
        == 200
    )
    assert send(home, "violations", report("x")).status_code == 404


def test_a_host_without_the_preview_has_no_sample_pages(tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("plain")
    init(data, "First", "first@example.com")
    process = HostProcess(data).start()
    integration = installed(tenant(process, "Alpha", "alpha@example.com"), SCRIPT)
    home = publish(integration)
    page = requests.get(home, timeout=60)
    assert page.status_code == 200 and "A space" in page.text and "reader.js" not in page.text
    assert "report-uri" not in page.headers["Content-Security-Policy"]
    for place in ("guide", f"blocks/{integration.name}/counter"):
        assert requests.get(home + place, timeout=60).status_code == 404
    assert send(home, "violations", report("x")).status_code == 405
    # What readers do is heard all the same, of what is a page of the site.
    assert send(home, "insights", {"events": [{**VIEW, "location": {"url": home}}]}).status_code == 204
    assert send(home, "insights", {"events": [{**VIEW, "location": {"url": "https://a.example/"}}]}).status_code == 400
    assert process.stop() == 0


def test_pages_of_spaces_are_read_with_blocks_in_them(integration: Installed, home: str) -> None:
    api, path = integration.owner.api, f"/v1/spaces/{integration.space}/change-requests"
    change = api.post(path, {}).json["id"]
    data = {"integration": integration.name, "block": "counter", "props": {"title": '"><script>'}}
    drawn = {"object": "block", "type": "integration", "isVoid": True, "data": data}
    document = {"object": "document", "data": {}, "nodes": [drawn]}
    to_hidden = '{% content-ref url="/pages/hidden" %}\n[x](/pages/hidden)\n{% endcontent-ref %}'
    to_hidden += '\n\n<a data-mention href="/pages/below">x</a>'
    changes = [
        {
            "type": "insert_page",
            "id": "text",
            "title": "Text",
            "document": {"markdown": f"See [it](/pages/drawn), `<b>`, $$x^2$$.\n\n{to_hidden}"},
        },
        {"type": "insert_page", "id": "drawn", "title": "Drawn", "document": {"document": document}},
        {"type": "insert_page", "id": "hidden", "title": "Hidden", "hidden": True, "document": {"markdown": "x"}},
        {
            "type": "insert_page",
            "id": "below",
            "title": "Below",
            "position": {"parent": "hidden"},
            "document": {"markdown": "x"},
        },
    ]
    assert api.post(f"{path}/{change}/content", {"changes": changes}).status == 200
    assert api.post(f"{path}/{change}/merge").status == 200
    text = requests.get(f"{home}text", timeout=60).text
    assert f'<a href="{home}drawn">it</a>' in text and "<code>&lt;b&gt;</code>" in text and "Hidden" not in text
    assert '<math display="inline"><mrow><msup><mi>x</mi>' in text
    assert "Below" not in text  # what is in a hidden page is hidden, too
    block = requests.get(f"{home}drawn", timeout=60).text
    assert (
        f'src="{home}-/render/{integration.name}" component="counter"' in block
        and "<script>" not in block.split("main")[1]
    )
    for place in ("hidden", "hidden/below"):
        assert requests.get(f"{home}{place}", timeout=60).status_code == 404


def test_a_former_path_leads_to_the_page(host: HostProcess) -> None:
    owner = tenant(host, "Moved", "moved@example.com")
    space = Space(owner)
    assert owner.api.call("PATCH", space.path, {"editMode": "live"}).status == 200
    files = {"SUMMARY.md": "* [A](a.md)\n* [B](b.md)\n", "a.md": "# A\n", "b.md": "---\nhidden: true\n---\n# B\n"}
    files["SUMMARY.md"] += "* [Other](other.md)\n"
    files["other.md"] = "# Other\n"
    redirects = "redirects:\n  old/a: a.md\n  old/b: b.md\n  old/other: other.md\n"
    assert sent(space, packed({**files, ".gitbook.yaml": redirects}), "zip")["problems"] == []
    at = f"/v1/orgs/{owner.id}/sites"
    other = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Other"}).json["id"]
    site = owner.api.post(at, {"title": "Docs", "spaces": [space.id, other]}).json["id"]
    home = owner.api.call("PATCH", f"{at}/{site}", {"published": True}).json["urls"]["published"]

    def look(place: str) -> requests.Response:
        return requests.get(f"{home}{place}", timeout=60, allow_redirects=False)

    moved = look("old/a")
    assert (moved.status_code, moved.headers["Location"]) == (302, f"{home}a")
    assert look("old/a?shown=all&shown=b%26").headers["Location"] == f"{home}a?shown=all&shown=b%26"
    assert look("a").status_code == 200
    assert {look(place).status_code for place in ("old/b", "old", "x/old/a")} == {404}
    covered = look("old/other").headers["Location"]
    assert covered.startswith(f"{home}-/page/"), "the path `other` is that of another space of the site"
    assert "<title>Other" in look(covered.removeprefix(home)).text
