"""Collections and spaces on the pages: made, moved, given, deleted, restored."""

from __future__ import annotations

import re

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests import databases
from tests.conftest import Api, HostProcess, Tenant, tenant
from tests.scenarios.browsing import Browser, signed_in
from tests.scenarios.people import reader

MOMENT = "2026-01-01 00:00:00.000000"


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Content", f"{new_id()}@example.com")


@pytest.fixture(scope="module")
def admin(host: HostProcess, owner: Tenant) -> Browser:
    return signed_in(host, owner.api.token)


def made(owner: Tenant, kind: str, title: str, **more: str) -> str:
    answer = owner.api.post(f"/v1/orgs/{owner.id}/{kind}s", {"title": title, **more})
    assert answer.status == 201, answer.text
    return str(answer.json["id"])


def order(answer: requests.Response) -> list[str]:
    return re.findall(r"<bdi>(\w)</bdi>", answer.text.partition("Inside</h2>")[2])


def test_content_is_made_where_it_belongs(admin: Browser, owner: Tenant) -> None:
    page = f"/app/orgs/{owner.id}/content"
    assert "Nothing here is visible to you" in admin.ask("GET", page).text
    folder = admin.submit(page, f"{page}/collection", title="Guides <b>").headers["Location"]
    parent = folder.rsplit("/", 1)[1]
    space = admin.submit(page, f"{page}/space", title="שלום", parent=parent).headers["Location"]
    assert owner.api.get(f"/v1{space.removeprefix('/app')}").json["parent"] == parent
    shown = admin.ask("GET", page).text
    assert "Guides &lt;b&gt;" in shown and "שלום" in shown and "<details open>" in shown
    refused = admin.submit(page, f"{page}/space", title="x" * 51, parent=parent)
    assert refused.status_code == 400 and f'value="{"x" * 51}"' in refused.text
    assert f'<option value="{parent}" selected>' in refused.text
    assert admin.submit(page, f"{page}/space", title="x", parent="nothing").status_code == 400
    assert admin.submit(page, f"{page}/page", title="x").status_code == 404


def test_things_go_up_and_down_and_elsewhere(admin: Browser, owner: Tenant) -> None:
    folder, other = made(owner, "collection", "Folder"), made(owner, "collection", "Other")
    a = made(owner, "space", "A", parent=folder)
    b = made(owner, "collection", "B", parent=folder)
    made(owner, "space", "C", parent=folder)
    page = f"/app/collections/{folder}"
    assert order(admin.ask("GET", page)) == ["A", "B", "C"]
    assert admin.submit(page, f"/app/spaces/{a}/down").status_code == 303
    assert order(admin.ask("GET", page)) == ["B", "A", "C"]
    assert admin.submit(page, f"/app/collections/{b}/down").status_code == 303
    assert admin.submit(page, f"/app/spaces/{a}/up").status_code == 303  # is the first already
    assert order(admin.ask("GET", page)) == ["A", "B", "C"]
    assert admin.submit(page, f"{page}/move", parent=other).status_code == 303
    assert owner.api.get(f"/v1/collections/{folder}").json["parent"] == other
    circle = admin.submit(page, f"/app/collections/{other}/move", parent=b)
    assert circle.status_code == 400 and 'role="alert"' in circle.text
    assert f'value="{b}"' not in admin.ask("GET", f"/app/collections/{other}").text  # what is inside is not offered
    assert admin.submit(page, f"{page}/move", parent="").status_code == 303
    assert "parent" not in owner.api.get(f"/v1/collections/{folder}").json


