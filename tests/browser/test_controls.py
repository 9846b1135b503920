"""Controls write the state; frames and remote lists talk with the integration."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import frames
from tests.browser.screens import show
from tests.conftest import Api
from tests.devkit.dev_process import DevProcess


def state(page: Any) -> Any:
    return json.loads(page.locator("#state").input_value())


@pytest.fixture
def stage(page: Any, gallery: DevProcess) -> Any:
    show(page, gallery, "block:controls")
    expect(page.locator("#stage").get_by_label("Name")).to_have_value("Ada")
    return page.locator("#stage")


def test_each_control_writes_its_key(page: Any, stage: Any) -> None:
    stage.get_by_label("Name").fill("Grace")
    stage.get_by_label("Secret").fill("hush")
    stage.get_by_label("Story").fill("two\nlines")
    stage.get_by_label("three").check()
    stage.get_by_label("Free").fill("unknown")
    stage.get_by_label("Free").press("Tab")
    stage.get_by_label("Notify").uncheck()
    stage.get_by_label("Apples").check()
    stage.get_by_label("Pears").check()
    stage.get_by_label("Apples").uncheck()
    stage.get_by_label("Small").check()
    stage.get_by_label("Large").check()
    expect(stage.get_by_label("Small")).not_to_be_checked()
    expect(stage.get_by_label("Secret")).to_have_attribute("type", "password")
    expect(stage.get_by_label("Mail")).to_be_disabled()
    current = state(page)
    assert current["name"] == "Grace"
    assert current["secret"] == "hush"
    assert current["story"] == "two\nlines"
    assert current["several"] == ["two", "three"]
    assert current["free"] == "unknown"
    assert current["notify"] is False
    assert current["picked"] == ["pears"]
    assert current["size"] == "l"
    assert current["told"] == 0, "controls alone do not call the script"


def test_actions_carry_bound_values(page: Any, stage: Any) -> None:
    stage.get_by_label("Kind").select_option("g")
    expect(stage.get_by_text("Told 1 times: g ['Ada']")).to_be_visible()
    stage.get_by_label("Name").fill("Grace")
    stage.get_by_role("button", name="Tell").click()
    expect(stage.get_by_text("Told 2 times: g ['Grace']")).to_be_visible()


def test_a_switch_with_a_question_turns_only_when_answered(page: Any, stage: Any) -> None:
    switch = stage.get_by_label("Dangerous")
    switch.click()
    page.get_by_role("dialog", name="Really?").get_by_role("button", name="Cancel").click()
    expect(switch).not_to_be_checked()
    switch.click()
    page.get_by_role("dialog", name="Really?").get_by_role("button", name="Yes").click()
    expect(switch).to_be_checked()
    assert state(page)["danger"] is True


def test_an_editable_code_block_reports_once_typing_pauses(page: Any, stage: Any) -> None:
    editor = stage.get_by_label("Program")
    editor.focus()
    page.keyboard.press("End")
    page.keyboard.type(" + 1")
    expect(stage.get_by_text("Told 1 times")).to_be_visible()
    page.keyboard.type(" + 2")
    expect(stage.get_by_text("Told 2 times")).to_be_visible()
    expect(stage.get_by_label("Program")).to_have_value("x = 1 + 1 + 2")


def test_a_remote_list_is_searched_paged_and_follows_its_bindings(page: Any, stage: Any) -> None:
    field = stage.get_by_role("combobox", name="Fruit")
    field.click()
    options = page.locator(f"#{field.get_attribute('aria-controls')}").get_by_role("option")
    expect(options).to_have_text(["Apple", "Banana", "Cherry", "More …"])
    options.last.click()
    expect(options).to_have_text(["Apple", "Banana", "Cherry", "Damson", "Elderberry", "Fig", "More …"])
    page.keyboard.type("rr")
    expect(options).to_have_text(["Cherry", "Elderberry"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Elderberry")
    assert state(page)["fruit"] == "elderberry"
    stage.get_by_label("Kind").select_option("r")
    expect(stage.get_by_text("Told 1 times")).to_be_visible()
    field.click()
    fresh = page.locator(f"#{field.get_attribute('aria-controls')}").get_by_role("option")
    expect(fresh.filter(has_text="Kind r")).to_be_visible()
    page.keyboard.press("Escape")
    expect(field).to_have_value("Elderberry")
    expect(field).to_have_attribute("aria-expanded", "false")


def test_a_remote_list_that_is_reached_by_keyboard_keeps_the_first_letter(page: Any, stage: Any) -> None:
    field = stage.get_by_role("combobox", name="Fruit")
    field.focus()
    page.keyboard.type("err")
    expect(field).to_have_value("err")


def test_a_remote_list_of_several_takes_typed_words_too(page: Any, stage: Any) -> None:
    field = stage.get_by_role("combobox", name="Basket")
    field.click()
    options = page.locator(f"#{field.get_attribute('aria-controls')}").get_by_role("option")
    options.filter(has_text="Banana").click()
    expect(stage.get_by_role("button", name="Remove Banana")).to_be_visible()
    page.keyboard.type("kiwi")
    expect(stage.get_by_text("Nothing found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(stage.get_by_role("button", name="Remove kiwi")).to_be_visible()
    assert state(page)["basket"] == ["banana", "kiwi"]
    stage.get_by_role("button", name="Remove Banana").click()
    assert state(page)["basket"] == ["kiwi"]


def test_a_frame_hears_and_speaks_and_is_never_reloaded(page: Any, gallery: DevProcess) -> None:
    frames.hears_and_speaks_and_is_never_reloaded(page, gallery)


def test_a_frame_cannot_reach_the_page(page: Any, gallery: DevProcess) -> None:
    frames.cannot_reach_the_page(page, gallery)


def test_a_frame_goes_to_another_page_when_its_source_changes(page: Any, gallery: DevProcess) -> None:
    show(page, gallery, "block:frames")
    frame = page.frame_locator(".ck-frame")
    expect(frame.locator("#word")).to_contain_text("first")
    born = frame.locator("#born").inner_text()
    page.get_by_label("Props", exact=True).fill('{"page": "2"}')
    expect(page.locator(".ck-frame")).to_have_attribute("src", re.compile("/frame2$"))
    expect(frame.locator("#born")).not_to_have_text(born)
    # What was typed before the new page was ready reaches it once it is.
    expect(frame.locator("#word")).to_have_text('{"word":"first","fixed":"same"}')


def test_a_choice_among_openapi_specifications(page: Any, stage: Any, gallery: DevProcess) -> None:
    expect(stage.get_by_label("Specification").locator("option")).to_have_text(["No OpenAPI specifications"])
    host, _, key = gallery.url.partition("#key=")
    api = Api("/".join(host.split("/")[:3]), key.partition("&")[0])
    organization = api.get("/v1/orgs").json["items"][0]["id"]
    specs = f"/v1/orgs/{organization}/openapi"
    for slug in ("petstore", "museum"):
        assert api.call("PUT", f"{specs}/{slug}", {"source": {"text": "openapi: 3.1.0"}}).status == 201
    page.reload()
    field = stage.get_by_label("Specification")
    expect(field.locator("option")).to_have_text(["Select …", "museum", "petstore"])
    field.select_option("museum")
    expect(stage.get_by_text("Told 1 times")).to_be_visible()
    assert state(page)["spec"] == "museum"
    expect(stage.get_by_label("Specification")).to_have_value("museum")
    for slug in ("petstore", "museum"):
        assert api.call("DELETE", f"{specs}/{slug}").status == 205


def test_a_known_list_of_several_is_searched_and_takes_typed_words(page: Any, stage: Any) -> None:
    field = stage.get_by_role("combobox", name="Tags")
    field.click()
    options = page.locator(f"#{field.get_attribute('aria-controls')}").get_by_role("option")
    expect(options).to_have_text(["urgent", "later"])
    page.keyboard.type("lat")
    expect(options).to_have_text(["later"])
    options.first.click()
    page.keyboard.type("mine")
    expect(stage.get_by_text("Nothing found")).to_be_visible()
    page.keyboard.press("Enter")
    expect(stage.get_by_role("button", name="Remove mine")).to_be_visible()
    assert state(page)["tags"] == ["later", "mine"]
