"""Members and teams: who manages whom, over HTTP."""

from __future__ import annotations

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Tenant, tenant
from tests.scenarios.people import reader


@pytest.fixture(scope="module")
def alpha(host: HostProcess) -> Tenant:
    """An organization whose one administrator nobody else's tests have joined."""
    return tenant(host, "Teams", f"{new_id()}@example.com")


@pytest.fixture
def people(host: HostProcess, alpha: Tenant) -> list[tuple[Api, str]]:
    return [(Api(host.url, token), user) for token, user in (reader(host, alpha) for _ in range(3))]


def test_an_owner_manages_the_members_of_that_team_alone(
    alpha: Tenant, people: list[tuple[Api, str]], host: HostProcess
) -> None:
    (owner, owner_id), (other, other_id), (_, third_id) = people
    teams = f"/v1/orgs/{alpha.id}/teams"
    made = [alpha.api.call("PUT", teams, {"title": title, "members": [owner_id]}).json for title in ("One", "Two")]
    mine, foreign = (f"{teams}/{team['id']}" for team in made)
    assert alpha.api.call("PUT", f"{mine}/members/{owner_id}", {"role": "owner"}).status == 204
    assert owner.get(mine).json["permissions"] == {"view": True, "admin": True}
    assert owner.get(foreign).json["permissions"] == {"view": True, "admin": False}
    assert owner.call("PUT", f"{mine}/members/{other_id}", {}).status == 204
    assert owner.call("PATCH", mine, {"title": "Renamed"}).json["title"] == "Renamed"
    for method, path, body in (
        ("PUT", f"{foreign}/members/{other_id}", {}),
        ("PUT", f"{foreign}/members", {"add": [other_id]}),
        ("DELETE", f"{foreign}/members/{owner_id}", None),
        ("PATCH", foreign, {"title": "Taken"}),
        ("DELETE", mine, None),
        ("PUT", teams, {"title": "Mine too"}),
    ):
        answer = owner.call(method, path, body)
        assert answer.status == 403 and "role `admin`" in answer.json["error"]["message"], (method, path)
    assert other.call("DELETE", f"{mine}/members/{owner_id}").status == 403
    mail = f"{third_id}@EXAMPLE.com"
    change = {"add": [mail, other_id], "remove": [other_id], "memberships": {third_id: {"role": "owner"}}}
    assert owner.call("PUT", f"{mine}/members", change).status == 204
    members = alpha.api.get(f"{mine}/members").json
    assert {row["organization"]["id"]: row["team"]["role"] for row in members["items"]} == {
        owner_id: "owner",
        third_id: "owner",
    }
    assert members["count"] == 2 == alpha.api.get(mine).json["members"]
    assert [row["id"] for row in alpha.api.get(teams, owner=third_id).json["items"]] == [made[0]["id"]]
    assert alpha.api.get(teams, title="RENAM").json["count"] == 1
    own = alpha.api.get(f"/v1/orgs/{alpha.id}/members/{owner_id}/teams").json
    assert {row["team"]["title"]: row["member"]["role"] for row in own["items"]} == {
        "Renamed": "owner",
        "Two": "member",
    }
    assert alpha.api.get(f"/v1/orgs/{alpha.id}/members/{owner_id}/teams", title="two").json["count"] == 1


def test_who_leaves_the_organization_leaves_its_teams(alpha: Tenant, people: list[tuple[Api, str]]) -> None:
    (api, person), (_, second), _ = people
    team = alpha.api.call("PUT", f"/v1/orgs/{alpha.id}/teams", {"title": "T", "members": [person, second]}).json
    members = f"/v1/orgs/{alpha.id}/members"
    assert api.call("DELETE", f"{members}/{second}").status == 403
    assert api.call("DELETE", f"{members}/{person}").status == 205
    assert api.get(f"/v1/orgs/{alpha.id}").status == 404
    assert alpha.api.call("DELETE", f"{members}/{person}").status == 204
    left = alpha.api.get(f"/v1/orgs/{alpha.id}/teams/{team['id']}/members").json["items"]
    assert [row["organization"]["id"] for row in left] == [second]


def test_the_last_administrator_stays(alpha: Tenant, people: list[tuple[Api, str]]) -> None:
    (_, person), *_ = people
    members = f"/v1/orgs/{alpha.id}/members"
    for method, body in (("PATCH", {"role": "read"}), ("PATCH", {"role": None}), ("DELETE", None)):
        answer = alpha.api.call(method, f"{members}/{alpha.user}", body)
        assert answer.status == 409 and "last administrator" in answer.json["error"]["message"]
    assert alpha.api.call("PATCH", f"{members}/{person}", {"role": "admin"}).json["role"] == "admin"
    assert alpha.api.call("PATCH", f"{members}/{person}", {"role": None}).json["role"] is None


def test_members_are_listed_as_asked(alpha: Tenant, people: list[tuple[Api, str]]) -> None:
    members = f"/v1/orgs/{alpha.id}/members"
    ids = {person for _, person in people}
    mails = [row["user"]["email"] for row in alpha.api.get(members, search=f"{people[0][1]}@").json["items"]]
    assert mails == [f"{people[0][1]}@example.com"]
    assert alpha.api.call("PATCH", f"{members}/{people[1][1]}", {"role": None}).status == 200
    guests = {row["id"] for row in alpha.api.get(members, role="guest").json["items"]}
    assert guests & ids == {people[1][1]}
    up, down = (alpha.api.get(members, order=order, role="read").json["items"] for order in ("asc", "desc"))
    assert [row["id"] for row in up] == [row["id"] for row in reversed(down)]
    seen, page = [], None
    while True:
        answer = alpha.api.get(members, limit=1, role="read", **({"page": page} if page else {})).json
        seen += [row["id"] for row in answer["items"]]
        if "next" not in answer:
            break
        page = answer["next"]["page"]
    assert seen == [row["id"] for row in down]
    assert alpha.api.get(members, sort="lastSeenAt").json["items"] == []
    assert alpha.api.get(members, sort="shoeSize").status == 400
    assert alpha.api.get(members, sort="lastSeenAt", page=page or "x").status == 400


