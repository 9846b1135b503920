"""Blocks in a space, and the block that a pasted address becomes."""

from __future__ import annotations

from typing import Any

from tests.conftest import COUNTER, Installed, Tenant, installed, publication

BLOCKS: list[dict[str, Any]] = [
    {"id": "counter", "title": "Counter"},
    {
        "id": "issue",
        "title": "An issue",
        "description": "Shows an issue.",
        "urlUnfurl": ["https://*.tracker.example/browse/**", "https://tracker.example/*/issues/**"],
        "markdown": {"codeblock": "issue", "body": "content"},
    },
]
ISSUE = "https://team.tracker.example/browse/ABC-1?view=full"


def made(owner: Tenant, **more: Any) -> Installed:
    return installed(owner, COUNTER, blocks=BLOCKS, **more)


def test_a_space_lists_the_blocks_that_are_active_there(alpha: Tenant, beta: Tenant) -> None:
    one = made(alpha)
    elsewhere = made(alpha)  # on a space of its own
    path = f"/v1/spaces/{one.space}/integration-blocks"

    def listed() -> dict[str, Any]:
        return {row["name"]: row["blocks"] for row in alpha.api.get(path).json}

    assert listed()[one.name] == BLOCKS
    assert elsewhere.name not in listed()
    part = f"{one.path}/installations/{one.installation}/spaces/{one.space}"
    assert alpha.api.call("PATCH", part, {"status": "paused"}).status == 200
    assert one.name not in listed()
    assert alpha.api.call("PATCH", part, {"status": "active"}).status == 200
    assert listed()[one.name] == BLOCKS
    assert alpha.api.call("DELETE", part).status == 205
    assert one.name not in listed()
    assert beta.api.get(path).status == 404


def test_an_address_becomes_a_block_or_a_link(alpha: Tenant, beta: Tenant) -> None:
    one = made(alpha)
    in_space = f"/v1/spaces/{one.space}/embed"
    embed = alpha.api.get(in_space, url=ISSUE).json
    assert embed == {
        "type": "integration",
        "title": "An issue",
        "site": "team.tracker.example",
        "integration": one.name,
        "block": BLOCKS[1],
    }
    plain = {"type": "link", "title": "https://example.com/x", "site": "example.com"}
    assert alpha.api.get(in_space, url="https://example.com/x").json == plain
    assert alpha.api.get(in_space, url="https://evil.example/.tracker.example/browse/x").json["type"] == "link"
    elsewhere = made(alpha).space
    assert alpha.api.get(f"/v1/spaces/{elsewhere}/embed", url=ISSUE).json["integration"] != one.name
    assert alpha.api.get("/v1/urls/embed", url=ISSUE).json["type"] == "integration"
    assert beta.api.get("/v1/urls/embed", url=ISSUE).json["type"] == "link"  # not installed there
    for url in ("", "nothing", "javascript:alert(1)", "https://", "ftp://example.com/", "https://a b/", "x" * 3000):
        for at in (in_space, "/v1/urls/embed"):
            refused = alpha.api.get(at, url=url)
            assert refused.status == 400 and "url" in refused.json["error"]["message"], url
    assert alpha.api.get("/v1/urls/embed").status == 400


def test_blocks_of_an_integration_for_organizations_are_in_each_of_its_spaces(alpha: Tenant, beta: Tenant) -> None:
    one = made(alpha, target="organization")
    path = f"/v1/spaces/{one.space}/integration-blocks"

    def listed() -> dict[str, Any]:
        return {row["name"]: row["blocks"] for row in alpha.api.get(path).json}

    assert listed()[one.name] == BLOCKS
    assert one.render().json["state"] == {"count": 0}
    later = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    assert one.render(context=one.context(spaceId=later)).status == 200
    foreign = beta.api.post(f"/v1/orgs/{beta.id}/spaces", {}).json["id"]
    assert one.render(context=one.context(spaceId=foreign)).status == 404
    at = f"{one.path}/installations/{one.installation}"
    assert alpha.api.call("PATCH", at, {"status": "paused"}).status == 200
    assert one.name not in listed() and one.render().status == 412
    assert alpha.api.call("DELETE", at).status == 205
    assert one.name not in listed() and one.render().status == 404


def test_an_author_does_not_decide_for_others_that_blocks_are_in_each_space(alpha: Tenant, beta: Tenant) -> None:
    one = made(alpha, visibility="public")
    chosen = beta.api.post(f"/v1/orgs/{beta.id}/spaces", {}).json["id"]
    other = beta.api.post(f"/v1/orgs/{beta.id}/spaces", {}).json["id"]
    there = beta.api.post(f"{one.path}/installations", {"organization": beta.id}).json["id"]
    assert beta.api.post(f"{one.path}/installations/{there}/spaces", {"space": chosen}).status == 201

    def blocks(owner: Tenant, space: str) -> tuple[int, bool, bool]:
        body = {"componentId": "counter", "props": {}, "context": one.context(spaceId=space)}
        names = [row["name"] for row in owner.api.get(f"/v1/spaces/{space}/integration-blocks").json]
        unfurled = owner.api.get(f"/v1/spaces/{space}/embed", url=ISSUE).json.get("integration") == one.name
        return owner.api.post(f"{one.path}/render", body).status, one.name in names, unfurled

    assert blocks(beta, chosen) == (200, True, True) and blocks(beta, other) == (404, False, False)
    own = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    assert blocks(alpha, own)[:2] == (404, False)
    body = publication(alpha.id, COUNTER, blocks=BLOCKS, visibility="public", target="organization")
    assert alpha.api.post(one.path, body).status == 200
    assert blocks(beta, chosen) == (200, True, True) and blocks(beta, other) == (404, False, False)
    assert blocks(alpha, own)[:2] == (200, True)  # it is the author's
    assert beta.api.call("DELETE", f"{one.path}/installations/{there}").status == 205
    assert beta.api.post(f"{one.path}/installations", {"organization": beta.id}).status == 201
    assert blocks(beta, other) == (200, True, True)
    assert alpha.api.post(one.path, body | {"target": "space"}).status == 200
    assert blocks(beta, other) == (404, False, False)
    assert alpha.api.post(one.path, body).status == 200  # whoever narrowed it meanwhile is not overruled
    assert blocks(beta, other) == (404, False, False)
    assert blocks(alpha, own)[:2] == (200, True)
