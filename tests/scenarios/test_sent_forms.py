"""Forms whose answer shows a secret once: sent again, by a reload or twice at once, they make nothing more."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from runtime.contract.identifiers import new_id
from runtime.services import sent_forms
from tests import databases
from tests.conftest import Api, HostProcess, Tenant, init, tenant
from tests.scenarios.browsing import Browser, alert


@pytest.fixture
def own(host: HostProcess) -> Tenant:
    return tenant(host, "Sending", f"{new_id()}@example.com")


def signed_in(own: Tenant) -> Browser:
    browser = Browser(own.api.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(own.api.token)).status_code == 303
    return browser


def again(browser: Browser, answer: requests.Response) -> requests.Response:
    """Send what an answer came to once more, as a reload does."""
    sent, headers = answer.request, {"Content-Type": "application/x-www-form-urlencoded", "Origin": browser.base}
    return browser.ask("POST", str(sent.url), data=sent.body, headers=headers)


def titles(own: Tenant) -> list[str]:
    return [one["title"] for one in own.api.get("/v1/user/tokens").json["items"] if one["title"]]


def test_a_reload_makes_no_second_token(own: Tenant) -> None:
    browser = signed_in(own)
    made = browser.submit("/app", "/app/tokens", title="Build {server}", days="7")
    assert 'value="dk_' in made.text
    reloaded = again(browser, made)
    assert reloaded.status_code == 409 and 'value="dk_' not in reloaded.text
    assert alert(reloaded).startswith("You already sent this form, for the token “Build {server}”.")
    assert again(browser, reloaded).status_code == 409
    assert titles(own) == ["Build {server}"]
    assert browser.submit("/app", "/app/tokens", title="Other", days="7").status_code == 200  # a form of a fresh page
    assert sorted(titles(own)) == ["Build {server}", "Other"]


def test_a_form_that_was_refused_may_be_sent_again(own: Tenant) -> None:
    browser = signed_in(own)
    refused = browser.submit("/app", "/app/tokens", title="", days="7", once="k" * 20)
    assert refused.status_code == 400
    made = browser.submit("/app", "/app/tokens", title="Corrected", days="7", once="k" * 20)
    assert made.status_code == 200 and titles(own) == ["Corrected"]


def test_what_no_database_stores_is_refused_by_what_the_form_makes(own: Tenant) -> None:
    browser = signed_in(own)
    refused = browser.submit("/app", "/app/tokens", title="a\0b", days="7")
    assert refused.status_code == 400 and "U+0000" in alert(refused)
    invites = f"/app/orgs/{own.id}/invites"
    assert browser.submit(invites, invites, emails="a\0b@example.com").status_code == 400


@pytest.mark.parametrize("key", ["", "short", "k" * 31, "k" * 15 + "é"])
def test_a_form_without_a_key_of_ours_makes_nothing(own: Tenant, key: str) -> None:
    answer = signed_in(own).submit("/app", "/app/tokens", title="None", days="7", once=key)
    assert answer.status_code == 403 and "Open the page of the form again" in answer.text
    assert titles(own) == []


def test_of_forms_sent_at_once_to_several_processes_one_counts(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ={"DEVKIT_WORKERS": "2"}).start()
    own = tenant(host, "Sending", f"{new_id()}@example.com")
    browsers = [signed_in(own)]
    hidden = dict(re.findall(r'name="(csrf|once)" value="([\w-]+)"', browsers[0].ask("GET", "/app").text))
    for _ in range(7):  # each has connections of its own
        browsers.append(Browser(host.url))
        browsers[-1].cookies.update(browsers[0].cookies)
    sent = {**hidden, "title": "Twice", "days": "7"}

    def send(browser: Browser) -> int:
        return browser.ask("POST", "/app/tokens", data=sent, headers={"Origin": host.url}).status_code

    with ThreadPoolExecutor(len(browsers)) as pool:
        answers = sorted(pool.map(send, browsers))
    assert answers == [200, *[409] * 7] and titles(own) == ["Twice"]
    assert host.stop() == 0


def test_a_reload_leaves_the_addresses_of_invites_as_they_are(own: Tenant) -> None:
    browser, page = signed_in(own), f"/app/orgs/{own.id}/invites"
    emails = [f"{number}-{new_id().lower()}@example.com" for number in range(5)]
    made = browser.submit(page, page, emails="\r\n".join(emails), role="read")
    places = re.findall(r"<code>([^<]+/app/join/[^<]+)</code>", made.text)
    assert len(places) == 5
    reloaded = again(browser, made)
    assert reloaded.status_code == 409
    named = f"You already sent this form, to invite {', '.join(emails[:3])} and 2 more."
    assert alert(reloaded).startswith(f"{named} Their addresses to join are not shown again")
    for place in places:
        assert requests.get(place, timeout=20).status_code == 200  # none was made again, and so none is void


def test_what_a_session_sent_is_bounded_and_goes_with_it(host: HostProcess, own: Tenant) -> None:
    browser = signed_in(own)
    assert browser.submit("/app", "/app/tokens", title="First", days="7").status_code == 200
    [[session]] = databases.ask(host.data, "SELECT session_id FROM sent_forms WHERE about = 'First'")
    for number in range(sent_forms.MAX_FORMS - 1):
        row = (session, f"filling-{number:010}", "")
        databases.ask(host.data, "INSERT INTO sent_forms (session_id, key, about) VALUES (?, ?, ?)", row)
    full = browser.submit("/app", "/app/tokens", title="More", days="7")
    assert full.status_code == 400 and "Sign out, and sign in again" in full.text and titles(own) == ["First"]
    assert browser.submit("/app", "/app/sign-out").status_code == 303
    assert databases.ask(host.data, "SELECT key FROM sent_forms WHERE session_id = ?", (session,)) == []
    assert signed_in(own).submit("/app", "/app/tokens", title="More", days="7").status_code == 200
    assert Api(own.api.url, own.api.token).get("/v1/user").status == 200