@pytest.mark.parametrize(
    ("change", "where"),
    [({"add": ["nobody"]}, "add: `nobody`"), ({"memberships": {"nobody": {"role": "owner"}}}, "memberships: `nobody`")],
)
def test_only_members_join(alpha: Tenant, change: dict[str, object], where: str) -> None:
    team = alpha.api.call("PUT", f"/v1/orgs/{alpha.id}/teams", {"title": "T"}).json
    path = f"/v1/orgs/{alpha.id}/teams/{team['id']}/members"
    answer = alpha.api.call("PUT", path, change)
    assert answer.status == 400 and answer.json["error"]["message"].startswith(where)
    assert alpha.api.call("PUT", f"{path}/nobody", {}).status == 404
    assert alpha.api.get(path).json["count"] == 0


def test_an_organization_is_made_and_set_up_by_who_makes_it(alpha: Tenant, people: list[tuple[Api, str]]) -> None:
    (api, person), (other, _), _ = people
    made = api.post("/v1/orgs", {"title": "Fresh", "hostname": f"h{person[:10].lower()}"}).json
    assert made["permissions"]["admin"] and made["hostname"] == f"h{person[:10].lower()}"
    path = f"/v1/orgs/{made['id']}"
    taken = other.post("/v1/orgs", {"title": "Late", "hostname": made["hostname"]})
    assert taken.status == 409 and "hostname" in taken.json["error"]["message"]
    site = api.post(f"{path}/sites", {"title": "Home"}).json["id"]
    change = {
        "title": "Changed",
        "emailDomains": ["Example.COM", "example.com"],
        "defaultRole": None,
        "defaultContent": {"type": "site", "site": site},
        "logo": "https://example.com/logo.png",
        "mergeRules": {"type": "rules", "rules": [{"rule": "require_change_request_subject"}]},
    }
    shown = api.call("PATCH", path, change).json
    assert (shown["title"], shown["emailDomains"], shown["defaultRole"]) == ("Changed", ["example.com"], None)
    assert shown["defaultContent"]["site"] == site and shown["urls"]["logo"] == change["logo"]
    assert shown["mergeRules"] == change["mergeRules"]
    cleared = api.call("PATCH", path, {"defaultContent": None, "logo": None}).json
    assert "defaultContent" not in cleared and "logo" not in cleared["urls"]
    alone = api.call("PATCH", path, {"sso": True})
    assert alone.status == 400 and "identity provider" in alone.json["error"]["message"]
    assert api.post(f"{path}/saml", {"label": "Company"}).status == 201  # which is not complete
    assert api.call("PATCH", path, {"sso": True}).status == 400 and api.get(path).json["sso"] is False
    foreign = alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Theirs"}).json["id"]
    assert api.call("PATCH", path, {"defaultContent": {"type": "site", "site": foreign}}).status == 400
    assert other.call("PATCH", path, {"title": "Mine"}).status == 404
    domains = [row["id"] for row in api.get("/v1/email-domains/EXAMPLE.com/orgs").json["organizations"]]
    assert domains == [made["id"]]
    assert other.get("/v1/email-domains/example.com/orgs").json == {"organizations": []}


def test_a_ping_is_noticed(alpha: Tenant, people: list[tuple[Api, str]]) -> None:
    (api, person), *_ = people
    members = f"/v1/orgs/{alpha.id}/members"
    assert "lastSeenAt" not in alpha.api.get(f"{members}/{person}").json
    claims = api.post(f"/v1/orgs/{alpha.id}/ping").json
    assert claims["serviceVisitorClaims"] == claims["gitbookVisitorClaims"]
    assert Api(api.url, claims["serviceVisitorClaims"]).get("/v1/user").status == 401
    assert "lastSeenAt" in alpha.api.get(f"{members}/{person}").json
    assert person in [row["id"] for row in alpha.api.get(members, sort="lastSeenAt").json["items"]]
    assert alpha.api.post(f"{members}/{person}/sso").json["sso"] is True
    assert api.post(f"{members}/{person}/sso").status == 403


def test_the_spaces_of_a_member_come_with_the_members_level(alpha: Tenant, people: list[tuple[Api, str]]) -> None:
    (_, person), *_ = people
    _, space = (alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": title}).json["id"] for title in "RS")
    path = f"/v1/orgs/{alpha.id}/members/{person}/spaces"
    levels = {row["space"]["id"]: row["permission"] for row in alpha.api.get(path).json["items"]}
    assert levels[space] == "read"
    first, last = (
        alpha.api.get(path, order=order, limit=1).json["items"][0]["space"]["id"] for order in ("desc", "asc")
    )
    assert first == space != last
    assert alpha.api.call("PATCH", f"/v1/orgs/{alpha.id}/members/{person}", {"role": None}).status == 200
    assert alpha.api.get(path).json["items"] == []
