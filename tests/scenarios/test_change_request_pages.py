"""Change requests on the pages for people: made, found where the list is empty, merged, and not needed any more."""

from __future__ import annotations

import re
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant, tenant
from tests.scenarios import people
from tests.scenarios.browsing import Browser, signed_in


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Change requests", f"{new_id()}@example.com")


@pytest.fixture(scope="module")
def admin(host: HostProcess, owner: Tenant) -> Browser:
    return signed_in(host, owner.api.token)


@pytest.fixture
def space(owner: Tenant) -> str:
    return str(owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Handbook"}).json["id"])


def test_one_is_created_and_merged(admin: Browser, owner: Tenant, space: str) -> None:
    place = f"/app/spaces/{space}/change-requests"
    assert "This space has no change requests yet." in admin.ask("GET", place).text
    made = admin.submit(place, place, subject="Words <b>")
    assert made.status_code == 303
    at = made.headers["Location"]
    shown = admin.ask("GET", at).text
    assert "Words &lt;b&gt;" in shown and "Merge into the space" in shown
    assert admin.submit(at, f"{at}/merge").headers["Location"] == at
    (one,) = owner.api.get(f"/v1/spaces/{space}/change-requests", status="merged").json["items"]
    assert one["subject"] == "Words <b>"


def test_an_empty_list_leads_to_where_there_are_some(admin: Browser, owner: Tenant, space: str) -> None:
    at = f"/v1/spaces/{space}/change-requests"
    for subject in ("First", "Second"):
        assert owner.api.post(at, {"subject": subject}).status == 201
    text = admin.ask("GET", f"/app/spaces/{space}/change-requests").text
    assert re.sub(r"<[^>]+>", "", text).count("None is open, but there are 2 drafts.") == 1
    assert '<a href="?status=draft">2 drafts</a>' in text
    assert "First" in admin.ask("GET", f"/app/spaces/{space}/change-requests?status=draft").text


def test_a_space_is_unlocked_in_its_settings(admin: Browser, owner: Tenant, space: str) -> None:
    place = f"/app/spaces/{space}"
    assert '<option value="locked" selected>' in admin.ask("GET", place).text
    assert admin.submit(place, place, title="Handbook", editMode="live").status_code == 303
    assert owner.api.get(f"/v1/spaces/{space}").json["editMode"] == "live"
    refused = admin.submit(place, place, title="Handbook", editMode="sideways")
    assert refused.status_code == 400


def test_settings_are_said_in_words_of_people(admin: Browser, owner: Tenant) -> None:
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Docs"}).json["id"]
    for place in (f"/app/orgs/{owner.id}", f"/app/orgs/{owner.id}/sites/{site}/settings"):
        text = admin.ask("GET", place).text
        assert "<form" in text and "ept for clients" not in text, place


def test_what_is_refused_names_the_labels_of_fields(admin: Browser, owner: Tenant) -> None:
    at = f"/v1/orgs/{owner.id}/sites/{owner.api.post(f'/v1/orgs/{owner.id}/sites', {'title': 'Docs'}).json['id']}"
    site, home = at.replace("/v1", "/app"), f"/app/orgs/{owner.id}"
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "In it"}).json["id"]
    assert owner.api.post(f"{at}/site-spaces", {"spaceId": space}).status == 201
    settings = {"title": "Docs", "visibility": "public"}
    organization = {"title": "Change requests", "defaultRole": "read"}
    for place, form, said in (
        (f"{site}/settings", {**settings, "proxy": "no path"}, "Also reached at: must be a host and a path without"),
        (f"{site}/redirects", {"source": "old", "target": "site-space x"}, "Path: must be a path of letters, digits"),
        (f"{home}/openapi", {"slug": "A b", "url": "https://a.example/"}, "Name: must be lowercase letters, digits"),
        (
            home,
            {**organization, "sso": "on"},
            "Single sign-on only: the organization has no identity provider with “Sign",
        ),
    ):
        refused = admin.submit(place, place, **form)
        alert = re.search(r'role="alert">([^<]*)<', refused.text)
        assert alert is not None and alert[1].startswith(said), (place, refused.text)
    assert admin.submit(f"{site}/settings", f"{site}/settings", **settings, proxy="https://foo.example/docs/").ok
    assert owner.api.get(at).json["proxy"]["origin"] == "foo.example/docs"


def test_the_changed_text_of_a_page_is_shown_line_by_line(
    admin: Browser, owner: Tenant, space: str, host: HostProcess
) -> None:
    at = f"/v1/spaces/{space}/change-requests"

    def changed(request: str, change: dict[str, Any]) -> dict[str, Any]:
        answer = owner.api.post(f"{at}/{request}/content", {"changes": [change]})
        assert answer.status < 300, answer.text
        return dict(answer.json)

    first = owner.api.post(at, {"subject": "First"}).json["id"]
    markdown = "One line\n\nTwo `<b>` lines\n\nThree lines"
    page = changed(first, {"type": "insert_page", "title": "Welcome", "document": {"markdown": markdown}})["added"][0]
    place = f"/app/spaces/{space}/change-requests"
    assert f'href="{place}/{first}/pages/{page}"' in admin.ask("GET", f"{place}/{first}").text
    assert "This page is new." in admin.ask("GET", f"{place}/{first}/pages/{page}").text
    assert owner.api.post(f"{at}/{first}/merge").status == 200
    second = owner.api.post(at, {"subject": "Second"}).json["id"]
    other = {"markdown": markdown.replace("Three", "Four")}
    changed(second, {"type": "update_page", "id": page, "document": other})
    text = admin.ask("GET", f"{place}/{second}/pages/{page}").text
    lines = re.findall(r'class="diff-line([^"]*)".*?<code>([^<]*)</code>', text)
    assert (" is-gone", "Three lines") in lines and (" is-new", "Four lines") in lines
    assert ("", "Two `&lt;b&gt;` lines") in lines
    assert admin.ask("GET", f"{place}/{second}/pages/nope").status_code == 404
    stranger = Browser(host.url)
    elsewhere = tenant(host, "Elsewhere", f"{new_id()}@example.com")
    assert stranger.submit("/app/sign-in", "/app/sign-in", token=str(elsewhere.api.token)).status_code == 303
    assert stranger.ask("GET", f"{place}/{second}/pages/{page}").status_code == 404


