"""Spaces as integrations know them: changed by whoever may, and found by their addresses."""

from __future__ import annotations

import requests

from tests.conftest import Api, Installed, Tenant, installed, wait_for

SCRIPT = """
from runtime.sdk import Integration, Response

integration = Integration()


@integration.on("space_visibility_updated")
def changed(event, context):
    context.log.info("%s to %s", event["previousVisibility"], event["visibility"])


@integration.fetch("GET", "/tokens")
def tokens(context):
    return Response.json(context.environment["apiTokens"])
"""


def as_installation(one: Installed) -> Api:
    at = one.owner.api.get(f"{one.path}/installations/{one.installation}").json["urls"]["publicEndpoint"]
    return Api(one.owner.api.url, requests.get(f"{at}/tokens", timeout=30).json()["installation"])


def test_a_space_is_changed_and_integrations_hear_of_its_visibility(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, scopes=["space:metadata:read"], blocks=[])
    at = f"/v1/spaces/{one.space}"
    change = {"title": "Renamed", "emoji": "1f600", "editMode": "live", "defaultLevel": "comment", "language": "de"}
    changed = alpha.api.call("PATCH", at, change | {"visibility": "public"}).json
    assert {key: changed[key] for key in change} == change and changed["visibility"] == "public"
    assert alpha.api.get(at).json["title"] == "Renamed"
    cleared = alpha.api.call("PATCH", at, {"emoji": None, "defaultLevel": None, "visibility": "public"}).json
    assert (cleared["emoji"], cleared["defaultLevel"], cleared["title"]) == ("1f4d8", None, "Renamed")

    def told() -> object:
        items = alpha.api.get(f"{one.path}/events", type="space_visibility_updated").json["items"]
        event = alpha.api.get(f"{one.path}/events/{items[0]['id']}").json if items else {}
        return event if "trace" in event else None  # which it has once it was delivered

    shown = wait_for(told)
    assert shown["event"]["payload"]["previousVisibility"] == "private"
    assert shown["trace"]["logs"][0]["message"] == "private to public"
    assert alpha.api.get(f"{one.path}/events", type="space_visibility_updated").json["count"] == 1


def test_an_integration_changes_a_space_with_the_scope_only(alpha: Tenant) -> None:
    reads = installed(alpha, SCRIPT, scopes=["space:metadata:read"], blocks=[])
    writes = installed(alpha, SCRIPT, scopes=["space:metadata:write"], blocks=[])
    refused = as_installation(reads).call("PATCH", f"/v1/spaces/{reads.space}", {"title": "Mine"})
    assert refused.status == 403 and "space:metadata:write" in refused.text
    changed = as_installation(writes).call("PATCH", f"/v1/spaces/{writes.space}", {"title": "Mine"})
    assert changed.status == 200 and changed.json["title"] == "Mine"
    assert as_installation(writes).call("PATCH", f"/v1/spaces/{reads.space}", {"title": "Mine"}).status == 404


def test_a_space_is_found_by_its_address(alpha: Tenant, beta: Tenant) -> None:
    one = installed(alpha, SCRIPT, scopes=["space:metadata:read"], blocks=[])
    app = alpha.api.get(f"/v1/spaces/{one.space}").json["urls"]["app"]
    for api in (alpha.api, as_installation(one)):
        for url in (app, app.rstrip("/"), f"{app}pages/x", f"{app}some/page", f"{app}?a=1", f"{app}#b"):
            assert api.get("/v1/urls/content", url=url).json["space"]["id"] == one.space
    assert beta.api.get("/v1/urls/content", url=app).status == 404
    for url in (
        "https://example.com/",
        app.rstrip("/") + "x",
        app.removesuffix(f"{one.space}/"),
        app.replace("/app/", "/v1/"),
    ):
        assert alpha.api.get("/v1/urls/content", url=url).status == 404
