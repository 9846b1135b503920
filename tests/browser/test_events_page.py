"""The events page: filtered, drawn on a time axis, sent again, kept as a scenario that `devkit play` sends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from playwright.sync_api import expect

from devkit.events import payloads, scenarios
from tests.conftest import wait_for
from tests.devkit.dev_process import DevProcess, devkit


@pytest.fixture
def events_project(page: Any, gallery: DevProcess, tmp_path: Path) -> DevProcess:
    """The gallery, which got one request a moment ago, on its events page."""
    sent = devkit(tmp_path, "trigger", "fetch", "--method", "POST", "--path", "/echo", folder=gallery.folder)
    assert sent.code == 0, sent.err
    page.goto(gallery.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Events").click()
    expect(page.locator("#count")).not_to_be_empty()
    expect(fetches(page).first).to_be_visible()
    return gallery


def fetches(page: Any) -> Any:
    return page.locator(".event", has_text="fetch")


def shown(page: Any) -> list[str]:
    return list(page.locator("#events li:not([hidden]) .event-type").all_inner_texts())


def test_events_are_filtered(page: Any, events_project: DevProcess) -> None:
    everything = shown(page)
    assert {"fetch", "installation_setup"} <= set(everything)
    page.get_by_label("Type", exact=True).select_option("fetch")
    assert set(shown(page)) == {"fetch"}
    page.get_by_label("Type", exact=True).select_option("")
    page.get_by_label("Text", exact=True).fill("devkit/")
    assert set(shown(page)) == {"fetch"}
    page.get_by_label("Text", exact=True).fill("")
    page.get_by_label("Since", exact=True).select_option("86400")
    assert shown(page) == everything
    installations = page.get_by_label("Installation", exact=True).locator("option").all_inner_texts()
    assert len(installations) == 2
    page.get_by_label("Installation", exact=True).select_option(index=1)
    assert "installation_setup" in shown(page)
    page.get_by_label("Status", exact=True).select_option("failed")
    failed = shown(page)
    page.get_by_label("Status", exact=True).select_option("success")
    assert not set(failed) & {"installation_setup"}
    assert len(shown(page)) + len(failed) <= len(everything)


def test_an_event_says_what_it_was_and_how_it_ended(page: Any, events_project: DevProcess, tmp_path: Path) -> None:
    folder = events_project.folder
    sent = devkit(tmp_path, "trigger", "fetch", "--method", "POST", "--path", "/nothing-here", folder=folder)
    assert "the script answered 404" in sent.err
    missing = fetches(page).filter(has_text="POST /nothing-here").first
    expect(missing).to_contain_text("not found (404)")
    expect(missing.locator(".event-id")).to_have_text(re.compile(r"[0-9A-Za-z]{20}"))
    missing.click()
    answer = page.locator("#detail section", has=page.get_by_role("heading", name="Answer", exact=True))
    expect(answer).to_contain_text("404")
    expect(answer.get_by_label("Body of the answer")).to_contain_text("No handler for POST /nothing-here")
    page.get_by_label("Status", exact=True).select_option("quiet")
    quiet = page.locator(".event:visible").first
    expect(quiet).to_contain_text("not handled")
    expect(quiet.locator("[data-icon]")).to_have_attribute("data-icon", "more")
    page.get_by_label("Status", exact=True).select_option("failed")
    expect(page.locator(".event:visible", has_text="not handled")).to_have_count(0)


def test_what_comes_in_is_listed_and_searched_too(page: Any, events_project: DevProcess, tmp_path: Path) -> None:
    before = len(shown(page))
    options = ("--set", "spaceId=*", "--set", "revisionId=looked-for", "--count", "30")
    sent = devkit(tmp_path, "trigger", "space_content_updated", *options, folder=events_project.folder)
    assert sent.code == 0, sent.err
    expect(page.locator("#count")).to_have_text(str(before + 30))
    page.get_by_label("Text", exact=True).fill("looked-for")
    expect(page.locator("#count")).to_have_text("30")
    expect(page.get_by_label("Type", exact=True).locator("option")).to_contain_text(["space_content_updated"])


def test_one_event_lies_on_a_time_axis(page: Any, events_project: DevProcess) -> None:
    page.locator(".event").filter(has=page.get_by_text("installation_setup", exact=True)).click()
    bars = page.locator("#detail .waterfall li")
    expect(bars.nth(0)).to_contain_text(re.compile(r"Queue[\d.]+ ms"))
    expect(bars.nth(1)).to_contain_text(re.compile(r"Dispatch[\d.]+ ms"))
    expect(bars.nth(2)).to_contain_text(re.compile(r"Script[\d.]+ ms, from [\d.]+ ms"))
    # Both at one moment: the list is drawn anew when the event has changed.
    page.wait_for_function("""() => {
      const track = document.querySelector("#detail [data-kind=script] .waterfall-track")?.getBoundingClientRect();
      const bar = document.querySelector("#detail [data-kind=script] .waterfall-track span")?.getBoundingClientRect();
      return track?.width > 0 && track.left <= bar.left && bar.right <= track.right + 3;
    }""")


def test_requests_of_a_script_and_its_work_after_the_answer_have_bars(page: Any, events_project: DevProcess) -> None:
    bars = page.evaluate("""async () => {
      const { barsOf } = await import("/preview/static/events/waterfall.js");
      const subrequests = [
        { method: "GET", url: "https://x.example/", status: 200, startMs: 12, durationMs: 5 },
        { method: "GET", url: "https://y.example/", status: null, refused: "private", startMs: 20, durationMs: 1 },
      ];
      const moments = { sentMs: 4, beganMs: 10, answeredMs: 30, endedMs: 90 };
      const event = { delivery: { attempts: 2, durationMs: 26 } };
      const words = (bar) => `${bar.title} ${bar.from}-${bar.to} ${bar.kind} ${bar.note ?? ""}`.trim();
      return [barsOf(event, { moments, subrequests }).map(words), barsOf(event, {}).map(words)];
    }""")
    assert bars == [
        [
            "Queue 0-4 queue attempt 2",
            "Dispatch 4-10 dispatch",
            "Script 10-30 script",
            "GET https://x.example/ 12-17 request 200",
            "GET https://y.example/ 20-21 failed refused",
            "After the answer 30-90 after",
        ],
        ["Queue 0-0 queue attempt 2", "Dispatch 0-0 dispatch", "Script 0-26 script"],
    ]


def test_a_request_of_a_script_is_a_bar_of_its_event(page: Any, events_project: DevProcess, tmp_path: Path) -> None:
    before = fetches(page).count()
    sent = devkit(tmp_path, "trigger", "fetch", "--method", "GET", "--path", "/call", folder=events_project.folder)
    assert sent.code == 0, sent.out + sent.err
    expect(fetches(page)).to_have_count(before + 1)
    fetches(page).first.click()
    bar = page.locator("#detail .waterfall [data-kind=failed]")
    expect(bar).to_contain_text(re.compile(r"GET http://127\.0\.0\.1:9/inside.*refused, from [\d.]+ ms"))
    expect(page.locator("#detail .requests")).to_contain_text("refused")


def test_an_event_is_sent_again(page: Any, events_project: DevProcess) -> None:
    before = fetches(page).count()
    fetches(page).first.click()
    page.get_by_role("button", name="Replay", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("answered")
    expect(fetches(page)).to_have_count(before + 1)


def test_what_is_sent_again_is_what_was_chosen_however_slow_the_host(page: Any, events_project: DevProcess) -> None:
    before = fetches(page).count()
    page.locator(".event").filter(has=page.get_by_text("installation_setup", exact=True)).click()
    expect(page.locator("#detail .detail-head")).to_contain_text("installation_setup")
    expected = str(fetches(page).first.get_attribute("data-id"))
    slow: list[Any] = []
    page.route(f"**/events/{expected}", lambda route: slow.append(route))
    fetches(page).first.click()
    wait_for(lambda: page.evaluate("document.querySelector('#detail').inert") and slow, 30)
    with pytest.raises(PlaywrightTimeout):
        page.get_by_role("button", name="Replay", exact=True).click(timeout=500)
    slow[0].continue_()
    page.get_by_role("button", name="Replay", exact=True).click()
    expect(fetches(page)).to_have_count(before + 1)


def test_what_comes_in_while_the_list_is_loaded_stays(page: Any, events_project: DevProcess, tmp_path: Path) -> None:
    before = fetches(page).count()
    listing: list[Any] = []
    page.route("**/events?limit=1000&*", lambda route: listing.append((route, route.fetch())))
    page.reload()
    wait_for(lambda: page.evaluate("document.querySelector('#line').dataset.state") == "live" and listing, 30)
    sent = devkit(tmp_path, "trigger", "fetch", "--method", "POST", "--path", "/echo", folder=events_project.folder)
    assert sent.code == 0, sent.err
    expect(fetches(page)).to_have_count(1)
    route, stale = listing[0]
    route.fulfill(response=stale)
    expect(fetches(page)).to_have_count(before + 1)


def test_an_event_is_edited_and_sent_again(page: Any, events_project: DevProcess) -> None:
    before = fetches(page).count()
    fetches(page).first.click()
    page.get_by_role("button", name="Edit and replay").click()
    dialog = page.get_by_role("dialog", name="Edit and replay")
    payload = dialog.get_by_label("Payload")
    good = payload.input_value()
    payload.fill("{")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog.get_by_role("status")).not_to_be_empty()
    expect(payload).to_be_focused()
    payload.fill(good.replace('"accept": "*/*"', '"accept": "text/second"'))
    dialog.get_by_label("Body of the request").fill('{"told": true}')
    dialog.get_by_role("button", name="Send").click()
    expect(dialog).to_be_hidden()
    expect(fetches(page)).to_have_count(before + 1)
    page.locator("#detail .payload summary").click()
    expect(page.locator("#detail .payload pre")).to_contain_text('"accept": "text/second"')


def test_a_payload_the_host_refuses_stays_in_its_dialog(page: Any, looker: Any, events_project: DevProcess) -> None:
    looker.allowed = ["status of 400"]
    fetches(page).first.click()
    page.get_by_role("button", name="Edit and replay").click()
    dialog = page.get_by_role("dialog", name="Edit and replay")
    dialog.get_by_label("Payload").fill('{"type": "nothing_like_it"}')
    dialog.get_by_role("button", name="Send").click()
    expect(dialog.get_by_role("status")).to_contain_text("event.type: one of")


def test_events_are_kept_as_a_scenario_that_can_be_played(
    page: Any, events_project: DevProcess, tmp_path: Path
) -> None:
    for kind in ("fetch", "installation_setup"):
        page.get_by_label(re.compile(f"Select {kind} of")).first.check()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Save 2 as scenario").click()
    file = tmp_path / "kept.yaml"
    downloading.value.save_as(file)
    assert downloading.value.suggested_filename == "gallery.yaml"
    scenario = scenarios.read(str(file))
    assert scenario.integration == "gallery"
    assert [step.event["type"] for step in scenario.steps] == ["installation_setup", "fetch"]
    assert scenario.steps[1].event["request"]["url"].startswith("/echo")
    assert scenario.steps[1].event["request"]["headers"]["accept"] == "*/*"
    assert not {"eventId", "installationId"} & set(scenario.steps[0].event)
    played = devkit(tmp_path, "play", str(file), "--to", "local", "--no-delay", "--json", folder=events_project.folder)
    assert played.code == 0, played.err
    assert [message["type"] for message in played.json["sent"]] == ["installation_setup", "fetch"]


def test_one_event_is_kept_from_the_component_page_too(page: Any, events_project: DevProcess, tmp_path: Path) -> None:
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Component").click()
    fetches(page).first.click()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Save as scenario").click()
    file = tmp_path / "one.yaml"
    downloading.value.save_as(file)
    assert [step.event["type"] for step in scenarios.read(str(file)).steps] == ["fetch"]
    expect(page.locator("#toast")).to_contain_text("`devkit play gallery.yaml` sends it")


def test_what_yaml_could_misread_is_quoted(page: Any, events_project: DevProcess, tmp_path: Path) -> None:
    values = {
        "plain": "word", "empty": "", "no": "no", "number": "12", "colon": "a: b", "lines": "two\nlines\ttab",
        "quote": '"', "dash": "- x", "hash": "# x", "tilde": "~", "unicode": "ä\u2028\x85\ufeff😀",
        "list": [[1, [2]], [], {}],
        "deep": {"": None, "a b": [{"c": [True, 1.5, {"d": "e"}]}]},
    }  # fmt: skip
    text = page.evaluate(
        "async (value) => (await import('/preview/static/events/yaml.js')).yaml({ events: [{ event: value }] })", values
    )
    assert payloads.parse(text, "kept.yaml").value == {"events": [{"event": values}]}
