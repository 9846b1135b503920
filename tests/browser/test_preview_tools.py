"""What the preview offers beside drawing: sending events, pasting links, addresses, and words for what goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.devkit.dev_process import DevProcess

DRAWS = """
name: tools
title: Tools
script: script.py
target: all
scopes: ["space:content:read"]
blocks:
  - id: linked
    title: Linked
    urlUnfurl: [https://tickets.example/**]
  - id: chosen
    title: Chosen
"""
SCRIPT = """
from runtime.sdk import Integration, Response, ui

integration = Integration()
CODE = "# A comment\\ndef shown(word):\\n    return {\'count\': 10, \'word\': word}\\n"


@integration.component("linked")
def linked(element):
    return ui.block(ui.text(f"Shows {element.props.get('url', 'nothing yet')}"), ui.codeblock(CODE, syntax="python"))


@linked.action("@link.unfurl")
def unfurl(element, action):
    element.props["url"] = action["url"]


@integration.component("chosen")
def chosen(element, context):
    endpoint = context.environment["installation"]["urls"]["publicEndpoint"]
    return ui.block(
        ui.select("plain", options=[{"id": "a", "label": "Apple"}, {"id": "b", "label": "Banana"}]),
        ui.select("far", options={"url": f"{endpoint}/list"}, placeholder="Far"),
        ui.select("sorry", options={"url": f"{endpoint}/sorry"}, placeholder="Sorry"),
    )


@integration.fetch("GET", "/list")
def listing():
    return Response.json([{"id": "one", "label": "One"}, {"id": "two", "label": "Two", "icon": {"source": {}}}])


@integration.fetch("GET", "/sorry")
def sorry():
    return Response.json({"error": "Connect your account first."}, status=401)


@integration.on("space_content_updated")
def updated(event, context):
    context.log.info("revision %s", event["revisionId"])
"""
HEARS = """
name: hears
title: Hears
script: script.py
target: all
scopes: []
"""
OVERLAPS = """() => {
  const labels = [...document.querySelectorAll("#detail .waterfall-axis span")];
  const boxes = labels.map((one) => one.getBoundingClientRect()).filter((box) => box.width);
  return boxes.some((box, index) => index && box.left < boxes[index - 1].right);
}"""


def written(folder: Path, manifest: str, script: str) -> DevProcess:
    folder.mkdir(parents=True)
    (folder / "integration.yaml").write_text(manifest)
    (folder / "script.py").write_text(script)
    process = DevProcess(folder, folder.parent)
    process.wait("ready")
    return process


@pytest.fixture(scope="module")
def tools(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevProcess]:
    process = written(tmp_path_factory.mktemp("tools") / "tools", DRAWS, SCRIPT)
    yield process
    assert process.end() == 0


def test_an_event_of_any_type_is_sent_from_the_page(page: Any, tools: DevProcess) -> None:
    page.goto(tools.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Events").click()
    page.get_by_role("button", name="Send event").click()
    dialog = page.get_by_role("dialog", name="Send event")
    expect(dialog.get_by_label("Payload")).to_have_value(re.compile('"type": "space_content_updated"'))
    dialog.get_by_label("Payload").fill('{"type": "space_content_updated", "spaceId": "*", "revisionId": "by-hand"}')
    dialog.get_by_role("button", name="Send", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#detail .logs")).to_contain_text("revision by-hand")
    page.get_by_role("button", name="Send event").click()
    dialog.get_by_label("Type").select_option("fetch")
    expect(dialog.get_by_label("Body of the request")).to_be_visible()
    dialog.get_by_label("Payload").fill(
        '{"type": "fetch", "request": {"method": "get", "url": "/list", "headers": {}}}'
    )
    dialog.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("#detail pre[aria-label='Body of the answer']")).to_contain_text("One")


def test_a_link_is_pasted_into_a_block_that_takes_links(page: Any, looker: Any, tools: DevProcess) -> None:
    looker.allowed = ["status of 401"]  # a list of the other block refuses
    page.goto(tools.url)
    expect(page.locator("#stage")).to_contain_text("Shows nothing yet")
    page.get_by_role("button", name="Paste link").click()
    dialog = page.get_by_role("dialog", name="Paste link")
    expect(dialog.get_by_label("Address")).to_have_value("https://tickets.example/example")
    expect(dialog).to_contain_text("https://tickets.example/**")
    dialog.get_by_label("Address").fill("https://tickets.example/42")
    dialog.get_by_role("button", name="Paste", exact=True).click()
    expect(page.locator("#stage")).to_contain_text("Shows https://tickets.example/42")
    expect(page.locator("#props")).to_have_value(re.compile("https://tickets.example/42"))
    page.get_by_role("link", name="Chosen").click()
    expect(page.locator("#stage-title")).to_have_text("Chosen")
    expect(page.get_by_role("button", name="Paste link")).to_be_hidden()


def test_options_without_a_picture_ask_for_none_and_a_script_says_what_is_wrong(
    page: Any, looker: Any, tools: DevProcess
) -> None:
    looker.allowed = ["status of 401"]  # the list that refuses
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{tools.url.split('#')[0]}#{tools.url.split('#')[1]}&block:chosen")
    far = page.get_by_role("combobox", name="Far")
    far.click()
    expect(page.get_by_role("option", name="Two")).to_be_visible()
    expect(page.locator("#stage").get_by_role("status").filter(has_text="Connect")).to_have_text(
        "Connect your account first."
    )
    assert page.locator("#stage img").count() == 0
    assert not [address for address in asked if "undefined" in address]


def test_code_is_in_color_and_reads_as_it_was(page: Any, tools: DevProcess) -> None:
    page.goto(tools.url)
    code = page.locator("#stage .ck-code")
    expect(code.locator("[data-token=comment]")).to_have_text("# A comment")
    assert code.locator("[data-token=word]").all_inner_texts() == ["def", "return"]
    assert code.locator("[data-token=number]").all_inner_texts() == ["10"]
    assert code.locator("[data-token=text]").all_inner_texts() == ["'count'", "'word'"]
    assert code.inner_text().rstrip() == "# A comment\ndef shown(word):\n    return {'count': 10, 'word': word}"


@pytest.mark.parametrize(
    ("syntax", "text", "colored"),
    [
        ("json", '{"a": [1, "b"], "c": null}', 'name:"a" number:1 text:"b" name:"c" word:null'),
        ("ts", "const a = `x` // y\n/* z */", "word:const text:`x` comment:// y comment:/* z */"),
        ("yaml", "key: 'v' # c", "name:key text:'v' comment:# c"),
        ("html", '<a href="/x">y</a>', 'word:<a text:"/x" word:> word:</a word:>'),
        ("sql", "SELECT 1 FROM t -- c", "word:SELECT number:1 word:FROM comment:-- c"),
        ("bash", "if true; then echo https://x.example # c", "word:if word:then word:echo comment:# c"),
        ("nobody-knows", "if 1", ""),
        ("python", "a" * 100_000, ""),
        ("yaml", "a" * 90_000, ""),
        ("json", '"' * 60_000, None),
    ],
)
def test_words_of_a_language_are_told(
    page: Any, tools: DevProcess, syntax: str, text: str, colored: str | None
) -> None:
    page.goto(tools.url)
    parts = page.evaluate(
        "async ([text, syntax]) => (await import('/contentkit/highlight.js')).tokens(text, syntax)", [text, syntax]
    )
    assert "".join(part for _, part in parts) == text
    if colored is not None:
        assert " ".join(f"{kind}:{part}" for kind, part in parts if kind) == colored


def test_an_integration_that_draws_nothing_opens_on_its_events(page: Any, tmp_path: Path, browser: Any) -> None:
    process = written(tmp_path / "hears", HEARS, "from runtime.sdk import Integration\n\nintegration = Integration()\n")
    try:
        page.goto(process.url)
        page.wait_for_url("**/preview/hears/events")
        expect(page.locator(".event").first).to_be_visible()
        links = page.get_by_role("navigation", name="Pages").get_by_role("link")
        assert links.all_inner_texts() == ["Events", "Site", "Installation"]
    finally:
        assert process.end() == 0


def test_addresses_for_requests_are_on_the_page_and_in_the_terminal(page: Any, tools: DevProcess) -> None:
    shown = tools.wait("endpoints")["urls"]
    assert [requests.get(f"{address}/list", timeout=20).json()[0]["id"] for address in shown] == ["one", "one"]
    page.goto(tools.url.replace("/preview/tools#", "/preview/tools/events#"))
    page.get_by_text("Addresses for incoming requests").click()
    listed = page.locator("#endpoints code").all_inner_texts()
    assert listed[:2] == shown
    assert [one for one in listed[2:] if "space-installation" in one or "site-installation" in one] == listed[2:] != []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", "/events", "/site", "/installation"])
def test_on_a_telephone_nothing_leaves_the_page_and_no_label_covers_another(
    page: Any, looker: Any, tools: DevProcess, place: str, theme: str
) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(tools.url.replace("/preview/tools#", f"/preview/tools{place}#"))
    expect(page.locator("#line")).to_have_attribute("data-state", "live")
    for name in ("Events", "Site", "Installation"):
        link = page.get_by_role("navigation", name="Pages").get_by_role("link", name=name)
        box = link.bounding_box()
        assert 0 <= box["x"] <= 390 - box["width"], name
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if place in ("", "/events"):
        expect(page.locator("#detail .waterfall")).to_be_visible()
        assert not page.evaluate(OVERLAPS)
    if AXE.exists():
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert page.evaluate(VIOLATIONS, "html") == []


def test_links_and_tabs_stay_where_they_are_when_one_is_chosen(page: Any, tools: DevProcess) -> None:
    def places(selector: str) -> list[float]:
        return [one.bounding_box()["x"] for one in page.locator(selector).all()]

    found = []
    for place in ("", "/events", "/site", "/installation"):
        page.goto(tools.url.replace("/preview/tools#", f"/preview/tools{place}#"))
        expect(page.locator("#title")).to_have_text("Tools")
        expect(page.locator("#version")).to_have_text("v1")
        found.append(places("#pages a"))
    assert found == found[:1] * 4
    page.goto(tools.url)
    expect(page.locator("#history-count")).to_have_text("1")
    tabs, found = page.get_by_role("tab"), []
    for tab in tabs.all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        found.append(places("[role=tab]"))
    assert found == found[:1] * 3


def test_the_toolbar_of_the_events_is_one_line(page: Any, tools: DevProcess) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(tools.url.replace("/preview/tools#", "/preview/tools/events#"))
    expect(page.locator("#detail .waterfall")).to_be_visible()
    boxes = [one.bounding_box() for one in page.locator(".log-filters > *").all()]
    assert max(box["y"] for box in boxes) < min(box["y"] + box["height"] for box in boxes)


def test_the_policy_of_the_site_is_folded_away(page: Any, tools: DevProcess) -> None:
    page.goto(tools.url.replace("/preview/tools#", "/preview/tools/site#"))
    expect(page.locator("#policy dt").first).to_be_hidden()
    page.get_by_text("Content security policy of its pages").click()
    expect(page.locator("#policy dt").first).to_have_text("default-src")


@pytest.mark.parametrize("target", ["space", "organization"])
def test_the_site_page_of_an_integration_for_no_site_leads_to_what_can_be_previewed(
    page: Any, tmp_path: Path, target: str
) -> None:
    process = written(tmp_path / target, DRAWS.replace("target: all", f"target: {target}"), SCRIPT)
    try:
        page.goto(process.url.replace("/preview/tools#", "/preview/tools/site#"))
        sorry = page.get_by_role("alert").filter(has_text=f"for {target}s (its manifest says target: {target})")
        expect(sorry.get_by_role("link")).to_have_text(
            ["Its blocks and screens", "Its events, and sending events to it", "Where it is installed"]
        )
        if target == "space":
            sorry.get_by_role("link", name="Its blocks and screens").click()
            expect(page.locator("#stage-title")).to_have_text("Linked")
    finally:
        process.end()
