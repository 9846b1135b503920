"""`<content-kit>`: a render in a page of somebody else, with the platform's server between page and host."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import urllib3
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.browser.conftest import Looker
from tests.devkit.dev_process import DevProcess

PAGE = """<!doctype html><html lang="en"><head><title>A platform</title>
<style>button {{ color: rgb(255, 0, 0) !important; }} body {{ background: #888; }}</style>
<script type="module" src="{host}/contentkit.js"></script></head><body>
<content-kit src="/render" component="{component}" context='{context}' endpoint="{own}" {more}></content-kit>
</body></html>"""


class Platform(BaseHTTPRequestHandler):
    """A page with the element, and the render requests of its readers passed on with the platform's token."""

    def __init__(self, page: str, target: str, token: str, *given: Any) -> None:
        self.page, self.target, self.token = page, target, token
        super().__init__(*given)

    def do_GET(self) -> None:
        self.answer(200, "text/html", self.page.encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        # Not by `requests`: its answers are held against the published contract, and the gallery draws more than that.
        got = urllib3.request("POST", self.target, body=body, headers=headers, timeout=30)
        self.answer(got.status, "application/json", got.data)

    def answer(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing: the tests look at the page."""


Serve = Callable[..., str]


@pytest.fixture
def serve(gallery: DevProcess) -> Iterator[Serve]:
    """Serve a page with a component of the gallery; gives its address."""
    at = urlsplit(gallery.url)
    host, token = f"{at.scheme}://{at.netloc}", at.fragment.removeprefix("key=")
    state = requests.get(f"{host}/preview/api/gallery", headers={"Authorization": f"Bearer {token}"}, timeout=30).json()
    space, endpoint = state["space"]["id"], state["integration"]["urls"]["publicEndpoint"]
    servers: list[ThreadingHTTPServer] = []

    def start(component: str, more: str = "") -> str:
        context = json.dumps({"type": "document", "spaceId": space, "editable": False})
        page = PAGE.format(host=host, own=endpoint, component=component, context=context, more=more)
        handler = partial(Platform, page, f"{host}/v1/integrations/gallery/render", token)
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_of_another_origin_shows_a_render_that_can_be_pressed(page: Any, serve: Serve, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    page.goto(serve("everything"))
    press = page.get_by_role("button", name="Press", exact=True)
    press.click()
    expect(page.get_by_text("Pressed 1 times")).to_be_visible()
    press.click()
    expect(page.get_by_text("Pressed 2 times")).to_be_visible()
    expect(press).to_be_focused()
    expect(page.locator("content-kit .ck-component")).to_have_attribute("data-theme", theme)
    # The page's style stays outside, and the element's own one inside.
    assert press.evaluate("node => getComputedStyle(node).color") != "rgb(255, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(136, 136, 136)"
    assert page.evaluate("document.styleSheets.length") == 1
    expect(page.get_by_role("button", name="Block menu")).to_have_count(0)


def test_a_change_of_theme_keeps_the_state(page: Any, serve: Serve) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(serve("everything"))
    page.get_by_role("button", name="Press", exact=True).click()
    expect(page.get_by_text("Pressed 1 times")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    component = page.locator("content-kit .ck-component")
    expect(component).to_have_attribute("data-theme", "dark")
    expect(page.get_by_text("Pressed 1 times")).to_be_visible()
    page.evaluate("document.querySelector('content-kit').setAttribute('theme', 'light')")
    expect(component).to_have_attribute("data-theme", "light")
    expect(page.get_by_text("Pressed 1 times")).to_be_visible()


def test_an_output_that_is_set_before_the_module_is_there_is_shown(looker: Looker, gallery: DevProcess) -> None:
    looker.allowed = ["404"]  # the browser looks for an icon
    page = looker.page
    page.goto(gallery.url.partition("/preview")[0] + "/contentkit/contentkit.css")
    page.evaluate("""async () => {
      const kit = document.createElement("content-kit");
      document.body.append(kit);
      const text = { type: "text", children: ["Early"] };
      kit.output = { state: {}, props: {}, element: { type: "block", children: [text] } };
      await import("/contentkit.js");
    }""")
    expect(page.locator("content-kit").get_by_text("Early")).to_be_visible()


def test_a_dialog_is_drawn_in_the_element_and_hands_back_its_value(page: Any, serve: Serve) -> None:
    page.goto(serve("overlays", 'theme="dark"'))
    page.get_by_role("button", name="Open").click()
    dialog = page.get_by_role("dialog", name="A dialog")
    expect(dialog.get_by_label("Value")).to_be_focused()
    expect(dialog).to_have_attribute("data-theme", "dark")
    dialog.get_by_label("Value").fill("typed")
    for _ in range(10):
        page.keyboard.press("Tab")
        inside = "document.querySelector('content-kit').shadowRoot.activeElement?.closest('dialog') !== null"
        assert page.evaluate(inside)
    dialog.get_by_role("button", name="Done").click()
    expect(page.get_by_text("Returned typed")).to_be_visible()
    expect(page.get_by_role("button", name="Open")).to_be_focused()


def test_an_output_is_shown_without_a_request_and_presses_go_to_a_function(page: Any, serve: Serve) -> None:
    page.goto(serve("everything"))
    expect(page.get_by_text("Pressed 0 times")).to_be_visible()
    page.evaluate("""() => {
      const kit = document.createElement("content-kit");
      const block = (count) => ({
        type: "element", state: { count }, props: {},
        element: { type: "block", children: [
          { type: "button", label: "More", onPress: { action: "more" } },
          { type: "text", children: [`Counted ${count}`] },
        ] },
      });
      window.told = [];
      kit.output = block(5);
      kit.onrender = async ({ state, action }) => action.action === "more" && block(state.count + 1);
      kit.addEventListener("contentkit-render", (event) => window.told.push(event.detail.request.action.action));
      document.body.replaceChildren(kit);
    }""")
    expect(page.get_by_text("Counted 5")).to_be_visible()
    page.get_by_role("button", name="More").click()
    expect(page.get_by_text("Counted 6")).to_be_visible()
    assert page.evaluate("window.told") == ["more"]
    page.evaluate("document.querySelector('content-kit').setAttribute('props', '{')")
    page.evaluate("document.querySelector('content-kit').output = null")
    expect(page.get_by_role("alert")).to_contain_text("the attribute props is not JSON")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: `make npm` installs it where there is an npm")
@pytest.mark.parametrize("component", ["everything", "controls", "overlays"])
def test_what_is_embedded_passes_the_rules_of_axe(page: Any, serve: Serve, component: str) -> None:
    page.goto(serve(component, 'theme="light"'))
    expect(page.locator("content-kit .ck-block")).to_be_visible()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(VIOLATIONS, "content-kit") == []


def test_whoever_loads_the_module_loads_little_and_loads_it_once(page: Any, serve: Serve, gallery: DevProcess) -> None:
    """All that the element needs, compressed as browsers take it, stays below 40 KB."""
    page.goto(serve("everything"))
    expect(page.get_by_text("Pressed 0 times")).to_be_visible()
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => name.includes('/contentkit'))"
    )
    answers = [requests.get(address, timeout=30, stream=True) for address in loaded]
    assert sum(len(answer.raw.read()) for answer in answers) < 40 * 1024
    entry, *files = answers
    assert entry.url.endswith("/contentkit.js")
    assert entry.headers["Cache-Control"] == "public, max-age=300"
    assert len(files) > 10
    for answer in files:
        assert answer.headers["Cache-Control"].endswith("immutable")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_files_are_sent_as_the_asker_takes_them(gallery: DevProcess) -> None:
    address = gallery.url.partition("/preview")[0] + "/contentkit/dom.js"
    answer = requests.get(address, timeout=30)
    assert (answer.headers["Content-Encoding"], answer.headers["Cache-Control"]) == ("gzip", "no-cache")
    again = requests.get(address, headers={"If-None-Match": answer.headers["ETag"]}, timeout=30)
    assert (again.status_code, again.content) == (304, b"")
    plain = requests.get(address, headers={"Accept-Encoding": "identity"}, timeout=30)
    assert "Content-Encoding" not in plain.headers
    assert plain.text == answer.text
    older = requests.get(address.replace("/contentkit/", "/contentkit/0123456789abcdef/"), timeout=30)
    assert (older.text, older.headers["Cache-Control"]) == (answer.text, "no-cache")
    for wrong in ("secret.py", "..%2Fpreview.html", "%2e%2e/preview.py"):
        assert requests.get(address.replace("dom.js", wrong), timeout=30).status_code == 404
