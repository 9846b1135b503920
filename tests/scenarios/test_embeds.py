"""Blocks in a space, and the block that a pasted address becomes."""

from __future__ import annotations

from typing import Any

from tests.conftest import COUNTER, Installed, Tenant, installed

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
    made(alpha)  # on a space of its own
    listed = alpha.api.get(f"/v1/spaces/{one.space}/integration-blocks")
    assert listed.json == [{"name": one.name, "blocks": BLOCKS}]
    part = f"{one.path}/installations/{one.installation}/spaces/{one.space}"
    assert alpha.api.call("PATCH", part, {"status": "paused"}).status == 200
    assert alpha.api.get(f"/v1/spaces/{one.space}/integration-blocks").json == []
    assert alpha.api.call("PATCH", part, {"status": "active"}).status == 200
    assert len(alpha.api.get(f"/v1/spaces/{one.space}/integration-blocks").json) == 1
    assert alpha.api.call("DELETE", part).status == 205
    assert alpha.api.get(f"/v1/spaces/{one.space}/integration-blocks").json == []
    assert beta.api.get(f"/v1/spaces/{one.space}/integration-blocks").status == 404


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
