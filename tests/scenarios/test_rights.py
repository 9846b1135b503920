"""What the tokens of scripts may not do: decide where they act, read without a scope, see what is nobody's business."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator

import pytest
import requests

from runtime.engines.dev_tunnel.messages import ANSWER, BODY, END
from runtime.engines.frames import pack
from tests.conftest import Api, Installed, Tenant, installed, wait_for
from tests.scenarios.reading import Reading
from tests.scenarios.script_tokens import KINDS, TOKENS, script_tokens


@pytest.fixture(scope="module")
def one(alpha: Tenant) -> Iterator[Installed]:
    yield installed(alpha, TOKENS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_script_never_decides_where_it_is_installed(kind: str, one: Installed, alpha: Tenant) -> None:
    api = script_tokens(one)[kind]
    mine = f"{one.path}/installations/{one.installation}"
    space = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    site = alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Not chosen"}).json["id"]
    before = alpha.api.get(mine).json
    for method, path, body in (
        ("POST", f"{mine}/spaces", {"space": space}),
        ("POST", f"{mine}/sites", {"siteId": site}),
        ("DELETE", f"{mine}/spaces/{one.space}", None),
        ("DELETE", f"{mine}/sites/{one.site}", None),
        ("DELETE", mine, None),
        ("PATCH", mine, {"site_selection": "all"}),
        ("PATCH", mine, {"space_selection": "all", "configuration": {"a": 1}}),
        ("PATCH", mine, {"space_selection": "selected"}),
    ):
        answer = api.call(method, path, body)
        assert answer.status == 403, (method, path, answer.text)
        message = answer.json["error"]["message"]
        assert f"an {kind} token" in message and "role `admin`" in message
        assert "ask an administrator of the organization" in message
    assert api.post(f"{one.path}/installations", {"organization": alpha.id}).status == 403
    assert alpha.api.get(mine).json == before
    assert alpha.api.get(f"{mine}/spaces/{space}").status == alpha.api.get(f"{mine}/sites/{site}").status == 404
    assert alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{site}/integration-scripts").json == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", ["", "space", "site"])
def test_a_script_changes_what_people_installed_but_resumes_no_pause_of_theirs(
    kind: str, part: str, alpha: Tenant
) -> None:
    one = installed(alpha, TOKENS)
    api = script_tokens(one)[kind]
    mine = f"{one.path}/installations/{one.installation}"
    mine += {"": "", "space": f"/spaces/{one.space}", "site": f"/sites/{one.site}"}[part]
    changed = api.call("PATCH", mine, {"configuration": {"a": 1}, "externalIds": ["x"], "status": "paused"}).json
    assert (changed["configuration"], changed["externalIds"], changed["status"]) == ({"a": 1}, ["x"], "paused")
    assert api.call("PATCH", mine, {"status": "active"}).json["status"] == "active"
    assert alpha.api.call("PATCH", mine, {"status": "paused"}).json["status"] == "paused"
    assert api.call("PATCH", mine, {"status": "paused"}).json["status"] == "paused"
    refused = api.call("PATCH", mine, {"status": "active", "configuration": {"a": 2}})
    assert refused.status == 403 and "a person paused" in refused.json["error"]["message"]
    assert alpha.api.get(mine).json["configuration"] == {"a": 1}
    assert api.call("PATCH", mine, {"configuration": {"a": 3}}).json["status"] == "paused"
    assert alpha.api.call("PATCH", mine, {"status": "active"}).json["status"] == "active"
    assert api.call("PATCH", mine, {"status": "paused"}).json["status"] == "paused"
    assert api.call("PATCH", mine, {"status": "active"}).json["status"] == "active"


def test_an_answer_is_bound_to_the_tunnel_its_call_went_to(alpha: Tenant, beta: Tenant) -> None:
    holders = {"first": alpha, "second": alpha, "theirs": beta}
    tunnels = {
        name: holder.api.post(f"/v1/orgs/{holder.id}/tunnels", {"name": f"bound {name}"}).json
        for name, holder in holders.items()
    }
    streams = {name: Reading(one.api, f"/v1/tunnels/{tunnels[name]['id']}/stream") for name, one in holders.items()}
    came: list[requests.Response] = []
    caller = threading.Thread(target=lambda: came.append(requests.get(tunnels["first"]["url"] + "/x", timeout=30)))
    caller.start()
    call = wait_for(lambda: re.search(r"event: call\nid: (\S+)", streams["first"].text))[1]

    def answer(api: Api, tunnel: str, body: bytes) -> int:
        head = json.dumps({"status": 200, "headers": [], "call": call}).encode()
        frames = pack(ANSWER, head) + pack(BODY, body) + pack(END, b"")
        return api.call("POST", f"/v1/tunnels/{tunnels[tunnel]['id']}/answers/{call}", data=frames).status

    assert answer(beta.api, "first", b"forged") == 404
    assert answer(beta.api, "theirs", b"forged") == 404
    assert answer(alpha.api, "second", b"forged") == 404
    assert answer(alpha.api, "first", b"true") == 204
    caller.join(timeout=30)
    assert came[0].content == b"true"
