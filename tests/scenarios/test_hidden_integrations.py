"""Private integrations exist for their owner and who installed them; unlisted ones are found by name, never listed."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests import databases
from tests.conftest import Api, HostProcess, Installed, Tenant, installed, publication
from tests.contract.requests_table import render_query
from tests.scenarios.script_tokens import TOKENS, script_tokens

PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"x" * 100).decode()
VISIBILITIES = ("private", "unlisted", "public")
FOREIGN = ("stranger", "stranger's integration", "stranger's installation", "neighbour", "neighbour's installation")


@dataclass
class Cast:
    """One integration of each visibility, and everybody who asks for them."""

    hidden: dict[str, Installed]
    asking: dict[str, Api]
    stranger: Tenant


@pytest.fixture(scope="module")
def cast(host: HostProcess, alpha: Tenant, beta: Tenant) -> Cast:
    hidden = {one: installed(alpha, TOKENS, visibility=one, icon=PICTURE) for one in VISIBILITIES}
    theirs, neighbour = installed(beta, TOKENS), installed(alpha, TOKENS)
    asking = {"owner": alpha.api, "stranger": beta.api}
    for whose, one in (("stranger", theirs), ("neighbour", neighbour)):
        held = script_tokens(one)
        asking[whose if whose == "neighbour" else "stranger's integration"] = held["integration"]
        asking[f"{whose}'s installation"] = held["installation"]
    return Cast(hidden, asking, beta)


def names(api: Api, path: str, **query: str) -> set[str]:
    return {one["name"] for one in api.get(path, limit="1000", **query).json["items"]}


@pytest.mark.parametrize("who", FOREIGN)
def test_only_public_ones_are_listed_to_others(who: str, cast: Cast) -> None:
    api, own = cast.asking[who], {visibility: one.name for visibility, one in cast.hidden.items()}
    seen = names(api, "/v1/integrations")
    assert own["public"] in seen
    assert not {own["private"], own["unlisted"]} & seen
    for visibility, name in own.items():
        found = api.get("/v1/integrations", search=name).json
        assert (found["count"], len(found["items"])) == ((1, 1) if visibility == "public" else (0, 0))
        assert name in names(api, "/v1/integrations", owner=cast.hidden["public"].owner.id) or visibility != "public"


@pytest.mark.parametrize("who", FOREIGN)
def test_a_private_one_is_not_there_and_an_unlisted_one_is_found_by_name(who: str, cast: Cast) -> None:
    api = cast.asking[who]
    script = who != "stranger"
    for visibility, one in cast.hidden.items():
        there = 404 if visibility == "private" else 403 if script else 200
        assert api.get(one.path).status == there, (visibility, who)
        for method, path in (
            ("GET", f"{one.path}/events"),
            ("GET", f"{one.path}/events/stream"),
            ("GET", f"{one.path}/installations"),
            ("GET", f"{one.path}/versions"),
            ("GET", f"{one.path}/dev"),
            ("GET", f"{one.path}/installations/{one.installation}"),
            ("POST", f"{one.path}/installations"),
            ("POST", f"{one.path}/rollback"),
        ):
            answer = api.call(method, path, {} if method == "POST" else None)
            refused = (404,) if visibility == "private" else (400, 403, 404)
            assert answer.status in refused, (path, answer.text)
        body = {"componentId": "x", "props": {}, "context": one.context()}
        assert api.post(f"{one.path}/render", body).status == (403 if script and visibility != "private" else 404)
    hidden = cast.hidden["private"]
    absent = api.get("/v1/integrations/not-there").json["error"]["message"]
    told = api.get(hidden.path).json["error"]["message"]
    assert told.replace(hidden.name, "not-there") == absent


def test_owner_and_installers_find_and_list_all(cast: Cast, host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    every = {one.name for one in cast.hidden.values()}
    assert every <= names(alpha.api, "/v1/integrations")
    assert every <= names(alpha.api, f"/v1/orgs/{alpha.id}/integrations")
    theirs = names(beta.api, f"/v1/orgs/{beta.id}/integrations")
    assert every & theirs == {cast.hidden["public"].name}
    # Installed while it was public; then its owner withdraws it from everybody else.
    name = f"test-{new_id()[:8].lower()}"
    path = f"/v1/integrations/{name}"
    assert alpha.api.post(path, publication(alpha.id, TOKENS, visibility="public")).status == 200
    made = beta.api.post(f"{path}/installations", {"organization": beta.id}).json
    for visibility in ("private", "unlisted"):
        assert alpha.api.post(path, publication(alpha.id, TOKENS, visibility=visibility)).status == 200
        assert beta.api.get(path).status == 200
        for listing in ("/v1/integrations", f"/v1/orgs/{beta.id}/integrations"):
            assert name in names(beta.api, listing)
    assert beta.api.call("DELETE", f"{path}/installations/{made['id']}").status == 205
    assert beta.api.get(path).status == 200
    assert name not in names(beta.api, "/v1/integrations")
    assert alpha.api.post(path, publication(alpha.id, TOKENS, visibility="private")).status == 200
    assert beta.api.get(path).status == 404


def test_a_guest_of_the_owner_is_nobody(cast: Cast, host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    moment = "2026-01-01 00:00:00.000000"
    databases.ask(
        host.data,
        "INSERT INTO members (organization_id, user_id, role, joined_at) VALUES (?, ?, NULL, ?)",
        (alpha.id, beta.user, moment),
    )
    databases.ask(host.data, "UPDATE epochs SET n = n + 1")
    try:
        assert beta.api.get(cast.hidden["private"].path).status == 404
        assert cast.hidden["unlisted"].name not in names(beta.api, "/v1/integrations")
    finally:
        where = "organization_id = ? AND user_id = ?"
        databases.ask(host.data, f"DELETE FROM members WHERE {where}", (alpha.id, beta.user))
        databases.ask(host.data, "UPDATE epochs SET n = n + 1")


def test_pictures_of_a_private_one_are_found_by_whom_it_was_shown_to(cast: Cast, alpha: Tenant) -> None:
    for visibility, one in cast.hidden.items():
        shown = alpha.api.get(one.path).json
        assert requests.get(shown["urls"]["icon"], timeout=30).status_code == 200
        guessed = f"{alpha.api.url}{one.path}/assets/{shown['version']}/icon.png"
        assert requests.get(guessed, timeout=30).status_code == (404 if visibility == "private" else 200)


def test_visitors_of_a_private_ones_installations_are_served(cast: Cast, alpha: Tenant) -> None:
    """Services and browsers that call an endpoint have no token; what the script tells them is the script's matter."""
    one = cast.hidden["private"]
    shown = alpha.api.get(f"{one.path}/installations/{one.installation}").json
    assert requests.get(shown["urls"]["publicEndpoint"] + "/tokens", timeout=30).status_code == 200
    scripts = alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{one.site}/integration-scripts").json
    assert requests.get(scripts[0]["script"], timeout=30).status_code == 200