def test_a_guest_who_may_edit_a_space_sees_its_change_requests(host: HostProcess, owner: Tenant, space: str) -> None:
    guest = people.person(host, owner, None)
    people.give(owner, f"/v1/spaces/{space}", "edit", users=[guest.id])
    change = owner.api.post(f"/v1/spaces/{space}/change-requests", {"subject": "First"}).json["id"]
    browser = Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(guest.api.token)).status_code == 303
    shown = browser.ask("GET", f"/app/spaces/{space}/change-requests/{change}")
    assert shown.status_code == 200 and "First" in shown.text


def test_what_is_refused_has_the_focus_and_the_title(admin: Browser, space: str) -> None:
    place = f"/app/spaces/{space}"
    refused = admin.submit(place, place, title="x" * 51, editMode="live")
    assert "<title>Error: " in refused.text and refused.text.count(" autofocus ") == 1
    assert "<title>Error: " not in admin.ask("GET", place).text


def test_who_was_signed_out_comes_back_to_the_page_of_their_form(host: HostProcess, owner: Tenant, space: str) -> None:
    place = f"/app/spaces/{space}"
    browser = Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(owner.api.token)).status_code == 303
    form = re.search(r'name="csrf" value="([^"]+)"', browser.ask("GET", place).text)
    assert form is not None
    browser.cookies.clear()
    sent = {"csrf": form[1], "title": "New"}
    answer = browser.ask("POST", place, data=sent, headers={"Referer": f"{host.url}{place}"})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/app/sign-in?next={place}")
    posted = {"Referer": f"{host.url}/app/tokens"}  # where a form is shown as the answer to another one
    answer = browser.ask("POST", place, data=sent, headers=posted)
    assert answer.headers["Location"] == "/app/sign-in?next=/app/tokens"  # which leads to the page of that form
    signed_out = {"Referer": f"{host.url}/app/first/key"}
    assert browser.ask("POST", "/app/first/key", data=sent, headers=signed_out).status_code in (403, 404)
    for elsewhere in ({"Referer": f"https://elsewhere.example{place}"}, {"Referer": "http://["}, {}):
        refused = browser.ask("POST", place, data=sent, headers=elsewhere)
        assert refused.status_code == 403 and "Open the page of the form again" in refused.text


def test_what_was_typed_is_shown_before_signing_in_again(host: HostProcess, owner: Tenant, space: str) -> None:
    place = f"/app/spaces/{space}/change-requests"
    browser, elsewhere = Browser(host.url), Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(owner.api.token)).status_code == 303
    elsewhere.cookies.update(browser.cookies)
    form = re.search(r'name="csrf" value="([^"]+)"', browser.ask("GET", place).text)
    assert form is not None
    assert elsewhere.submit("/app", "/app/sign-out").status_code == 303
    typed = {"subject": 'New "<b>"', "comment": "\r\nTwo\r\nlines", "url": "https://me:password@a.example/"}
    sent = {"csrf": form[1], **typed, "field-key": "a secret", "token": "dk_secret", "name": " "}
    ours = {"Referer": host.url + place, "Origin": host.url}
    answer = browser.ask("POST", place, data=sent, headers=ours)
    assert answer.status_code == 403 and "Your form was not saved" in answer.text
    assert "Copy what you typed before you sign in" in answer.text
    shown = re.findall(r"<label[^>]*>([^<]*)</label>\s*<textarea[^>]* readonly[^>]*>\n([^<]*)</textarea>", answer.text)
    assert shown == [("What it changes", "New &#34;&lt;b&gt;&#34;"), ("Comment", "\r\nTwo\r\nlines")]
    assert "secret" not in answer.text and "password@" not in answer.text
    following = re.search(r'name="next" value="([^"]*)"', answer.text)
    assert following is not None and following[1] == place
    signed_in = browser.submit("/app/sign-in", "/app/sign-in", token=str(owner.api.token), next=place)
    assert signed_in.headers["Location"] == place


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://["])
def test_no_other_site_has_its_text_shown_to_who_signs_in(host: HostProcess, space: str, origin: str) -> None:
    place = f"/app/spaces/{space}/change-requests"
    for referrer in (host.url + place, f"https://elsewhere.example{place}"):
        headers = {"Referer": referrer, "Origin": origin}
        answer = Browser(host.url).ask("POST", place, data={"subject": "Call 555"}, headers=headers)
        assert "Call 555" not in answer.text and answer.status_code in (303, 403)
