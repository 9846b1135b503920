"""A published site under `devkit serve`, and which documents the content security policy of a manifest is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.browser.conditions import wait_until
from tests.browser.hosts import publish
from tests.conftest import COUNTER, HostProcess, Installed, Tenant, init, installed, tenant, wait_for

INJECTED = """
window.heard = [];
GitBook.addEventListener("load", () => heard.push("load"));
window.disabled = String(GitBook.isCookiesTrackingDisabled());
"""
SCRIPT = f'''
from runtime.sdk import Integration, Response, ui

integration = Integration()
FRAME = """<!doctype html><html lang=en><title>Frame</title><link rel=icon href="data:,">
<style>body {{ color: rgb(1, 2, 3) }}</style>
<p id=word>waiting</p><script>document.getElementById("word").textContent = "drawn"</script></html>"""


@integration.published_script
def script():
    return """{INJECTED}"""


@integration.on("site_view")
def viewed(event, context):
    context.log.info("viewed %s", event["url"])


@integration.fetch("GET", "/frame")
def frame():
    return Response(FRAME, headers={{"Content-Type": "text/html; charset=utf-8"}})


@integration.fetch("GET", "/own")
def own():
    return Response(FRAME, headers={{"Content-Type": "text/html", "Content-Security-Policy": "media-src 'none'"}})
'''
PUBLISHES = """

@integration.published_script
def published():
    return "window.injected = true;"
