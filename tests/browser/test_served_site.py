"""A published site under `devkit serve`, and which documents the content security policy of a manifest is for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests
from playwright.sync_api import expect

from tests.browser.hosts import publish
from tests.conftest import HostProcess, Installed, Tenant, init, installed, tenant, wait_for

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
    page.wait_for_function("window.heard?.includes('load')")
    assert page.evaluate("window.disabled") == "undefined"
    (event,) = wait_for(lambda: views(one))
    assert event["payload"]["url"] == home
    assert event["payload"]["visitor"]["ip"] == "127.0.0.1"
    wait_for(lambda: views(one)[0]["delivery"]["state"] == "delivered")
    expect(page.get_by_role("heading", name="Cookies")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    # Where the page has cookies it is loaded anew with them, and read once more.
    page.wait_for_function("window.GitBook?.isCookiesTrackingDisabled() === false")
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
    page.wait_for_function("window.heard?.includes('load')")
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
