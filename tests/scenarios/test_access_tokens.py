"""Personal tokens: made, used, over, revoked."""

from __future__ import annotations

import re

from tests import databases
from tests.conftest import Api, HostProcess, Tenant
from tests.scenarios.browsing import Browser
from tests.scenarios.people import reader


def test_a_token_is_shown_once_and_ends(host: HostProcess, alpha: Tenant) -> None:
    mine = Api(host.url, reader(host, alpha)[0])
    made = mine.post("/v1/user/tokens", {"title": "  Build server ", "expiresIn": 7})
    assert made.status == 201 and made.json["title"] == "Build server" and made.json["current"] is False
    token = Api(host.url, made.json["token"])
    assert token.get("/v1/user").json["id"] == mine.get("/v1/user").json["id"]
    listed = {row["id"]: row for row in token.get("/v1/user/tokens").json["items"]}
    assert "token" not in listed[made.json["id"]] and listed[made.json["id"]]["current"] is True
    assert listed[made.json["id"]]["expiresAt"] == made.json["expiresAt"]

    other = mine.post("/v1/user/tokens", {"title": "Until", "expiresAt": "2027-01-01T00:00:00Z"})
    assert other.status == 400 and "`expiresIn`" in other.json["error"]["message"], "ignored, it would hold for longer"

    another = mine.post("/v1/user/tokens", {"title": "Over", "expiresIn": 1}).json
    moment = "2026-01-01 00:00:00.000000"
    databases.ask(host.data, "UPDATE tokens SET expires_at = ? WHERE id = ?", (moment, another["id"]))
    answer = Api(host.url, another["token"]).get("/v1/user")
    assert answer.status == 401 and "expired" in answer.json["error"]["message"]


def test_a_session_of_a_browser_is_no_token(host: HostProcess, alpha: Tenant) -> None:
    mine = Api(host.url, reader(host, alpha)[0])
    made = mine.post("/v1/user/tokens", {"title": "Session", "expiresIn": None}).json
    assert made["expiresAt"] is None
    databases.ask(host.data, "UPDATE tokens SET kind = 'session' WHERE id = ?", (made["id"],))
    assert Api(host.url, made["token"]).get("/v1/user").status == 401
    assert made["id"] not in {row["id"] for row in mine.get("/v1/user/tokens").json["items"]}


def test_a_person_has_a_hundred_tokens_at_most(host: HostProcess, alpha: Tenant) -> None:
    mine = Api(host.url, reader(host, alpha)[0])
    statuses = [mine.post("/v1/user/tokens", {"title": str(number)}).status for number in range(100)]
    assert statuses == [201] * 99 + [409]


def test_tokens_of_one_organization_take_no_place_from_others(host: HostProcess, alpha: Tenant) -> None:
    """Who runs the identity provider of one organization could use up all that a person may have elsewhere."""
    mine = Api(host.url, reader(host, alpha)[0])
    bound = mine.post("/v1/user/tokens", {"title": "Bound"}).json
    databases.ask(host.data, "UPDATE tokens SET organization_id = ? WHERE id = ?", (alpha.id, bound["id"]))
    there = Api(host.url, bound["token"])
    statuses = [there.post("/v1/user/tokens", {"title": str(number)}).status for number in range(100)]
    assert statuses == [201] * 99 + [409]
    assert mine.post("/v1/user/tokens", {"title": "Still"}).status == 201


def test_what_is_made_with_a_token_ends_no_later(host: HostProcess, alpha: Tenant) -> None:
    mine = Api(host.url, reader(host, alpha)[0])
    short = mine.post("/v1/user/tokens", {"title": "Short", "expiresIn": 1}).json
    for asked in (7, None):
        made = Api(host.url, short["token"]).post("/v1/user/tokens", {"title": "Longer", "expiresIn": asked})
        assert made.status == 201 and made.json["expiresAt"] == short["expiresAt"]
    browser = Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=short["token"]).status_code == 303
    made_there = browser.submit("/app", "/app/tokens", title="By a browser", days="never")
    found = re.search(r'value="(dk_[^"]+)"', made_there.text)
    assert found is not None, made_there.text
    listed = {row["title"]: row for row in Api(host.url, found[1]).get("/v1/user/tokens").json["items"]}
    assert listed["By a browser"]["expiresAt"] == short["expiresAt"]


def test_a_browser_is_signed_out_with_the_token_it_signed_in_with(host: HostProcess, alpha: Tenant) -> None:
    mine = Api(host.url, reader(host, alpha)[0])
    lost = mine.post("/v1/user/tokens", {"title": "Lost"}).json
    thief, own = Browser(host.url), Browser(host.url)
    assert thief.submit("/app/sign-in", "/app/sign-in", token=lost["token"]).status_code == 303
    assert own.submit("/app/sign-in", "/app/sign-in", token=str(mine.token)).status_code == 303
    assert mine.call("DELETE", f"/v1/user/tokens/{lost['id']}").status == 205
    assert thief.ask("GET", "/app").status_code == 303 and own.ask("GET", "/app").status_code == 200


def test_scripts_make_no_tokens_of_people(host: HostProcess, alpha: Tenant) -> None:
    assert Api(host.url, None).post("/v1/user/tokens", {"title": "x"}).status == 401