def test_settings_and_copies(admin: Browser, owner: Tenant) -> None:
    space = made(owner, "space", "Settings")
    page = f"/app/spaces/{space}"
    assert admin.submit(page, page, title="Renamed", defaultLevel="none").status_code == 303
    found = owner.api.get(f"/v1/spaces/{space}").json
    assert (found["title"], found["defaultLevel"]) == ("Renamed", None)
    refused = admin.submit(page, page, title="Typed", defaultLevel="king")
    assert refused.status_code == 400 and 'value="Typed"' in refused.text
    copy = admin.submit(page, f"{page}/duplicate").headers["Location"]
    assert "Renamed (copy)" in admin.ask("GET", copy).text
    folder = f"/app/collections/{made(owner, 'collection', 'Folder')}"
    form = {"title": "Folder", "description": "What it is", "defaultLevel": "edit"}
    assert admin.submit(folder, folder, **form).status_code == 303
    assert "What it is" in admin.ask("GET", folder).text


def test_what_is_deleted_comes_back(admin: Browser, host: HostProcess, owner: Tenant) -> None:
    space = made(owner, "space", "Comes back")
    page, content = f"/app/spaces/{space}", f"/app/orgs/{owner.id}/content"
    assert "Delete the space Comes back?" in admin.ask("GET", f"{page}/delete").text
    assert owner.api.get(f"/v1/spaces/{space}").status == 200
    assert admin.submit(content, f"{page}/delete").headers["Location"] == content
    assert admin.ask("GET", page).status_code == 404
    restore = f"{content}/deleted/{space}"
    assert restore in admin.ask("GET", content).text
    token = reader(host, owner)[0]
    other = signed_in(host, token)
    assert "Comes back" not in other.ask("GET", content).text
    refused = other.submit("/app", restore)
    assert refused.status_code == 403 and "token" not in refused.text
    assert "This needs the role Admin, and your role is Read. Ask an administrator." in refused.text
    assert "Restore Comes back?" in admin.ask("GET", restore).text
    assert admin.submit(content, restore).headers["Location"] == page
    assert admin.submit(content, restore).status_code == 409
    folder = made(owner, "collection", "Goes")
    assert admin.submit(content, f"/app/collections/{folder}/delete").status_code == 303
    assert owner.api.get(f"/v1/collections/{folder}").status == 404


def test_access_is_given_changed_and_taken_away(admin: Browser, host: HostProcess, owner: Tenant) -> None:
    token, user = reader(host, owner)
    team = owner.api.call("PUT", f"/v1/orgs/{owner.id}/teams", {"title": "Given", "members": [user]}).json["id"]
    for kind in ("space", "collection"):
        one = made(owner, kind, f"Secret {kind}")
        api = f"/v1/{kind}s/{one}"
        assert owner.api.call("PATCH", api, {"defaultLevel": None}).status == 200
        mine, page = Api(host.url, token), f"/app/{kind}s/{one}/access"
        assert mine.get(api).status == 404
        refused = admin.submit(page, page, people="nobody@example.com", role="edit")
        assert refused.status_code == 404 and ">nobody@example.com</textarea>" in refused.text
        assert admin.submit(page, page, role="edit").status_code == 400
        assert admin.submit(page, page, people=f"{user}@example.com", team=team, role="read").status_code == 303
        assert mine.get(api).status == 200
        shown = admin.ask("GET", page).text
        assert f"{page}/users/{user}" in shown and f"{page}/teams/{team}" in shown
        assert admin.submit(page, f"{page}/users/{user}", role="create").status_code == 303
        everybody = admin.ask("GET", f"{page}/everybody").text
        assert "Reader" in everybody and '<span class="badge">create</span>' in everybody
        # With `create`, without `admin`: other settings, and nothing about access.
        browser = signed_in(host, token)
        settings = browser.ask("GET", page.removesuffix("/access")).text
        assert 'name="title"' in settings and 'name="defaultLevel"' not in settings and "Delete" not in settings
        assert browser.ask("GET", page).status_code == 403
        assert browser.submit("/app", page.removesuffix("/access"), title="Mine").status_code == 303
        assert admin.submit(page, f"{page}/users/{user}", remove="yes", role="create").status_code == 303
        assert mine.get(api).json["permissions"]["admin"] is False
        assert admin.submit(page, f"{page}/teams/{team}", remove="yes").status_code == 303
        assert mine.get(api).status == 404