"""
POLICY = "script-src https://cdn.example; connect-src https://api.example"
LISTENS = ["site:script:inject", "site:script:cookies", "site:views:read"]


@dataclass
class Served:
    """A host in earnest, without the preview."""

    host: HostProcess
    owner: Tenant


@pytest.fixture(scope="module", params=["own", "shared"])
def served(request: Any, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp(request.param)
    init(data, "First", "first@example.com")
    host = HostProcess(data)
    content = "*.localhost" if request.param == "own" else "localhost"
    host.environ = {"DEVKIT_CONTENT_URL": f"http://{content}:{host.port}"}
    host.start()
    yield Served(host, tenant(host, "Owner", "owner@example.com"))
    assert host.stop() == 0


def views(one: Installed) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = one.owner.api.get(f"{one.path}/events", type="site_view").json["items"]
    return items


def test_scripts_find_what_they_expect_and_reading_is_told(page: Any, served: Served) -> None:
    one = installed(served.owner, SCRIPT, scopes=LISTENS, blocks=[], contentSecurityPolicy=POLICY)
    home = publish(served.owner, one.site)
    page.goto(home)
    wait_until(page, "window.heard?.includes('load')")
    assert page.evaluate("window.disabled") == "undefined"
    (event,) = wait_for(lambda: views(one))
    assert event["payload"]["url"] == home
    assert event["payload"]["visitor"]["ip"] == "127.0.0.1"
    wait_for(lambda: views(one)[0]["delivery"]["state"] == "delivered")
    expect(page.get_by_role("heading", name="Cookies")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    # Where the page has cookies it is loaded anew with them, and read once more.
    wait_until(page, "window.GitBook?.isCookiesTrackingDisabled() === false")
    expect(page.get_by_role("heading", name="Cookies")).to_be_hidden()


def test_a_site_that_nobody_listens_to_has_no_script(page: Any, served: Served) -> None:
    one = installed(served.owner, SCRIPT, scopes=[], blocks=[])
    home = publish(served.owner, one.site)
    page.goto(home)
    expect(page.get_by_role("heading", name="A site")).to_be_visible()
    assert page.evaluate("document.scripts.length") == 0
    assert page.evaluate("typeof window.GitBook") == "undefined"
    assert "script-src 'none'" in requests.get(home, timeout=20).headers["Content-Security-Policy"]


def test_a_link_that_opens_a_site_is_told_to_nobody(page: Any, served: Served) -> None:
    one = installed(served.owner, SCRIPT, scopes=LISTENS, blocks=[])
    publish(served.owner, one.site, visibility="share-link")
    links = f"/v1/orgs/{one.owner.id}/sites/{one.site}/share-links"
    link = one.owner.api.post(links, {"name": "For friends"}).json
    page.goto(link["urls"]["published"])
    wait_until(page, "window.heard?.includes('load')")
    assert views(one) == []


@pytest.mark.parametrize("path", ["/frame", "/own"])
def test_the_policy_of_a_published_script_is_not_for_frames(page: Any, looker: Any, served: Served, path: str) -> None:
    one = installed(served.owner, SCRIPT, scopes=["site:script:inject"], blocks=[], contentSecurityPolicy=POLICY)
    endpoint = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    page.goto(endpoint + path)
    expect(page.locator("#word")).to_have_text("drawn")
    policies = requests.get(endpoint + path, timeout=20).headers.get("Content-Security-Policy", "")
    assert "cdn.example" not in policies
    assert ("media-src 'none'" in policies) is (path == "/own")
    # The published script has it, and the pages of the site allow what it asks for.
    home = publish(served.owner, one.site)
    scripts = one.owner.api.get(f"/v1/orgs/{one.owner.id}/sites/{one.site}/integration-scripts").json
    assert requests.get(scripts[0]["script"], timeout=20).headers["Content-Security-Policy"] == POLICY
    assert "https://api.example" in requests.get(home, timeout=20).headers["Content-Security-Policy"]


def test_the_policy_of_an_integration_without_a_published_script_is_for_its_pages(
    page: Any, looker: Any, served: Served
) -> None:
    one = installed(served.owner, SCRIPT, scopes=[], blocks=[], contentSecurityPolicy=POLICY)
    endpoint = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    looker.allowed = ["Content Security Policy"]
    page.goto(f"{endpoint}/frame")
    expect(page.locator("#word")).to_have_text("waiting")
    assert "cdn.example" in requests.get(f"{endpoint}/frame", timeout=20).headers["Content-Security-Policy"]
    assert "cdn.example" not in requests.get(f"{endpoint}/own", timeout=20).headers["Content-Security-Policy"]


def write(one: Installed) -> None:
    """Write a page with a block of the integration, and one after it."""
    data = {"integration": one.name, "block": "counter", "props": {}}
    block = {"object": "block", "type": "integration", "isVoid": True, "data": data}
    words = [{"object": "text", "leaves": [{"object": "leaf", "text": "Consent", "marks": []}]}]
    # Its anchors are words that pages of the host use, too.
    heading = {"object": "block", "type": "heading-1", "data": {"id": "content"}, "nodes": words}
    space = f"/v1/spaces/{one.space}"
    change = one.owner.api.post(f"{space}/change-requests", {"subject": "Pages"}).json["id"]
    code = "# First\n\nWords to find.\n\n```python\ndef f(): return 1\n```\n"
    changes = [
        {"type": "insert_page", "title": "Text", "document": {"markdown": code}, "description": "What it is about"},
        {
            "type": "insert_page",
            "title": "Drawn",
            "document": {"document": {"object": "document", "data": {}, "nodes": [heading, block]}},
        },
    ]
    at = f"{space}/change-requests/{change}"
    assert one.owner.api.post(f"{at}/content", {"changes": changes}).status == 200
    assert one.owner.api.post(f"{at}/merge").status == 200


@pytest.mark.parametrize("injects", [False, True], ids=["plain", "with a script"])
def test_pages_are_read_and_their_blocks_pressed(page: Any, looker: Any, served: Served, injects: bool) -> None:
    """With a script on a shared origin the page is confined, and its blocks work all the same."""
    source = COUNTER + PUBLISHES if injects else COUNTER
    one = installed(served.owner, source, scopes=["space:content:read", *(["site:script:inject"] if injects else [])])
    write(one)
    page.goto(publish(served.owner, one.site))
    expect(page.get_by_role("heading", name="Text", level=1)).to_be_visible()
    if injects:
        wait_until(page, "window.injected === true")
    else:
        assert page.evaluate("document.scripts.length") == 0
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Drawn").click()
    expect(page.get_by_text("Clicked 0 times")).to_be_visible()
    page.get_by_role("button", name="Click me").click()
    expect(page.get_by_text("Clicked 1 times")).to_be_visible()
    expect(page.get_by_role("heading", name="Consent")).to_be_visible()
    assert page.locator("#content, #consent").count() == 2
    page.get_by_role("link", name="Previous Text").click()
    expect(page.get_by_role("link", name="Text", exact=True)).to_have_attribute("aria-current", "page")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: `make npm` installs it where there is an npm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_keep_the_rules_of_accessibility(page: Any, looker: Any, served: Served, scheme: str, width: int) -> None:
    looker.allowed = ["Content Security Policy"]  # by which the page forbids what axe tries
    one = installed(served.owner)
    write(one)
    home = publish(served.owner, one.site)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    wait_for(lambda: "<mark>" in requests.get(f"{home}-/search?q=words", timeout=20).text)
    for place in ("", "drawn", "-/search?q=words", "-/search"):
        page.goto(home + place)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert page.evaluate(VIOLATIONS, "html") == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
