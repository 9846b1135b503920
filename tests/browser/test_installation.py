"""The preview's page about installations: everything is done by hand, and each change is heard of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.conftest import Api
from tests.devkit.dev_process import DevProcess, devkit


def open_page(page: Any, gallery: DevProcess) -> None:
    page.goto(gallery.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Installation").click()
    expect(page.get_by_role("article").first).to_be_visible()
    expect(page.locator("#line")).to_have_text("Live")


@pytest.fixture
def installing(page: Any, gallery: DevProcess) -> Any:
    open_page(page, gallery)
    return page


def card(page: Any, title: str) -> Any:
    return page.get_by_role("article", name=title)


def status(page: Any, title: str, words: str) -> None:
    expect(card(page, title).locator("header .badge")).to_have_text(words)


def heard(page: Any, kind: str) -> None:
    expect(page.locator(".event").filter(has=page.get_by_text(kind, exact=True)).first).to_be_visible()


def test_paused_and_resumed(installing: Any) -> None:
    title = installing.locator("#organization h4").inner_text()
    card(installing, title).get_by_role("button", name="Pause").click()
    status(installing, title, "paused")
    resume = card(installing, title).get_by_role("button", name="Resume")
    expect(resume).to_be_focused()
    resume.click()
    status(installing, title, "active")
    heard(installing, "installation_setup")


def test_what_is_missing_is_reported_and_filled_in(installing: Any) -> None:
    status(installing, "Sample site", "pending")
    site = card(installing, "Sample site")
    expect(site).to_contain_text("Setup is incomplete: Channel is required before it is active.")
    site.get_by_text("Configuration").click()
    site.get_by_label("Channel").fill("news")
    site.get_by_role("button", name="Save", exact=True).click()
    status(installing, "Sample site", "active")
    expect(site).not_to_contain_text("Setup is incomplete")
    expect(site.get_by_label("Channel")).to_have_value("news")


def stored(gallery: DevProcess, more: dict[str, Any] | None = None) -> dict[str, Any]:
    """The configuration on the site; `more` is added to it, as a script does after a sign-in."""
    host, _, key = gallery.url.partition("#key=")
    api = Api(host.partition("/preview/")[0], key)
    state = api.get("/preview/api/gallery").json
    path = f"/v1/integrations/gallery/installations/{state['installation']['id']}/sites/{state['site']['id']}"
    if more is not None:
        api.call("PATCH", path, {"configuration": {**api.get(path).json["configuration"], **more}})
    body: dict[str, Any] = api.get(path).json["configuration"]
    return body


@pytest.mark.parametrize("place", ["installation", "component"])
def test_what_a_script_stored_meanwhile_is_not_lost(installing: Any, gallery: DevProcess, place: str) -> None:
    form = card(installing, "Sample site")
    if place == "component":
        installing.goto(f"{gallery.url}&configuration:site")
        form = installing.locator("#stage")
    else:
        form.get_by_text("Configuration", exact=True).click()
    form.get_by_label("Channel").fill(f"from the {place}")
    stored(gallery, {"token": place})
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_role("status")).to_have_text("Saved")
    configuration = stored(gallery)
    assert (configuration["token"], configuration["channel"]) == (place, f"from the {place}")


def test_a_component_stands_for_a_form(installing: Any) -> None:
    title = installing.locator("#organization h4").inner_text()
    organization = card(installing, title)
    organization.get_by_text("Configuration").click()
    expect(organization.locator(".ck-view > *").first).to_be_visible()


def test_external_ids_are_kept_and_too_many_are_refused(installing: Any, looker: Any) -> None:
    looker.allowed = ["status of 400"]
    space = card(installing, "Sample space")
    space.get_by_text("External ids", exact=True).click()
    names = space.get_by_label("Names that an external service uses for this installation")
    names.fill("one\n\n two \n")
    space.get_by_role("button", name="Save external ids").click()
    expect(installing.locator("#toast")).to_have_text("External ids saved.")
    installing.reload()
    space.get_by_text("External ids", exact=True).click()
    expect(names).to_have_value("one\ntwo")
    names.fill("\n".join("abcdef"))
    space.get_by_role("button", name="Save external ids").click()
    expect(space.get_by_role("alert").first).to_contain_text("externalIds")


def test_the_endpoint_is_copied(installing: Any) -> None:
    installing.context.grant_permissions(["clipboard-read", "clipboard-write"])
    endpoint = card(installing, "Sample space").locator("dd code").inner_text()
    assert "/space-installation/" in endpoint
    installing.get_by_role("button", name="Copy the public endpoint of Sample space").click()
    expect(installing.locator("#toast")).to_have_text("Address copied.")
    assert installing.evaluate("navigator.clipboard.readText()") == endpoint


def test_taken_from_a_space_and_installed_again(installing: Any) -> None:
    group = installing.get_by_role("group", name="Which spaces")
    group.get_by_label("Selected spaces").check()
    expect(installing.locator("#toast")).to_have_text("Installed only on the selected spaces.")
    space = card(installing, "Sample space")
    space.get_by_role("button", name="Uninstall").click()
    dialog = installing.get_by_role("dialog", name="Uninstall it?")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    installing.keyboard.press("Escape")
    status(installing, "Sample space", "active")
    expect(space.get_by_role("button", name="Uninstall")).to_be_focused()
    installing.keyboard.press("Enter")
    dialog.get_by_role("button", name="Uninstall").click()
    status(installing, "Sample space", "not installed")
    heard(installing, "space_installation_deleted")
    expect(space.get_by_text("Public endpoint")).to_have_count(0)
    space.get_by_role("button", name="Install").click()
    status(installing, "Sample space", "active")
    space.get_by_role("button", name="Uninstall").click()
    dialog.get_by_role("button", name="Uninstall").click()
    status(installing, "Sample space", "not installed")
    group.get_by_label("All spaces").check()
    status(installing, "Sample space", "active")


def test_uninstalled_from_the_organization_and_installed_again(installing: Any) -> None:
    title = installing.locator("#organization h4").inner_text()
    card(installing, title).get_by_role("button", name="Uninstall").click()
    dialog = installing.get_by_role("dialog", name="Uninstall it?")
    expect(dialog).to_contain_text("from all spaces and sites")
    dialog.get_by_role("button", name="Uninstall").click()
    status(installing, title, "not installed")
    expect(installing.locator("#spaces")).to_be_hidden()
    heard(installing, "installation_deleted")
    card(installing, title).get_by_role("button", name="Install").click()
    status(installing, title, "active")
    status(installing, "Sample space", "not installed")
    for which in ("spaces", "sites"):
        installing.get_by_role("group", name=f"Which {which}").get_by_label(f"All {which}").check()
    status(installing, "Sample space", "active")
    status(installing, "Sample site", "pending")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: `make npm` installs it where there is an npm")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Any, gallery: DevProcess, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    open_page(page, gallery)
    for summary in page.locator("main summary").all():
        summary.click()
    expect(page.locator("main .ck-view > *").first).to_be_visible()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.evaluate(VIOLATIONS, "html") == []
    card(page, "Sample space").get_by_role("button", name="Uninstall").click()
    expect(page.get_by_role("dialog", name="Uninstall it?")).to_be_visible()
    assert page.evaluate(VIOLATIONS, "html") == []


@pytest.fixture(params=["own", "shared"])
def make_project(request: Any, browser: Any, tmp_path: Path) -> Iterator[Callable[[str], DevProcess]]:
    """Make a project of a template, as an author does, and start it, with each kind of origins."""
    running: list[DevProcess] = []

    def start(template: str) -> DevProcess:
        done = devkit(tmp_path, "new", "my-try", "--template", template)
        assert done.code == 0, done.err
        running.append(DevProcess(tmp_path / "my-try", tmp_path, shared=request.param == "shared"))
        running[-1].wait("ready")
        return running[-1]

    yield start
    for process in running:
        assert process.end() == 0
        assert process.errors == []


def axe(page: Any) -> None:
    if AXE.exists():
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert page.evaluate(VIOLATIONS, "html") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_account_is_connected_offline(
    page: Any, make_project: Callable[[str], DevProcess], looker: Any, scheme: str
) -> None:
    process = make_project("oauth")
    open_page(page, process)
    organization = page.get_by_role("article").first
    organization.get_by_text("Configuration").click()
    with page.context.expect_page() as opening:
        organization.get_by_role("button", name="Connect").click()
    provider = opening.value
    provider.emulate_media(color_scheme=scheme)
    expect(provider.get_by_role("heading", name="Sign in to my-client")).to_be_visible()
    expect(provider.locator("main")).to_contain_text("read:user")
    looker.allowed = ["Applying inline style"]  # axe measures with styles of its own, which the page's policy keeps out
    axe(provider)
    with provider.expect_event("close"):
        provider.get_by_role("link", name="Sign in as Grace Hopper").click()
    heard(page, "installation_setup")
    page.goto(process.url)
    expect(page.locator("#stage")).to_contain_text("Grace Hopper")


@pytest.mark.parametrize("make_project", ["own"], indirect=True)
def test_a_page_chosen_while_the_first_one_loads_is_the_one_that_comes(
    page: Any, make_project: Callable[[str], DevProcess]
) -> None:
    """What draws nothing leads to its events, but nobody who is on the way to another page."""
    process = make_project("visitor-auth")
    held: dict[str, Any] = {}

    def hold(route: Any) -> None:
        """Hold the first request for each; the other page asks for the same."""
        if held.setdefault(urlsplit(route.request.url).path, route) is not route:
            route.continue_()

    for path in ("/preview/api/my-try", "/preview/my-try/site"):
        page.route(f"**{path}", hold)
    page.goto(process.url, wait_until="commit")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Site").click(no_wait_after=True)
    poll(page, lambda: len(held) == 2)
    finished: list[str] = []
    page.on("requestfinished", lambda request: finished.append(urlsplit(request.url).path))
    held["/preview/api/my-try"].continue_()
    poll(page, lambda: "/preview/api/my-try" in finished)
    page.wait_for_timeout(500)  # in which the first page reads the answer
    held["/preview/my-try/site"].continue_()
    expect(page.get_by_role("button", name="Publish")).to_be_visible()


def poll(page: Any, check: Callable[[], bool]) -> None:
    """Wait while the page goes on."""
    for _ in range(600):
        if check():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it never happened")


def test_visitors_sign_in_and_out_offline(page: Any, make_project: Callable[[str], DevProcess], looker: Any) -> None:
    looker.allowed = ["status of 403"]
    process = make_project("visitor-auth")
    page.goto(process.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Site").click()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#site-status")).to_have_text("published")
    page.get_by_label("Visitors who sign in through this integration").check()
    expect(page.locator("#toast")).to_have_text("Visitors must sign in first.")
    with page.context.expect_page() as opening:
        page.get_by_role("link", name="A guide").click()
    visitor = opening.value
    with visitor.expect_navigation():
        visitor.get_by_role("link", name="Deny").click()
    expect(visitor.get_by_text("access_denied")).to_be_visible()
    visitor.go_back()
    visitor.get_by_role("link", name="Sign in as Ada Lovelace").click()
    expect(visitor.get_by_role("heading", name="A guide")).to_be_visible()
    assert re.fullmatch(r"http://(site-[a-z0-9]{20}\.)?localhost:\d+/sites/\w+/guide", visitor.url)
    expect(page.locator("#reader")).to_contain_text("/guide")
    visitor.get_by_role("link", name="Welcome").click()
    expect(visitor.get_by_role("heading", name="Welcome")).to_be_visible()
    visitor.get_by_role("button", name="Sign out").click()
    expect(visitor.get_by_role("heading", name="Sign in to my-client")).to_be_visible()
    key = process.url.partition("#key=")[2]
    api = Api(process.url.partition("/preview/")[0], key)
    kinds = {event["payload"]["type"] for event in api.get("/v1/integrations/my-try/events").json["items"]}
    assert {"fetch_visitor_authentication", "fetch"} <= kinds


def test_on_a_phone_buttons_stay_together_and_the_endpoint_has_the_whole_width(installing: Any) -> None:
    installing.set_viewport_size({"width": 390, "height": 800})
    installing.evaluate("document.getElementById('title').textContent = 'Translations of everything there is'")
    for title in (installing.locator("#organization h4").inner_text(), "Sample site"):
        one = card(installing, title)
        boxes = [one.get_by_role("button", name=name).bounding_box() for name in ("Pause", "Uninstall")]
        assert boxes[0]["y"] == boxes[1]["y"] and boxes[1]["x"] > boxes[0]["x"] + boxes[0]["width"]
        assert one.locator(".copied code").bounding_box()["width"] == one.locator(".copied").bounding_box()["width"]
    middles = []
    for part in ("#title", "#line", ".theme"):
        box = installing.locator(f".top {part}").bounding_box()
        middles.append(box["y"] + box["height"] / 2)
    assert max(middles) - min(middles) < 4