def test_guests_see_the_pages_of_what_was_given_to_them(admin: Browser, host: HostProcess, owner: Tenant) -> None:
    token, user = reader(host, owner)
    assert owner.api.call("PATCH", f"/v1/orgs/{owner.id}/members/{user}", {"role": None}).status == 200
    folder = made(owner, "collection", "Given")
    space = made(owner, "space", "Inside", parent=folder)
    hidden = made(owner, "space", "Hidden")
    given = {"users": [user], "role": "admin"}
    assert owner.api.post(f"/v1/collections/{folder}/permissions", given).status == 204
    guest = signed_in(host, token)
    home = guest.ask("GET", "/app").text
    assert "Shared with you by" in home and f'href="/app/collections/{folder}"' in home
    inner = made(owner, "collection", "Inner", parent=folder)
    assert inner not in guest.ask("GET", "/app").text
    assert hidden not in home and space not in home and f"/app/orgs/{owner.id}" not in home
    assert owner.api.post(f"/v1/spaces/{hidden}/permissions", {"users": [user], "role": "read"}).status == 204
    assert f'href="/app/spaces/{hidden}"' in guest.ask("GET", "/app").text
    assert owner.api.call("DELETE", f"/v1/spaces/{hidden}/permissions/users/{user}").status == 205
    assert hidden not in guest.ask("GET", "/app").text
    shown = guest.ask("GET", f"/app/collections/{folder}")
    assert shown.status_code == 200 and f"/app/spaces/{space}" in shown.text and "Create something" not in shown.text
    page = f"/app/spaces/{space}"
    settings = guest.ask("GET", page).text
    assert "Save" in settings and "Duplicate" not in settings and "Move" not in settings
    assert guest.submit("/app", page, title="By a guest", defaultLevel="inherit").headers["Location"] == page
    assert guest.submit("/app", f"{page}/up").headers["Location"] == page
    assert guest.submit("/app", f"{page}/duplicate").status_code == 403
    assert "Take away" in guest.ask("GET", f"/app/collections/{folder}/access").text
    assert guest.ask("GET", f"{page}/access/everybody").status_code == 200
    for other in (f"/app/spaces/{hidden}", f"/app/orgs/{owner.id}", f"/app/orgs/{owner.id}/content"):
        assert guest.ask("GET", other).status_code == 404
    assert guest.submit("/app", f"{page}/delete").headers["Location"] == "/app"


def test_content_of_others_is_not_there(owner: Tenant, host: HostProcess, alpha: Tenant) -> None:
    stranger = signed_in(host, alpha.api.token)
    space, folder = made(owner, "space", "Ours"), made(owner, "collection", "Ours")
    for page in (f"/app/spaces/{space}", f"/app/collections/{folder}"):
        for part in ("", "/access", "/access/everybody", "/delete"):
            assert stranger.ask("GET", page + part).status_code == 404, page + part
        for part in ("", "/move", "/up", "/access", "/delete", f"/access/users/{owner.user}"):
            assert stranger.submit("/app", page + part, title="x", role="read").status_code == 404, page + part
    assert stranger.submit("/app", f"/app/spaces/{space}/duplicate").status_code == 404
    answer = stranger.submit("/app", f"/app/orgs/{alpha.id}/content/space", title="x", parent=folder)
    assert answer.status_code == 400