def test_a_script_sees_no_blocks_of_private_neighbours(alpha: Tenant) -> None:
    one = installed(alpha, TOKENS)
    block = {"blocks": [{"id": "secret", "title": "Secret", "urlUnfurl": ["https://secret.example.com/**"]}]}
    quiet = installed(alpha, TOKENS, visibility="private", **block)
    mine = f"{quiet.path}/installations/{quiet.installation}/spaces"
    assert alpha.api.post(mine, {"space": one.space}).status == 201
    told = {entry["name"] for entry in alpha.api.get(f"/v1/spaces/{one.space}/integration-blocks").json}
    assert {one.name, quiet.name} <= told
    address = "https://secret.example.com/x"
    assert alpha.api.get(f"/v1/spaces/{one.space}/embed", url=address).json["type"] == "integration"
    for api in script_tokens(one).values():
        told = {entry["name"] for entry in api.get(f"/v1/spaces/{one.space}/integration-blocks").json}
        assert one.name in told and quiet.name not in told
        assert api.get(f"/v1/spaces/{one.space}/embed", url=address).json["type"] == "link"


def test_a_render_by_get_of_a_private_one_is_not_there(cast: Cast, beta: Tenant) -> None:
    class Of:
        installed = cast.hidden["private"]

    query = render_query(Of)  # type: ignore[arg-type]
    assert beta.api.get(f"{Of.installed.path}/render", **query).status == 404
