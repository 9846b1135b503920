"""A site is built, sorted, published and shared by hand, on the pages of its organization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from runtime.contract.identifiers import new_id
from tests.browser.admin_sign_in import sign_in
from tests.conftest import Api, HostProcess, Tenant, tenant
from tests.scenarios.people import person, team


@pytest.fixture
def owner(host: HostProcess) -> Tenant:
    made = tenant(host, "Publishers", f"{new_id()}@example.com")
    for title in ("Guide", "Reference", "Blog"):
        assert made.api.post(f"/v1/orgs/{made.id}/spaces", {"title": title}).status == 201
    return made


@pytest.fixture(params=[False, True], ids=["without scripts", "with scripts"])
def page(request: pytest.FixtureRequest, browser: Any, host: HostProcess, owner: Tenant) -> Iterator[Any]:
    context = browser.new_context(base_url=host.url, java_script_enabled=request.param)
    page = context.new_page()
    page.set_default_timeout(30_000)
    sign_in(page, owner)
    yield page
    context.close()


def press(page: Any, name: str) -> None:
    """Press a button by keyboard."""
    page.get_by_role("button", name=name, exact=True).press("Enter")


def titles(page: Any, kind: str = "site-section") -> list[str]:
    """Give the titles of the sections in their order."""
    rows = page.locator(f'#tree li[data-kind="{kind}"] > .part bdi')
    return [text.strip() for text in rows.all_inner_texts()]


def build(page: Any, owner: Tenant) -> str:
    """Make a site with two sections; gives its id."""
    page.goto(f"/app/orgs/{owner.id}/sites")
    page.get_by_label("Title").fill("Manual")
    page.get_by_label("Who may read it").select_option("share-link")
    page.get_by_label("First space").select_option("Guide")
    press(page, "Create site")
    expect(page.get_by_role("heading", name="Manual", level=1)).to_be_visible()
    page.get_by_label("Title").first.fill("All the details")
    page.get_by_label("Its first space").select_option("Reference")
    press(page, "Add section")
    expect(page.locator("#tree")).to_contain_text("All the details")
    return str(page.url.split("/sites/")[1].split("#")[0])


def test_a_site_with_two_sections_and_a_share_link_is_found(page: Any, owner: Tenant, host: HostProcess) -> None:
    site = build(page, owner)
    assert titles(page) == ["Manual", "All the details"]
    press(page, "Move All the details up")
    expect(page.get_by_role("button", name="Move All the details down")).to_be_visible()
    assert titles(page) == ["All the details", "Manual"]
    press(page, "Make default: All the details")
    expect(page.get_by_role("button", name="Make default: Manual")).to_be_visible()
    press(page, "Publish")
    expect(page.get_by_text("Published at")).to_be_visible()
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Share links").click()
    page.get_by_label("Name of a new link").fill("Friends")
    press(page, "Create share link")
    address = page.get_by_label("Address of Friends", exact=True).input_value()
    resolved = Api(host.url, None)
    found = resolved.post("/v1/urls/published", {"url": f"{address}manual"})
    assert found.status == 200, found.text
    structure = owner.api.get(f"/v1/orgs/{owner.id}/sites/{site}/structure").json["structure"]
    assert found.json["site"] == site
    assert [part["title"] for part in structure if part["id"] == found.json["siteSection"]] == ["Manual"]
    first = resolved.post("/v1/urls/published", {"url": address}).json
    assert [part["title"] for part in structure if part["id"] == first["siteSection"]] == ["All the details"]
    press(page, "Switch off Friends")
    expect(page.get_by_text("Switched off")).to_be_visible()
    assert resolved.post("/v1/urls/published", {"url": address}).status == 404
    press(page, "Switch on Friends")
    expect(page.get_by_text("Switched off")).to_have_count(0)
    assert resolved.post("/v1/urls/published", {"url": address}).status == 200
    page.get_by_role("link", name="Revoke Friends").click()
    press(page, "Revoke")
    expect(page.get_by_text("There are no share links yet.")).to_be_visible()
    assert resolved.post("/v1/urls/published", {"url": address}).status == 404


def test_the_keyboard_stays_with_what_moves(page: Any, owner: Tenant) -> None:
    build(page, owner)
    press(page, "Move All the details up")
    expect(page.get_by_role("button", name="Move All the details down")).to_be_focused()
    press(page, "Move All the details down")
    expect(page.get_by_role("button", name="Move All the details up")).to_be_focused()
    press(page, "Make default: All the details")
    expect(page.get_by_role("link", name="Edit All the details")).to_be_focused()
    press(page, "Publish")
    expect(page.get_by_role("button", name="Unpublish")).to_be_focused()
    spaces = owner.api.get(f"/v1/orgs/{owner.id}/spaces").json["items"]
    (blog,) = [one["id"] for one in spaces if one["title"] == "Blog"]
    page.goto(f"/app/spaces/{blog}")
    press(page, "Move up")
    expect(page.get_by_text("It is number 2 of 3 here.")).to_be_visible()
    expect(page.get_by_role("button", name="Move up")).to_be_focused()
    press(page, "Move up")
    expect(page.get_by_role("button", name="Move down")).to_be_focused()


def test_the_keyboard_stays_with_who_gets_another_role(page: Any, owner: Tenant, host: HostProcess) -> None:
    member = person(host, owner)
    page.goto(f"/app/orgs/{owner.id}/members")
    page.get_by_label("Role of Reader", exact=True).select_option("edit")
    press(page, "Change the role of Reader")
    expect(page.get_by_label("Role of Reader", exact=True)).to_have_value("edit")
    expect(page.get_by_role("button", name="Change the role of Reader")).to_be_focused()
    page.goto(f"/app/orgs/{owner.id}/teams/{team(owner, member)}")
    page.get_by_label("What Reader is in the team", exact=True).select_option("owner")
    press(page, "Change what Reader is in the team")
    expect(page.get_by_label("What Reader is in the team", exact=True)).to_have_value("owner")
    expect(page.get_by_role("button", name="Change what Reader is in the team")).to_be_focused()
    space = owner.api.get(f"/v1/orgs/{owner.id}/spaces").json["items"][0]["id"]
    owner.api.post(f"/v1/spaces/{space}/permissions", {"users": [member.id], "role": "read"})
    page.goto(f"/app/spaces/{space}/access")
    page.get_by_label("Level of Reader", exact=True).select_option("edit")
    press(page, "Change the level of Reader")
    expect(page.get_by_label("Level of Reader", exact=True)).to_have_value("edit")
    expect(page.get_by_role("button", name="Change the level of Reader")).to_be_focused()


def test_the_content_is_reached_past_the_menu(page: Any, owner: Tenant) -> None:
    page.goto(f"/app/orgs/{owner.id}/sites")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.set_viewport_size({"width": 390, "height": 800})
    place = page.get_by_role("banner").get_by_role("link", name="Publishers")
    box = place.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    place.click()
    expect(page.get_by_role("heading", name="Publishers", level=1)).to_be_visible()


def test_parts_are_renamed_grouped_and_removed(page: Any, owner: Tenant) -> None:
    build(page, owner)
    page.get_by_label("Title").last.fill("More")
    press(page, "Add group")
    page.get_by_role("link", name="Edit All the details").click()
    page.get_by_label("Title").fill("Details")
    page.get_by_label("Path").fill("not/a path")
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text("Path: must be letters")
    expect(page.get_by_label("Title")).to_have_value("Details")
    page.get_by_label("Path").fill("details")
    page.get_by_label("Who sees it").fill('visitor.claims.plan == "pro"')
    press(page, "Save")
    expect(page.locator("#tree")).to_contain_text("Conditional")
    page.get_by_role("link", name="Edit Details").click()
    page.get_by_label("Group").select_option("More")
    press(page, "Move there")
    expect(page.locator('li[data-kind="site-section-group"] li[data-kind="site-section"]')).to_contain_text("Details")
    page.get_by_role("link", name="Edit Details").click()
    page.get_by_label("Add a space to this section").select_option("Blog")
    press(page, "Add space")
    expect(page.get_by_role("button", name="Make default: Blog")).to_be_visible()
    press(page, "Make default: Blog")
    expect(page.get_by_role("button", name="Make default: Reference")).to_be_visible()
    for there in ("Manual", "Details"):
        page.get_by_role("link", name="Edit Reference").click()
        page.get_by_label("Section", exact=True).select_option(there)
        press(page, "Move to that section")
        section = page.locator('li[data-kind="site-section"]').filter(has_text=there)
        expect(section.locator('li[data-kind="site-space"]').last).to_contain_text("Reference")
    page.get_by_role("link", name="Edit Blog").click()
    page.get_by_role("link", name="Remove from the site").click()
    press(page, "Remove")
    expect(page.locator("#tree")).not_to_contain_text("Blog")
    page.get_by_role("link", name="Edit Guide").click()
    page.get_by_role("link", name="Remove from the site").click()
    press(page, "Remove")
    expect(page.get_by_role("alert")).to_be_visible()  # the last space of a section stays
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Manual").first.click()
    page.get_by_role("link", name="Edit More").click()
    page.get_by_role("link", name="Remove from the site").click()
    press(page, "Remove")
    expect(page.locator("#tree")).not_to_contain_text("More")
    assert titles(page) == ["Manual", "Details"]


def test_settings_redirects_and_the_end_of_a_site(page: Any, owner: Tenant) -> None:
    site = build(page, owner)
    at = f"/v1/orgs/{owner.id}/sites/{site}"
    menu = page.get_by_role("navigation", name="Site")
    menu.get_by_role("link", name="Settings").click()
    page.get_by_label("Title").fill("<b>Manual</b>")
    page.get_by_label("Also reached at").fill("nonsense")
    press(page, "Save")
    expect(page.get_by_role("alert")).to_contain_text("Also reached at: must be")
    expect(page.get_by_label("Title")).to_have_value("<b>Manual</b>")
    page.get_by_label("Also reached at").fill(f"{site.lower()}.example.com/docs")
    page.get_by_label("Basename").fill("manual")
    page.get_by_label("Adaptive content").check()
    page.get_by_label("Who signs visitors in").select_option("A service of yours")
    press(page, "Save")
    expect(page.get_by_text("Saved.")).to_be_visible()
    stored = owner.api.get(at).json
    assert stored["proxy"]["origin"] == f"{site.lower()}.example.com/docs"
    shown = (stored["title"], stored["basename"], stored["adaptiveContent"]["enabled"])
    assert shown == ("<b>Manual</b>", "manual", True)
    assert stored["visitorAuth"] == {"backend": "custom"}
    page.get_by_label("Also reached at").fill("")
    page.get_by_label("Who signs visitors in").select_option("Nobody")
    press(page, "Save")
    expect(page.get_by_label("Also reached at")).to_have_value("")
    assert not {"proxy", "visitorAuth"} & owner.api.get(at).json.keys()

    menu.get_by_role("link", name="Redirects").click()
    page.get_by_label("Path").fill("old")
    press(page, "Create redirect")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Path")).to_have_value("old")
    page.get_by_label("Path").fill("/old")
    page.get_by_label("Leads to").select_option("Section: All the details")
    press(page, "Create redirect")
    expect(page.get_by_role("listitem").filter(has_text="/old")).to_contain_text("All the details")
    page.get_by_role("link", name="Remove /old").click()
    press(page, "Remove")
    expect(page.get_by_text("There are no redirects yet.")).to_be_visible()

    menu.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Delete this site").click()
    press(page, "Delete")
    expect(page.get_by_text("There are no sites yet.")).to_be_visible()
    assert owner.api.get(at).status == 404


def test_nobody_reaches_into_another_organization(page: Any, owner: Tenant, host: HostProcess) -> None:
    site = build(page, owner)
    code = page.locator("#tree").get_attribute("data-csrf")
    other = tenant(host, "Others", f"{new_id()}@example.com")
    theirs = other.api.post(f"/v1/orgs/{other.id}/sites", {"title": "Theirs", "spaces": "empty"}).json["id"]
    asked, mine = page.context.request, f"/app/orgs/{owner.id}/sites/{site}"
    for at in (f"/app/orgs/{other.id}/sites/{theirs}", f"/app/orgs/{owner.id}/sites/{theirs}"):
        assert asked.get(at).status == 404
        assert asked.get(f"{at}/settings").status == 404
        for path in ("publishing", "settings", "share-links", "redirects"):
            form = {"csrf": code, "visibility": "public", "title": "Taken", "name": "Link", "source": "/a"}
            assert asked.post(f"{at}/{path}", form=form).status == 404, path
        asked.post(f"{at}/delete", form={"csrf": code})  # deleting what is not there is no error
    kind = {"csrf": code, "kind": "site-section", "anchor-kind": "site-section"}
    for wish in ("move", "default", "add-section", "add-space", "nonsense"):
        assert asked.post(f"{mine}/structure", form={**kind, "do": wish, "id": new_id()}).status in (400, 404), wish
    assert other.api.get(f"/v1/orgs/{other.id}/sites/{theirs}").json["published"] is False


@pytest.mark.parametrize("page", [True], ids=["with scripts"], indirect=True)
def test_sections_are_dragged(page: Any, owner: Tenant) -> None:
    build(page, owner)
    section = page.locator('li[data-kind="site-section"]')
    moved, there = section.nth(1).locator("> .part .part-kind"), section.nth(0).locator("> .part")
    moved.drag_to(there, target_position={"x": 30, "y": 2})
    expect(section.nth(0)).to_contain_text("All the details")
    assert titles(page) == ["All the details", "Manual"]


def test_required_fields_say_so_and_checkboxes_stand_beside_their_first_line(page: Any, owner: Tenant) -> None:
    site = build(page, owner)
    page.goto(f"/app/orgs/{owner.id}/sites/{site}/settings")
    said = "one => getComputedStyle(one, '::after').content"
    assert "(required)" in page.locator("label[for=title]").evaluate(said)
    assert "(required)" not in page.locator("label[for=basename]").evaluate(said)
    box, label = (page.locator(f"{one}").bounding_box() for one in ("#adaptive", "label[for=adaptive]"))
    assert abs(box["y"] + box["height"] / 2 - label["y"] - label["height"] / 2) < 3
