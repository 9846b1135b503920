"""The tokens a script is given: what they reach, seen from inside the sandbox through the script's own API clients."""

from __future__ import annotations

import pytest
import requests

from tests.conftest import Api, Installed, Tenant, installed
from tests.scenarios.script_calls import CALLS, call, endpoint


@pytest.fixture(scope="module")
def one(alpha: Tenant) -> Installed:
    return installed(alpha, CALLS)


def test_a_script_reads_and_configures_itself(one: Installed) -> None:
    mine = f"/v1/integrations/{one.name}/installations/{one.installation}"
    for kind in ("installation", "integration"):
        assert call(one, kind, "GET", f"/v1/integrations/{one.name}")["answer"]["name"] == one.name
        assert call(one, kind, "GET", mine)["answer"]["id"] == one.installation
        changed = call(one, kind, "PATCH", mine, {"configuration": {"by": kind}, "externalIds": [f"id-{kind}"]})
        assert changed["answer"]["configuration"] == {"by": kind}
        part = call(one, kind, "PATCH", f"{mine}/spaces/{one.space}", {"configuration": {"by": kind}})
        assert part["answer"]["configuration"] == {"by": kind}
        assert part["answer"]["space"] == one.space


def test_external_ids_are_looked_up(one: Installed) -> None:
    mine = f"/v1/integrations/{one.name}/installations/{one.installation}"
    call(one, "integration", "PATCH", mine, {"externalIds": ["first", "second"]})
    base = f"/v1/integrations/{one.name}/installations"
    assert call(one, "integration", "GET", f"{base}?externalId=second")["answer"]["count"] == 1
    assert call(one, "integration", "GET", f"{base}?externalId=sec")["answer"]["count"] == 0
    call(one, "integration", "PATCH", mine, {"externalIds": ["third"]})
    assert call(one, "integration", "GET", f"{base}?externalId=second")["answer"]["count"] == 0
    shown = call(one, "integration", "GET", f"/v1/integrations/{one.name}/spaces?extended=true")["answer"]["items"]
    assert shown[0]["space"]["id"] == one.space


def test_an_installation_token_reaches_what_its_installation_selects(one: Installed, alpha: Tenant) -> None:
    other = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {}).json["id"]
    for kind in ("installation", "integration"):
        assert call(one, kind, "GET", f"/v1/spaces/{one.space}")["answer"]["id"] == one.space
        assert call(one, kind, "GET", f"/v1/spaces/{other}")["status"] == 404
    listed = call(one, "installation", "GET", f"/v1/orgs/{alpha.id}/spaces")["answer"]["items"]
    assert [space["id"] for space in listed] == [one.space]


def test_a_scope_is_needed_and_counts_only_while_it_is_asked_for(one: Installed, alpha: Tenant) -> None:
    site = f"/v1/orgs/{alpha.id}/sites/{one.site}"
    refused = call(one, "installation", "GET", site)
    assert refused["status"] == 403 and "site:metadata:read" in refused["answer"]
    assert call(one, "installation", "POST", f"/v1/orgs/{alpha.id}/spaces", {})["status"] == 403


def test_another_tenants_things_are_not_there(one: Installed, beta: Tenant) -> None:
    theirs = installed(beta, CALLS)
    for kind in ("installation", "integration"):
        for path in (
            f"/v1/integrations/{theirs.name}",
            f"/v1/integrations/{theirs.name}/installations/{theirs.installation}",
            f"/v1/spaces/{theirs.space}",
            f"/v1/orgs/{beta.id}",
            f"/v1/orgs/{beta.id}/sites/{theirs.site}",
        ):
            assert call(one, kind, "GET", path)["status"] == 404, (kind, path)


def test_an_installation_token_is_made_for_its_own_integration_only(one: Installed, alpha: Tenant) -> None:
    path = f"/v1/integrations/{one.name}/installations/{one.installation}/tokens"
    made = call(one, "integration", "POST", path, None)
    token = made["answer"]["token"]
    assert Api(alpha.api.url, token).get(f"/v1/spaces/{one.space}").status == 200
    assert call(one, "installation", "POST", path, None)["status"] == 403
    other = installed(alpha, CALLS, visibility="public")
    foreign = f"/v1/integrations/{other.name}/installations/{other.installation}/tokens"
    assert call(one, "integration", "POST", foreign, None)["status"] in (403, 404)


def test_tokens_die_with_the_installation(alpha: Tenant) -> None:
    one = installed(alpha, CALLS)
    tokens = requests.get(endpoint(one) + "/tokens", timeout=10).json()
    installation, integration = (Api(alpha.api.url, tokens[kind]) for kind in ("installation", "integration"))
    assert installation.get(one.path).status == integration.get(one.path).status == 200
    assert alpha.api.call("DELETE", f"{one.path}/installations/{one.installation}").status == 205
    assert (installation.get(one.path).status, integration.get(one.path).status) == (401, 200)
    assert alpha.api.call("DELETE", one.path).status == 205
    assert integration.get("/v1").status == 401


def test_a_task_is_queued_by_the_integration_only(one: Installed) -> None:
    path = f"/v1/integrations/{one.name}/tasks"
    assert call(one, "integration", "POST", path, {"task": {"a": 1}, "schedule": 3600})["status"] == 200
    assert call(one, "installation", "POST", path, {"task": {"a": 1}})["status"] == 403