def test_what_is_appended_to_the_address_of_a_space_leads_to_its_page(admin: Browser, owner: Tenant) -> None:
    space = made(owner, "space", "Appended")
    assert owner.api.call("PATCH", f"/v1/spaces/{space}", {"editMode": "live"}).status == 200
    request = owner.api.post(f"/v1/spaces/{space}/change-requests", {"subject": "S"}).json["id"]
    changes = [{"type": "insert_page", "id": "guide", "title": "Guide"}]
    changes.append({"type": "insert_page", "id": "first", "title": "First", "position": {"parent": "guide"}})
    at = f"/v1/spaces/{space}/change-requests/{request}"
    assert owner.api.post(f"{at}/content", {"changes": changes}).status == 200
    assert owner.api.post(f"{at}/merge").status == 200
    urls = owner.api.get(f"/v1/spaces/{space}").json["urls"]
    assert urls["app"].endswith(f"/app/spaces/{space}/")
    home = admin.ask("GET", f"/app/spaces/{space}/")
    assert (home.status_code, home.headers["Location"]) == (303, f"/app/spaces/{space}")
    found = admin.ask("GET", f"/app/spaces/{space}/guide/first")
    assert (found.status_code, found.headers["Location"]) == (303, f"/app/spaces/{space}/pages/first")
    assert admin.ask("GET", found.headers["Location"]).status_code == 200
    assert admin.ask("GET", f"/app/spaces/{space}/guide/gone").status_code == 404


def test_a_guest_of_many_is_told_what_is_not_listed(host: HostProcess, owner: Tenant) -> None:
    token, user = reader(host, owner)
    for number in range(22):
        place = new_id()
        title = f"Place {number:02d}"
        copied = "type, email_domains, sso, ai, invite_links, merge_rules, created_at"
        copy = f"INSERT INTO organizations (id, title, {copied}) SELECT ?, ?, {copied} FROM organizations WHERE id = ?"
        databases.ask(host.data, copy, (place, title, owner.id))
        databases.ask(
            host.data,
            "INSERT INTO members (organization_id, user_id, role, joined_at) VALUES (?, ?, NULL, ?)",
            (place, user, MOMENT),
        )
    databases.ask(host.data, "UPDATE epochs SET n = n + 1", ())
    page = signed_in(host, token).ask("GET", "/app").text
    assert page.count("Shared with you by <bdi>Place") == 20
    rest = page.partition('aria-label="More organizations"')[2].partition("</section>")[0]
    assert "<bdi>Place 20</bdi>, <bdi>Place 21</bdi> is not listed here" in rest


def test_spaces_of_equal_titles_are_told_apart(admin: Browser, owner: Tenant) -> None:
    made = {
        parent: owner.api.post(f"/v1/orgs/{owner.id}/collections", {"title": parent}).json["id"]
        for parent in ("Up", "In")
    }
    spaces = [
        owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "From client", **parent}).json["id"]
        for parent in ({}, {"parent": made["Up"]}, {"parent": made["In"]}, {"parent": made["In"]})
    ]
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Docs"}).json["id"]
    for page in (f"/app/orgs/{owner.id}/sites", f"/app/orgs/{owner.id}/sites/{site}"):
        options = dict(re.findall(r'<option value="(\w+)"[^>]*>([^<]*From client[^<]*)<', admin.ask("GET", page).text))
        assert [options[space] for space in spaces] == [
            "From client",
            "Up / From client",
            *(f"In / From client ({space})" for space in spaces[2:]),
        ]


def test_every_team_may_be_chosen(host: HostProcess) -> None:
    many = tenant(host, "Teams", f"{new_id()}@example.com")
    for number in range(1001):  # one page of the list has a thousand
        databases.ask(
            host.data,
            "INSERT INTO teams (id, organization_id, title, created_at) VALUES (?, ?, ?, ?)",
            (new_id(), many.id, f"Team {number:04d}", MOMENT),
        )
    databases.ask(host.data, "UPDATE epochs SET n = n + 1", ())
    space = made(many, "space", "Space")
    shown = signed_in(host, many.api.token).ask("GET", f"/app/spaces/{space}/access").text
    assert [f"Team {number:04d}" for number in range(1001) if f"Team {number:04d}" not in shown] == []
