"""Deleted spaces, as whoever may restore them finds them; for everybody else they are gone."""

from __future__ import annotations

from tests import databases
from tests.conftest import Api, HostProcess, Tenant
from tests.scenarios.answers import ok
from tests.scenarios.people import collection, give, person, space
from tests.scenarios.share_links import Shared, key_in


def deleted(api: Api, organization: str, **query: str) -> list[str]:
    return [one["id"] for one in ok(api.get(f"/v1/orgs/{organization}/spaces", deleted="true", **query))["items"]]


def test_who_may_restore_spaces_finds_them(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    owner = Tenant(ok(alpha.api.post("/v1/orgs", {"title": "Trash"}), 201)["id"], alpha.user, alpha.api)
    maker, keeper, reader = (person(host, owner, role) for role in ("create", "edit", "read"))
    folder = collection(owner)
    first, second, kept = space(owner, title="First"), space(owner, folder, title="Second"), space(owner)
    give(owner, f"/v1/spaces/{first}", "admin", users=[keeper.id])
    for one in (first, second):
        assert owner.api.call("DELETE", f"/v1/spaces/{one}").status == 205
    assert deleted(owner.api, owner.id) == [second, first] and deleted(keeper.api, owner.id) == [first]
    assert deleted(maker.api, owner.id) == deleted(reader.api, owner.id) == []
    assert beta.api.get(f"/v1/orgs/{owner.id}/spaces", deleted="true").status == 404
    page = ok(owner.api.get(f"/v1/orgs/{owner.id}/spaces", deleted="true", limit=1))
    assert page["count"] == 2
    assert deleted(owner.api, owner.id, page=page["next"]["page"]) == [first]
    usual = [one["id"] for one in ok(owner.api.get(f"/v1/orgs/{owner.id}/spaces"))["items"]]
    assert usual == [kept] and ok(owner.api.get(f"/v1/collections/{folder}/spaces"))["items"] == []
    shown = ok(owner.api.get(f"/v1/spaces/{second}"))
    assert shown["deletedAt"] >= shown["createdAt"] and shown["parent"] == folder
    assert not any(shown["permissions"].values())
    assert ok(keeper.api.get(f"/v1/spaces/{first}"))["deletedAt"]
    for one in (maker, reader):
        assert one.api.get(f"/v1/spaces/{first}").status == 404
    assert keeper.api.get(f"/v1/spaces/{second}").status == 404
    assert beta.api.get(f"/v1/spaces/{first}").status == 404
    ok(owner.api.post(f"/v1/spaces/{second}/restore"))
    assert deleted(owner.api, owner.id) == [first] and "deletedAt" not in ok(owner.api.get(f"/v1/spaces/{second}"))
    long_ago = "2020-01-01 00:00:00.000000"
    databases.ask(host.data, "UPDATE spaces SET deleted_at = ? WHERE id = ?", [long_ago, first])
    assert deleted(owner.api, owner.id) == [] and owner.api.get(f"/v1/spaces/{first}").status == 404


def test_nothing_else_is_done_with_a_deleted_space(alpha: Tenant) -> None:
    at = f"/v1/spaces/{space(alpha)}"
    assert alpha.api.call("DELETE", at).status == 205
    for place in ("content", "content/pages", "comments", "change-requests", "revisions/x", "links"):
        assert alpha.api.get(f"{at}/{place}").status == 404
    assert alpha.api.call("PATCH", at, {"title": "Other"}).status == 404
    assert alpha.api.post(f"{at}/duplicate").status == 404
    address = ok(alpha.api.get(at))["urls"]["app"]
    assert alpha.api.get("/v1/urls/content", url=address).status == 404


def test_a_key_does_not_show_deleted_spaces(alpha: Tenant, beta: Tenant) -> None:
    shared = Shared(alpha)
    ok(beta.api.get(shared.at, shareKey=key_in(shared.url)))
    assert alpha.api.call("DELETE", shared.at).status == 205
    assert beta.api.get(shared.at, shareKey=key_in(shared.url)).status == 404
