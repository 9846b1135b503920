"""Addresses of the application, as people paste them, and what they name to whom."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api, Tenant, installed
from tests.scenarios.answers import ok
from tests.scenarios.script_tokens import TOKENS, script_tokens


def named(api: Api, url: str) -> dict[str, Any]:
    found: dict[str, Any] = ok(api.get("/v1/urls/content", url=url))
    return found


@pytest.fixture
def space(alpha: Tenant) -> dict[str, Any]:
    site = ok(alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Docs", "spaces": "sample"}), 201)
    [part] = ok(alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{site['id']}/site-spaces"))["items"]
    shown: dict[str, Any] = part["space"]
    return shown


def test_a_space_and_its_pages(alpha: Tenant, space: dict[str, Any]) -> None:
    api, app = alpha.api, space["urls"]["app"]
    assert named(api, app) == named(api, app.rstrip("/")) == named(api, f"{app}?a=b#c") == {"space": space}
    welcome, guides = ok(api.get(f"/v1/spaces/{space['id']}/content/pages"))["pages"]
    quickstart = guides["pages"][0]
    found = named(api, welcome["urls"]["app"])
    assert found["space"] == space and found["page"] == welcome
    assert named(api, f"{app}guides/quickstart")["page"] == quickstart
    assert named(api, f"{app}guides")["page"] == {**guides, "pages": []}
    for gone in ("pages/nothing", "nowhere", "pages", "guides/quickstart/further"):
        assert named(api, app + gone) == {"space": space}


def test_a_change_request_and_its_pages(alpha: Tenant, space: dict[str, Any]) -> None:
    api, at = alpha.api, f"/v1/spaces/{space['id']}"
    change = ok(api.post(f"{at}/change-requests", {"subject": "New"}), 201)
    here = f"{at}/change-requests/{change['id']}"
    change_ = {"type": "insert_page", "title": "Added", "document": {"markdown": "New."}}
    [added] = ok(api.post(f"{here}/content", {"changes": [change_]}))["added"]
    found = named(api, change["urls"]["app"])
    assert found == {"space": ok(api.get(at)), "changeRequest": ok(api.get(here))}
    inside = named(api, f"{change['urls']['app']}/pages/{added}")
    assert (inside["changeRequest"], inside["page"]["title"]) == (found["changeRequest"], "Added")
    assert "page" not in named(api, f"{space['urls']['app']}pages/{added}")
    by_number = f"{space['urls']['app']}change-requests/{change['number']}"
    assert named(api, by_number) == found
    assert named(api, f"{space['urls']['app']}change-requests/nothing/pages/{added}").keys() == {"space"}


@pytest.mark.parametrize("scopes", [["space:metadata:read"], ["space:metadata:read", "space:content:read"]])
def test_scripts_learn_of_pages_with_the_scope_for_content(alpha: Tenant, scopes: list[str]) -> None:
    one = installed(alpha, TOKENS, scopes=scopes)
    at = f"/v1/spaces/{one.space}"
    change = ok(alpha.api.post(f"{at}/change-requests", {"subject": "New"}), 201)
    change_ = {"type": "insert_page", "title": "Added", "document": {"markdown": "New."}}
    here = f"{at}/change-requests/{change['id']}"
    [added] = ok(alpha.api.post(f"{here}/content", {"changes": [change_]}))["added"]
    ok(alpha.api.post(f"{here}/merge"))
    app = ok(alpha.api.get(at))["urls"]["app"]
    script = script_tokens(one)["installation"]
    assert ("page" in named(script, f"{app}pages/{added}")) == ("space:content:read" in scopes)
    assert named(script, change["urls"]["app"]).keys() == {"space"}


def test_a_collection(alpha: Tenant, beta: Tenant) -> None:
    made = ok(alpha.api.post(f"/v1/orgs/{alpha.id}/collections", {"title": "Guides"}), 201)
    for further in ("", "/", "/access"):
        assert named(alpha.api, made["urls"]["app"] + further) == {"collection": made}
    assert beta.api.get("/v1/urls/content", url=made["urls"]["app"]).status == 404


def test_what_is_not_an_address_of_content(alpha: Tenant, beta: Tenant, space: dict[str, Any]) -> None:
    app = space["urls"]["app"]
    root = app.partition("/app/")[0]
    for url in (
        "https://elsewhere.example/app/spaces/" + space["id"],
        root,
        f"{root}/app/",
        f"{root}/app/spaces",
        f"{root}/app/spaces/",
        f"{root}/app/spaces/%00",
        f"{root}/app///[",
        f"{root}/app/?spaces/{space['id']}",
        f"{root}/app/orgs/{alpha.id}",
        f"{root}/application/spaces/{space['id']}",
        f"spaces/{space['id']}",
        "[",
    ):
        assert alpha.api.get("/v1/urls/content", url=url).status == 404, url
    assert beta.api.get("/v1/urls/content", url=app).status == 404
