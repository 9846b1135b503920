"""Collections and the spaces in them: made, moved, given away, deleted and brought back, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests import databases
from tests.conftest import Answer, Api, HostProcess, Tenant, installed, tenant, wait_for
from tests.scenarios.people import collection, give, person, space


def beside(kind: str, identifier: str) -> dict[str, str]:
    return {"type": kind, kind: identifier}


def order(owner: Tenant, parent: str) -> list[str]:
    return [one["id"] for one in owner.api.get(f"/v1/collections/{parent}/spaces").json["items"]]


def move(owner: Tenant, kind: str, identifier: str, **body: Any) -> Answer:
    return owner.api.post(f"/v1/{kind}s/{identifier}/move", body)


def test_collections_are_nested_and_listed(alpha: Tenant, beta: Tenant) -> None:
    outer = collection(alpha, title="Outer")
    inner = collection(alpha, outer, "Inner")
    shown = alpha.api.get(f"/v1/collections/{inner}").json
    assert (shown["parent"], shown["title"], shown["defaultLevel"]) == (outer, "Inner", "inherit")
    assert shown["permissions"] == {"view": True, "admin": True, "viewInviteLinks": True, "create": True}
    path = f"/v1/orgs/{alpha.id}/collections"
    every = [one["id"] for one in alpha.api.get(path, limit=1000).json["items"]]
    top = [one["id"] for one in alpha.api.get(path, limit=1000, nested="false").json["items"]]
    assert {outer, inner} <= set(every) and outer in top and inner not in top
    change = {"title": "Renamed", "description": "What it holds", "defaultLevel": "comment"}
    changed = alpha.api.call("PATCH", f"/v1/collections/{inner}", change).json
    assert {key: changed[key] for key in change} == change
    inside = space(alpha, inner)
    assert alpha.api.get(f"/v1/spaces/{inside}").json["parent"] == inner
    assert order(alpha, inner) == [inside] and order(alpha, outer) == []
    for api_path in (f"/v1/collections/{inner}", f"/v1/collections/{inner}/spaces"):
        assert beta.api.get(api_path).status == 404
    assert beta.api.post(f"/v1/orgs/{beta.id}/spaces", {"parent": inner}).status == 400
    assert alpha.api.post(path).status == 201


def test_what_is_moved_stands_where_it_was_put(alpha: Tenant) -> None:
    folder = collection(alpha)
    a, b, c = (space(alpha, folder, title) for title in "abc")
    assert order(alpha, folder) == [a, b, c]
    assert move(alpha, "space", c, position={"before": beside("space", a)}).status == 200
    assert order(alpha, folder) == [c, a, b]
    assert move(alpha, "space", c, position={"after": beside("space", a)}).status == 200
    assert order(alpha, folder) == [a, c, b]
    both = {"after": beside("space", b), "before": beside("space", a)}
    assert move(alpha, "space", c, position=both).status == 400
    for position in ({"after": beside("space", a)}, {"before": beside("space", b)}):
        assert move(alpha, "space", c, position=position).status == 409
    assert move(alpha, "space", c, parent=folder).status == 409
    for body in ({}, {"position": {}}, {"position": {"before": beside("space", c)}}):
        assert move(alpha, "space", c, **body).status == 400
    elsewhere = space(alpha)
    assert move(alpha, "space", c, position={"before": beside("space", elsewhere)}).status == 400
    moved = move(alpha, "space", elsewhere, parent=folder, position={"before": beside("space", a)})
    assert moved.json["parent"] == folder and order(alpha, folder) == [elsewhere, a, c, b]
    top = move(alpha, "space", a, parent=None)
    assert "parent" not in top.json and order(alpha, folder) == [elsewhere, c, b]
    assert move(alpha, "space", a, parent=None).status == 409


def test_there_is_always_room_between_two(alpha: Tenant) -> None:
    folder = collection(alpha)
    first, last, a, b = (space(alpha, folder, title) for title in ("first", "last", "a", "b"))
    expected = [first, a, b, last]
    for one in (a, b) * 25:
        assert move(alpha, "space", one, position={"before": beside("space", last)}).status in (200, 409)
        expected.remove(one)
        expected.insert(expected.index(last), one)
    assert order(alpha, folder) == expected


def test_spaces_and_collections_stand_in_one_order(alpha: Tenant) -> None:
    folder = collection(alpha)
    inner = collection(alpha, folder)
    other = collection(alpha, folder)
    mine = space(alpha, folder)
    assert move(alpha, "space", mine, position={"before": beside("collection", inner)}).status == 200
    assert move(alpha, "collection", other, position={"before": beside("space", mine)}).status == 200
    assert move(alpha, "collection", other, position={"before": beside("space", mine)}).status == 409
    items = alpha.api.get(f"/v1/orgs/{alpha.id}/collections", limit=1000).json["items"]
    assert [one["id"] for one in items if one.get("parent") == folder] == [other, inner]


def test_nothing_stands_in_itself(alpha: Tenant) -> None:
    outer = collection(alpha)
    middle = collection(alpha, outer)
    inner = collection(alpha, middle)
    for target in (outer, middle, inner):
        refused = move(alpha, "collection", outer, parent=target)
        assert refused.status == 400 and refused.json["error"]["message"].startswith("parent")
    assert move(alpha, "collection", middle, parent=None).status == 200
    assert move(alpha, "collection", outer, parent=inner).status == 200
    assert alpha.api.get(f"/v1/collections/{outer}").json["parent"] == inner


def test_collections_are_not_deeper_than_a_hundred(alpha: Tenant) -> None:
    deepest = collection(alpha)
    for _ in range(99):
        deepest = collection(alpha, deepest)
    refused = alpha.api.post(f"/v1/orgs/{alpha.id}/collections", {"parent": deepest})
    assert refused.status == 400 and "100" in refused.text
    two = collection(alpha)
    assert move(alpha, "collection", two, parent=deepest).status == 400
    assert alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"parent": deepest}).status == 201


def test_a_space_is_deleted_and_restored(alpha: Tenant) -> None:
    one = installed(alpha, blocks=[])
    at = f"/v1/spaces/{one.space}"
    assert alpha.api.post(f"{at}/restore").status == 409
    assert alpha.api.call("DELETE", at).status == 205
    assert "deletedAt" in alpha.api.get(at).json and alpha.api.call("DELETE", at).status == 204
    listed = alpha.api.get(f"/v1/orgs/{alpha.id}/spaces", limit=1000).json["items"]
    assert one.space not in {item["id"] for item in listed}
    mine = f"{one.path}/installations/{one.installation}/spaces"
    assert alpha.api.get(mine).json["items"] == []
    assert alpha.api.post(mine, {"space": one.space}).status in (400, 404)
    told = wait_for(lambda: alpha.api.get(f"{one.path}/events", type="space_installation_deleted").json["items"])
    assert len(told) == 1
    back = alpha.api.post(f"{at}/restore")
    assert back.status == 200 and "deletedAt" not in back.json and alpha.api.get(at).status == 200
    assert alpha.api.get(mine).json["items"] == []
    assert alpha.api.post(mine, {"space": one.space}).status == 201


def test_what_covers_everything_covers_what_is_restored(alpha: Tenant) -> None:
    one = installed(alpha, blocks=[])
    mine = f"{one.path}/installations/{one.installation}"
    assert alpha.api.call("PATCH", mine, {"space_selection": "all"}).status == 200
    assert alpha.api.call("DELETE", f"/v1/spaces/{one.space}").status == 205
    assert one.space not in {item["space"] for item in alpha.api.get(f"{mine}/spaces", limit=1000).json["items"]}
    assert alpha.api.post(f"/v1/spaces/{one.space}/restore").status == 200
    assert one.space in {item["space"] for item in alpha.api.get(f"{mine}/spaces", limit=1000).json["items"]}


def test_only_who_administers_a_space_brings_it_back(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    maker, guest, keeper = (person(host, alpha, role) for role in ("create", None, None))
    made = space(alpha)
    give(alpha, f"/v1/spaces/{made}", "admin", users=[keeper.id])
    assert alpha.api.call("DELETE", f"/v1/spaces/{made}").status == 205
    refused = maker.api.post(f"/v1/spaces/{made}/restore")
    assert refused.status == 403 and "role `admin`" in refused.text
    assert guest.api.post(f"/v1/spaces/{made}/restore").status == 404
    assert beta.api.post(f"/v1/spaces/{made}/restore").status == 404
    assert keeper.api.post(f"/v1/spaces/{made}/restore").status == 200


def test_after_seven_days_a_space_does_not_come_back(host: HostProcess, alpha: Tenant) -> None:
    made = space(alpha)
    assert alpha.api.call("DELETE", f"/v1/spaces/{made}").status == 205
    databases.ask(host.data, "UPDATE spaces SET deleted_at = '2020-01-01 00:00:00.000000' WHERE id = ?", [made])
    assert alpha.api.post(f"/v1/spaces/{made}/restore").status == 404


def test_a_collection_goes_with_all_inside_and_what_was_closed_stays_closed(host: HostProcess, alpha: Tenant) -> None:
    reader = person(host, alpha)
    outer = collection(alpha)
    inner = collection(alpha, outer)
    open_one, closed = space(alpha, outer), space(alpha, inner)
    assert alpha.api.call("PATCH", f"/v1/collections/{inner}", {"defaultLevel": None}).status == 200
    assert reader.api.get(f"/v1/spaces/{closed}").status == 404
    assert alpha.api.call("DELETE", f"/v1/collections/{outer}").status == 205
    assert alpha.api.call("DELETE", f"/v1/collections/{outer}").status == 204
    assert alpha.api.get(f"/v1/collections/{inner}").status == 404
    for one in (open_one, closed):
        assert "deletedAt" in alpha.api.get(f"/v1/spaces/{one}").json
    for one in (open_one, closed):
        back = alpha.api.post(f"/v1/spaces/{one}/restore")
        assert back.status == 200 and "parent" not in back.json
    assert reader.api.get(f"/v1/spaces/{open_one}").status == 200
    assert reader.api.get(f"/v1/spaces/{closed}").status == 404


def test_who_does_not_administer_all_of_it_deletes_no_collection(host: HostProcess, alpha: Tenant) -> None:
    maker = person(host, alpha, "create")
    outer = collection(alpha)
    inside = space(alpha, outer)
    assert alpha.api.call("PATCH", f"/v1/collections/{outer}", {"defaultLevel": "admin"}).status == 200
    assert alpha.api.call("PATCH", f"/v1/spaces/{inside}", {"defaultLevel": "read"}).status == 200
    refused = maker.api.call("DELETE", f"/v1/collections/{outer}")
    assert refused.status == 403 and alpha.api.get(f"/v1/spaces/{inside}").status == 200
    assert alpha.api.call("PATCH", f"/v1/spaces/{inside}", {"defaultLevel": "inherit"}).status == 200
    assert maker.api.call("DELETE", f"/v1/collections/{outer}").status == 205


def test_a_copy_is_seen_by_who_saw_the_space(host: HostProcess, alpha: Tenant) -> None:
    reader, guest, maker = (person(host, alpha, role) for role in ("read", None, "create"))
    folder = collection(alpha)
    made = space(alpha, folder, "A title of fifty characters, which is a long one")
    change = {"defaultLevel": None, "visibility": "public", "emoji": "1f600"}
    assert alpha.api.call("PATCH", f"/v1/spaces/{made}", change).status == 200
    give(alpha, f"/v1/spaces/{made}", "comment", users=[guest.id])
    copied = alpha.api.post(f"/v1/spaces/{made}/duplicate")
    assert copied.status == 201 and copied.headers["Location"].endswith(copied.json["id"])
    assert (copied.json["parent"], copied.json["visibility"], copied.json["emoji"]) == (folder, "private", "1f600")
    assert copied.json["title"].endswith(" (copy)") and len(copied.json["title"]) <= 50
    copy = f"/v1/spaces/{copied.json['id']}"
    assert guest.api.get(copy).json["permissions"]["comment"] and reader.api.get(copy).status == 404
    assert guest.api.post(f"{copy}/duplicate").status == 403
    give(alpha, copy, "read", users=[maker.id])
    assert maker.api.post(f"{copy}/duplicate").status == 201


@pytest.fixture
def gamma(host: HostProcess, alpha: Tenant) -> Tenant:
    """Another organization of the same person."""
    made = alpha.api.post("/v1/orgs", {"title": "Gamma"})
    return Tenant(made.json["id"], alpha.user, alpha.api)


def test_a_space_is_given_to_another_organization(
    host: HostProcess, alpha: Tenant, beta: Tenant, gamma: Tenant
) -> None:
    one = installed(alpha, blocks=[])
    guest = person(host, alpha, None)
    at = f"/v1/spaces/{one.space}"
    refused = alpha.api.post(f"{at}/transfer", {"organization": gamma.id})
    assert refused.status == 412 and "site" in refused.text
    folder = collection(alpha)
    assert alpha.api.call("PATCH", f"/v1/collections/{folder}", {"defaultLevel": None}).status == 200
    made = space(alpha, folder)
    at = f"/v1/spaces/{made}"
    give(alpha, at, "edit", users=[guest.id])
    mine = f"{one.path}/installations/{one.installation}/spaces"
    assert alpha.api.post(mine, {"space": made}).status == 201
    assert alpha.api.post(f"{at}/transfer", {"organization": alpha.id}).status == 409
    assert alpha.api.post(f"{at}/transfer", {"organization": beta.id}).status == 404
    assert alpha.api.post(f"{at}/transfer", {"organization": "nowhere"}).status == 404
    gone = alpha.api.post(f"{at}/transfer", {"organization": gamma.id})
    assert gone.status == 200 and gone.json["organization"] == gamma.id and "parent" not in gone.json
    assert gone.json["defaultLevel"] is None  # it was closed by its collection
    assert guest.api.get(at).status == 404
    assert made not in {item["space"] for item in alpha.api.get(mine).json["items"]}
    assert wait_for(lambda: alpha.api.get(f"{one.path}/events", type="space_installation_deleted").json["items"])
    assert made in {item["id"] for item in gamma.api.get(f"/v1/orgs/{gamma.id}/spaces").json["items"]}


def test_a_collection_is_given_away_with_what_is_inside(alpha: Tenant, gamma: Tenant) -> None:
    outer = collection(alpha)
    inner = collection(alpha, outer)
    inside, deleted = space(alpha, inner), space(alpha, inner)
    assert alpha.api.call("DELETE", f"/v1/spaces/{deleted}").status == 205
    gone = alpha.api.post(f"/v1/collections/{inner}/transfer", {"organization": gamma.id})
    assert gone.status == 200 and gone.json["organization"] == gamma.id and "parent" not in gone.json
    assert alpha.api.get(f"/v1/spaces/{inside}").json["organization"] == gamma.id
    assert alpha.api.post(f"/v1/spaces/{deleted}/restore").json["organization"] == alpha.id
    sited = space(alpha, outer)
    assert alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Docs", "spaces": [sited]}).status == 201
    assert alpha.api.post(f"/v1/collections/{outer}/transfer", {"organization": gamma.id}).status == 412
    assert alpha.api.post(f"/v1/collections/{inner}/transfer", {"organization": gamma.id}).status == 409


def test_a_visibility_that_needs_a_collection(alpha: Tenant) -> None:
    folder = collection(alpha)
    loose, inside = space(alpha), space(alpha, folder)
    refused = alpha.api.call("PATCH", f"/v1/spaces/{loose}", {"visibility": "in-collection"})
    assert refused.status == 400 and "visibility" in refused.text
    changed = alpha.api.call("PATCH", f"/v1/spaces/{inside}", {"visibility": "in-collection"})
    assert changed.json["visibility"] == "in-collection"
    assert move(alpha, "space", inside, parent=None).json["visibility"] == "private"


TITLES = ["שלום עולם", "مرحبا", "👩‍👩‍👧", "می‌خواهم", "<b>bold</b>", "‮evil", "", "é" * 50]
BLANK = ["   ", "\u200b\u200d\ufeff", "\u2800", "\t\n", "\u202e", "\u3164"]


@pytest.mark.parametrize("title", TITLES)
def test_titles_stay_as_they_were_given(title: str, alpha: Tenant) -> None:
    for kind in ("spaces", "collections"):
        made = alpha.api.post(f"/v1/orgs/{alpha.id}/{kind}", {"title": title})
        assert made.status == 201 and made.json["title"] == title
        assert alpha.api.get(f"/v1/{kind}/{made.json['id']}").json["title"] == title


@pytest.mark.parametrize(
    "title", [*BLANK, "x" * 51, "x" * 2_000_000, 5, None, ["x"], "a\x00b"], ids=lambda one: str(one)[:8]
)
def test_titles_that_are_none_are_refused(title: Any, alpha: Tenant) -> None:
    kept = collection(alpha, title="Kept")
    for method, path in (
        ("POST", f"/v1/orgs/{alpha.id}/spaces"),
        ("POST", f"/v1/orgs/{alpha.id}/collections"),
        ("POST", f"/v1/orgs/{alpha.id}/translations"),
        ("PATCH", f"/v1/collections/{kept}"),
    ):
        if path.endswith("translations") and title == "x" * 51:
            continue
        answer = alpha.api.call(method, path, {"title": title})
        assert answer.status == 400 and "title" in answer.json["error"]["message"], (path, answer.text)
    assert alpha.api.get(f"/v1/collections/{kept}").json["title"] == "Kept"


def test_translations_are_settings_with_a_title(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    maker, reader = person(host, alpha, "create"), person(host, alpha)
    path = f"/v1/orgs/{alpha.id}/translations"
    made = maker.api.post(path, {"title": "Manual"})
    assert made.status == 201 and made.json["languages"] == [] and made.json["object"] == "translation-settings"
    one = f"{path}/{made.json['id']}"
    assert made.json["urls"]["location"].endswith(one)
    assert reader.api.get(one).json["permissions"] == {"view": True, "edit": False}
    assert reader.api.call("PUT", one, {"title": "Mine"}).status == 403
    assert reader.api.call("DELETE", one).status == 403
    assert beta.api.get(one).status == 404 and beta.api.get(path).status == 404
    assert maker.api.call("PUT", one, {"title": "Handbook"}).json["title"] == "Handbook"
    assert made.json["id"] in {item["id"] for item in reader.api.get(path).json["items"]}
    assert maker.api.call("DELETE", one).status == 205 and maker.api.call("DELETE", one).status == 204


def test_a_foreign_collection_is_nowhere(alpha: Tenant, beta: Tenant) -> None:
    foreign, mine = collection(beta), space(alpha)
    for body in ({"parent": foreign}, {"position": {"after": beside("collection", foreign)}}):
        assert alpha.api.post(f"/v1/spaces/{mine}/move", body).status == 400
    assert alpha.api.post(f"/v1/orgs/{alpha.id}/collections", {"parent": foreign}).status == 400


def anonymous(host: HostProcess) -> Api:
    return Api(host.url, None)


def test_an_organization_of_its_own_sees_nothing_of_others(host: HostProcess, alpha: Tenant) -> None:
    fresh = tenant(host, "Fresh", "fresh-collections@example.com")
    collection(alpha)
    for kind in ("collections", "spaces", "translations"):
        assert fresh.api.get(f"/v1/orgs/{fresh.id}/{kind}").json == {"items": [], "count": 0}
    assert anonymous(host).get(f"/v1/orgs/{fresh.id}/collections").status == 401
