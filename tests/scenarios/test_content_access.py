"""Who sees and does what with spaces and collections: levels, what was given, and what `permissions` promises."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from runtime.contract.organizations import ROLES, Role, reaches
from tests.conftest import Api, HostProcess, Tenant, installed
from tests.scenarios.content_deeds import DEEDS, Deed, Place
from tests.scenarios.people import Person, collection, give, person, space, team
from tests.scenarios.space_script import SCRIPT, as_installation


def test_the_nearest_default_level_takes_the_place_of_the_role(host: HostProcess, alpha: Tenant) -> None:
    writer, guest = person(host, alpha, "edit"), person(host, alpha, None)
    outer = collection(alpha)
    inner = collection(alpha, outer)
    made = space(alpha, inner)
    at = f"/v1/spaces/{made}"

    def shown(who: Person) -> tuple[int, bool, bool]:
        answer = who.api.get(at)
        allowed = answer.json.get("permissions", {}) if answer.status == 200 else {}
        return answer.status, allowed.get("comment", False), allowed.get("edit", False)

    def default(path: str, level: str | None) -> None:
        assert alpha.api.call("PATCH", path, {"defaultLevel": level}).status == 200

    assert shown(writer) == (200, True, True) and shown(guest)[0] == 404
    default(f"/v1/collections/{outer}", "comment")
    assert shown(writer) == (200, True, False) and shown(guest)[0] == 404
    default(f"/v1/collections/{inner}", None)
    assert shown(writer)[0] == 404
    assert writer.api.get(f"/v1/collections/{inner}").status == 404
    assert writer.api.get(f"/v1/collections/{outer}").status == 200
    listed = writer.api.get(f"/v1/orgs/{alpha.id}/collections", limit=1000).json["items"]
    assert outer in {one["id"] for one in listed} and inner not in {one["id"] for one in listed}
    default(at, "read")
    assert shown(writer) == (200, False, False)
    default(at, "inherit")
    assert shown(writer)[0] == 404
    default(f"/v1/collections/{inner}", "inherit")
    assert shown(writer) == (200, True, False)
    assert alpha.api.get(at).json["permissions"]["admin"]
    default(f"/v1/collections/{outer}", "create")
    refused = writer.api.call("PATCH", f"/v1/collections/{outer}", {"defaultLevel": "admin"})
    assert refused.status == 403 and "role `admin`" in refused.text
    assert writer.api.call("PATCH", f"/v1/collections/{outer}", {"title": "Theirs"}).status == 200


def test_what_was_given_adds_to_the_default(host: HostProcess, alpha: Tenant) -> None:
    reader, guest = person(host, alpha), person(host, alpha, None)
    both = team(alpha, reader, guest)
    outer = collection(alpha)
    inner = collection(alpha, outer)
    made = space(alpha, inner)
    at = f"/v1/spaces/{made}"
    give(alpha, f"/v1/collections/{outer}", "comment", teams=[both])
    for who in (reader, guest):
        allowed = who.api.get(at).json["permissions"]
        assert allowed["comment"] and not allowed["edit"]
        assert [one["id"] for one in who.api.get(f"/v1/collections/{inner}/spaces").json["items"]] == [made]
    give(alpha, at, "review", users=[guest.id])
    assert guest.api.get(at).json["permissions"]["merge"] and not reader.api.get(at).json["permissions"]["merge"]
    give(alpha, at, "read", users=[guest.id])
    assert guest.api.get(at).json["permissions"]["comment"]
    assert alpha.api.call("DELETE", f"/v1/collections/{outer}/permissions/teams/{both}").status == 205
    assert not guest.api.get(at).json["permissions"]["comment"]
    give(alpha, at, None, users=[guest.id])
    assert guest.api.get(at).status == 404 and reader.api.get(at).status == 200
    give(alpha, at, "edit", teams=[both])
    assert guest.api.get(at).status == 200
    members = f"/v1/orgs/{alpha.id}/teams/{both}/members/{guest.id}"
    assert alpha.api.call("DELETE", members).status == 205
    assert guest.api.get(at).status == 404


def test_who_leaves_loses_what_was_given(host: HostProcess, alpha: Tenant) -> None:
    guest = person(host, alpha, None)
    made = space(alpha)
    give(alpha, f"/v1/spaces/{made}", "admin", users=[guest.id])
    assert guest.api.get(f"/v1/spaces/{made}").status == 200
    assert alpha.api.call("DELETE", f"/v1/orgs/{alpha.id}/members/{guest.id}").status == 205
    assert guest.api.get(f"/v1/spaces/{made}").status == 404
    assert alpha.api.get(f"/v1/spaces/{made}/permissions/users").json["items"] == []


def test_access_is_given_listed_changed_and_taken_away(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    reader, guest = person(host, alpha), person(host, alpha, None)
    group = team(alpha, reader)
    stranger, foreign = person(host, beta), team(beta)
    for at in (f"/v1/spaces/{space(alpha)}", f"/v1/collections/{collection(alpha)}"):
        path = f"{at}/permissions"
        mail = f"{guest.id}@EXAMPLE.com"
        give(alpha, at, "edit", users=[reader.id, mail, guest.id], teams=[group])
        people = alpha.api.get(f"{path}/users").json
        assert people["count"] == 2
        assert {one["user"]["id"]: one["permission"] for one in people["items"]} == {
            reader.id: "edit",
            guest.id: "edit",
        }
        teams = alpha.api.get(f"{path}/teams").json["items"]
        assert [(one["team"]["id"], one["permission"]) for one in teams] == [(group, "edit")]
        assert alpha.api.call("PATCH", f"{path}/users/{guest.id}", {"role": "comment"}).status == 204
        assert alpha.api.call("PATCH", f"{path}/users/{guest.id}", {}).status == 204
        assert alpha.api.call("PATCH", f"{path}/teams/{group}", {"role": "review"}).status == 204
        every = {
            one["user"]["id"]: one["permission"] for one in alpha.api.get(f"{path}/aggregate", limit=1000).json["items"]
        }
        assert (every[reader.id], every[guest.id], every[alpha.user]) == ("review", "comment", "admin")
        reviewers = alpha.api.get(f"{path}/aggregate", role="review").json
        assert reader.id in {one["user"]["id"] for one in reviewers["items"]}
        assert reviewers["count"] == len(reviewers["items"])
        assert guest.id not in {one["user"]["id"] for one in reviewers["items"]}
        for method, target in (("PATCH", f"users/{alpha.user}"), ("PATCH", f"teams/{foreign}")):
            assert alpha.api.call(method, f"{path}/{target}", {"role": "read"}).status == 404
        for body in (
            {"role": "read", "users": [stranger.id]},
            {"role": "read", "teams": [foreign]},
            {"role": "read", "users": ["nobody@example.com"]},
        ):
            assert alpha.api.post(path, body).status == 404
        for body in ({"role": "read"}, {"users": [reader.id]}, {"role": "read", "users": ["x"] * 10_000}):
            assert alpha.api.post(path, body).status == 400
        for who in (reader, guest):
            assert who.api.get(f"{path}/users").status == 403
            assert who.api.post(path, {"role": "admin", "users": [who.id]}).status == 403
        assert alpha.api.call("PATCH", f"{path}/users/{guest.id}", {"role": None}).status == 204
        assert alpha.api.call("DELETE", f"{path}/users/{guest.id}").status == 204
        assert alpha.api.call("DELETE", f"{path}/users/{reader.id}").status == 205
        assert alpha.api.call("DELETE", f"{path}/teams/{group}").status == 205
        assert alpha.api.get(f"{path}/users").json["items"] == [] == alpha.api.get(f"{path}/teams").json["items"]


def test_spaces_of_members_and_teams_are_counted_as_they_see_them(host: HostProcess, alpha: Tenant) -> None:
    made = alpha.api.post("/v1/orgs", {"title": "Counted"}).json["id"]
    owner = Tenant(made, alpha.user, alpha.api)
    reader, guest = person(host, owner), person(host, owner, None)
    group = team(owner, reader)
    folder = collection(owner)
    space(owner)
    closed, inside = space(owner), space(owner, folder)
    assert owner.api.call("PATCH", f"/v1/spaces/{closed}", {"defaultLevel": None}).status == 200
    assert owner.api.call("PATCH", f"/v1/collections/{folder}", {"defaultLevel": None}).status == 200

    def counted() -> dict[str, int]:
        items = owner.api.get(f"/v1/orgs/{made}/members").json["items"]
        return {one["id"]: one["spaces"] for one in items}

    assert counted() == {alpha.user: 3, reader.id: 1, guest.id: 0}
    give(owner, f"/v1/collections/{folder}", "read", teams=[group], users=[reader.id, guest.id])
    give(owner, f"/v1/spaces/{closed}", "read", teams=[group])
    assert counted() == {alpha.user: 3, reader.id: 3, guest.id: 1}
    assert owner.api.get(f"/v1/orgs/{made}/teams/{group}").json["spaces"] == 2
    mine = owner.api.get(f"/v1/orgs/{made}/members/{guest.id}/spaces").json["items"]
    assert [(one["space"]["id"], one["permission"]) for one in mine] == [(inside, "read")]
    assert len(owner.api.get(f"/v1/orgs/{made}/members/{reader.id}/spaces").json["items"]) == 3


def test_nobody_gains_by_moving(host: HostProcess, alpha: Tenant) -> None:
    maker = person(host, alpha, "create")
    mine, closed = collection(alpha), collection(alpha)
    give(alpha, f"/v1/collections/{mine}", "admin", users=[maker.id])
    assert alpha.api.call("PATCH", f"/v1/collections/{closed}", {"defaultLevel": "read"}).status == 200
    taken, kept = space(alpha), space(alpha, closed)
    refused = maker.api.post(f"/v1/spaces/{taken}/move", {"parent": mine})
    assert refused.status == 403 and "higher level" in refused.text
    assert "parent" not in alpha.api.get(f"/v1/spaces/{taken}").json
    assert maker.api.post(f"/v1/spaces/{kept}/move", {"parent": None}).status == 403
    assert maker.api.post(f"/v1/spaces/{taken}/move", {"parent": closed}).status == 403
    assert alpha.api.post(f"/v1/spaces/{taken}/move", {"parent": mine}).status == 200


def test_nobody_lets_others_in_by_moving(host: HostProcess, alpha: Tenant) -> None:
    """Who gives access administers it; a move by somebody who does not gives none."""
    maker, friend, reader = person(host, alpha, "create"), person(host, alpha, None), person(host, alpha, "read")
    outer, shared, plain = collection(alpha), collection(alpha), collection(alpha)
    assert alpha.api.call("PATCH", f"/v1/collections/{outer}", {"defaultLevel": None}).status == 200
    secret = space(alpha, outer)
    give(alpha, f"/v1/spaces/{secret}", "create", users=[maker.id])
    give(alpha, f"/v1/collections/{shared}", "read", users=[friend.id])
    for place in (outer, shared, plain):
        give(alpha, f"/v1/collections/{place}", "create", users=[maker.id])
    assert alpha.api.call("DELETE", f"/v1/collections/{plain}/permissions/users/{maker.id}").status == 205
    refused = maker.api.post(f"/v1/spaces/{secret}/move", {"parent": shared})
    assert refused.status == 403 and "more access" in refused.text
    assert maker.api.post(f"/v1/spaces/{secret}/move", {"parent": plain}).status == 200
    for outsider in (friend, reader):  # the default level that closed it came along
        assert outsider.api.get(f"/v1/spaces/{secret}").status == 404
    assert alpha.api.post(f"/v1/spaces/{secret}/move", {"parent": shared}).status == 200
    assert friend.api.get(f"/v1/spaces/{secret}").status == 200


def test_where_roles_hold_nobody_moves_it_to_where_they_do_not(host: HostProcess, alpha: Tenant) -> None:
    maker, reader = person(host, alpha, "create"), person(host, alpha, "read")
    open_to_all, plain = collection(alpha), collection(alpha)
    assert alpha.api.call("PATCH", f"/v1/collections/{open_to_all}", {"defaultLevel": "create"}).status == 200
    top, inside, own = space(alpha), space(alpha, plain), collection(alpha)
    for kind, one in (("spaces", top), ("spaces", inside), ("collections", own)):
        refused = maker.api.post(f"/v1/{kind}/{one}/move", {"parent": open_to_all})
        assert refused.status == 403 and "more access" in refused.text
    assert not reader.api.get(f"/v1/spaces/{top}").json["permissions"]["edit"]
    assert alpha.api.post(f"/v1/spaces/{top}/move", {"parent": open_to_all}).status == 200
    assert reader.api.get(f"/v1/spaces/{top}").json["permissions"]["edit"]


def test_what_is_closed_inside_is_not_opened_from_outside(host: HostProcess, alpha: Tenant) -> None:
    maker, friend = person(host, alpha, "create"), person(host, alpha, None)
    outer, mine = collection(alpha), collection(alpha)
    closed = space(alpha, outer)
    assert alpha.api.call("PATCH", f"/v1/collections/{outer}", {"defaultLevel": "admin"}).status == 200
    assert alpha.api.call("PATCH", f"/v1/spaces/{closed}", {"defaultLevel": None}).status == 200
    give(alpha, f"/v1/collections/{mine}", "create", users=[maker.id])
    give(alpha, f"/v1/collections/{outer}", "read", users=[friend.id])
    assert maker.api.get(f"/v1/collections/{outer}").json["permissions"]["admin"]
    path = f"/v1/collections/{outer}/permissions"
    for answer in (
        maker.api.post(path, {"role": "admin", "users": [maker.id]}),
        maker.api.call("PATCH", f"{path}/users/{friend.id}", {"role": "admin"}),
        maker.api.post(f"/v1/collections/{outer}/move", {"parent": mine}),
        maker.api.call("DELETE", f"/v1/collections/{outer}"),
    ):
        assert answer.status == 403 and "inside" in answer.text
    assert maker.api.get(f"/v1/spaces/{closed}").status == 404
    assert maker.api.call("DELETE", f"{path}/users/{friend.id}").status == 205
    # Whoever has all of it on either side, but gains on something inside, does not move it either.
    give(alpha, f"/v1/spaces/{closed}", "create", users=[maker.id])
    give(alpha, f"/v1/collections/{mine}", "admin", users=[maker.id])
    refused = maker.api.post(f"/v1/collections/{outer}/move", {"parent": mine})
    assert refused.status == 403 and "higher level" in refused.text


def test_scripts_decide_over_no_access(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, scopes=["space:metadata:read", "space:metadata:write"], blocks=[])
    api, at = as_installation(one), f"/v1/spaces/{one.space}"
    assert api.call("PATCH", at, {"title": "Mine"}).status == 200
    assert api.call("PATCH", at, {"defaultLevel": "admin"}).status == 403
    assert api.call("DELETE", at).status == 403
    folder = collection(alpha)
    assert api.get(f"/v1/collections/{folder}").status == 404
    assert api.get(f"/v1/orgs/{alpha.id}/collections").status == 403
    for path in ("permissions/users", "permissions/teams", "permissions/aggregate"):
        assert api.get(f"{at}/{path}").status == 403


@dataclass
class Actor:
    """Somebody with a level on a space and a collection, however they came by it."""

    name: str
    api: Api
    level: Role | None
    guest: bool = False
    script: bool = False
    allowed: frozenset[str] = field(default_factory=frozenset)


@pytest.fixture(scope="module")
def place(alpha: Tenant) -> Place:
    outer = collection(alpha)
    inner = collection(alpha, outer)
    return Place(outer, inner, space(alpha, inner))


@pytest.fixture(scope="module")
def actors(host: HostProcess, alpha: Tenant, beta: Tenant, place: Place) -> list[Actor]:
    """Give everybody there is: by role, by what was granted to them or their team, from elsewhere, and scripts."""
    found = [Actor(f"role {role}", person(host, alpha, role).api, role) for role in ROLES]
    found.append(Actor("guest", person(host, alpha, None).api, None, guest=True))
    for role in ROLES:
        guest, member = person(host, alpha, None), person(host, alpha)
        group = team(alpha, member)
        give(alpha, f"/v1/collections/{place.outer}", role, users=[guest.id], teams=[group])
        found.append(Actor(f"guest given {role}", guest.api, role, guest=True))
        found.append(Actor(f"team given {role}", member.api, role))
    found.append(Actor("other organization", beta.api, None))
    gone = person(host, alpha, "admin")
    assert alpha.api.call("DELETE", f"/v1/orgs/{alpha.id}/members/{gone.id}").status == 205
    found.append(Actor("left", gone.api, None))
    for selected, scopes in ((True, ["space:metadata:read"]), (True, []), (False, ["space:metadata:read"])):
        one = installed(alpha, SCRIPT, scopes=scopes, blocks=[])
        if selected:
            path = f"{one.path}/installations/{one.installation}/spaces"
            assert alpha.api.post(path, {"space": place.space}).status == 201
        allowed = frozenset({"view space"}) if selected and scopes else frozenset()
        found.append(
            Actor(f"installation {selected} {scopes}", as_installation(one), None, script=True, allowed=allowed)
        )
    return found


@pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.name)
def test_what_permissions_promise_is_what_the_server_does(
    deed: Deed, actors: list[Actor], place: Place, alpha: Tenant
) -> None:
    for actor in actors:
        answer = deed.send(actor.api, place, alpha)
        where = (deed.name, actor.name, answer.status, answer.text)
        if actor.script:
            assert (answer.status == 200) == (deed.name in actor.allowed), where
            assert answer.status in (200, 403, 404), where
            continue
        may = reaches(actor.level, deed.needs) and (deed.guests or not actor.guest)
        assert (answer.status in deed.done) == may, where
        if not may:
            # Guests see the organization in which they would make something, whatever was granted to them.
            seen = actor.level is not None or (actor.guest and deed.name.startswith("make"))
            assert answer.status == (403 if seen else deed.unseen), where
        if deed.promise is not None and actor.level is not None:
            kind, promise = deed.promise
            shown = actor.api.get(f"/v1/{kind}s/{getattr(place, kind)}").json["permissions"]
            assert shown[promise] == may or (promise == "admin" and actor.guest and not deed.guests), where


def test_promises_follow_the_level(actors: list[Actor], place: Place) -> None:
    for actor in actors:
        answer = actor.api.get(f"/v1/spaces/{place.space}")
        if actor.level is None:
            assert answer.status == (200 if "view space" in actor.allowed else 403 if actor.script else 404) or (
                actor.script and answer.status == 404
            )
            continue
        allowed = answer.json["permissions"]
        for promise, needed in (("view", "read"), ("comment", "comment"), ("edit", "edit"), ("merge", "review")):
            assert allowed[promise] == reaches(actor.level, needed), (actor.name, promise)  # type: ignore[arg-type]
        assert allowed["admin"] == (actor.level == "admin")
        assert allowed["installIntegration"] == (actor.name == "role admin"), actor.name


def test_beside_installations_whole_spaces_are_shown_to_who_sees_them(host: HostProcess, alpha: Tenant) -> None:
    reader = person(host, alpha)
    one = installed(alpha, SCRIPT, scopes=["space:metadata:read"], blocks=[])
    path = f"{one.path}/installations/{one.installation}/spaces"
    assert reader.api.get(path, extended="true").json["items"][0]["space"]["id"] == one.space
    assert alpha.api.call("PATCH", f"/v1/spaces/{one.space}", {"defaultLevel": None}).status == 200
    assert reader.api.get(path, extended="true").json["items"][0]["space"] == one.space
    assert alpha.api.get(path, extended="true").json["items"][0]["space"]["id"] == one.space
    assert as_installation(one).get(path, extended="true").json["items"][0]["space"]["id"] == one.space
