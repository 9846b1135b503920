"""Spaces as integrations know them: changed by whoever may, and found by their addresses."""

from __future__ import annotations

from tests.conftest import HostProcess, Tenant, installed, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.people import person, space
from tests.scenarios.space_script import SCRIPT, as_installation


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


def test_a_space_has_an_emoji_or_an_icon(alpha: Tenant) -> None:
    at = f"/v1/spaces/{space(alpha)}"
    icon, other = "https://a.example/icon.png", "https://a.example/other.png"

    def change(**body: str | None) -> tuple[str, str | None]:
        answer = alpha.api.call("PATCH", at, body)
        assert answer.status == 200, answer.text
        return answer.json["emoji"], answer.json["urls"].get("icon")

    assert change(emoji="1f600") == ("1f600", None)
    assert change(icon=icon) == ("1f4d8", icon)
    assert change(title="Renamed") == ("1f4d8", icon)
    assert alpha.api.post(f"{at}/duplicate").json["urls"]["icon"] == icon
    assert change(emoji="1f600") == ("1f600", None)
    assert change(icon=other, emoji=None) == ("1f4d8", other)
    assert change(icon=None) == ("1f4d8", None)
    both = alpha.api.call("PATCH", at, {"emoji": "1f600", "icon": icon})
    assert both.status == 400 and "icon" in both.text
    for wrong in ("javascript:alert(1)", "a.png", f"https://a.example/{'x' * 2048}", 7):
        assert alpha.api.call("PATCH", at, {"icon": wrong}).status == 400


def test_languages_and_merge_rules_are_those_of_the_contract(host: HostProcess, alpha: Tenant) -> None:
    made = space(alpha)
    at = f"/v1/spaces/{made}"
    for answer in (
        alpha.api.call("PATCH", at, {"language": "klingon"}),
        alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"language": "de-CH"}),
    ):
        assert answer.status == 400 and "language: must be 'en', 'fr', 'de'" in answer.text
    assert alpha.api.get(at).json["mergeRules"] == {"type": "inherit"}
    rules = {"type": "rules", "rules": [{"rule": "require_at_least_one_review"}]}
    writer = person(host, alpha, "create")
    refused = writer.api.call("PATCH", at, {"mergeRules": rules})
    assert refused.status == 403 and "merge rules" in refused.text
    for wrong in ({"type": "some"}, {"type": "rules"}, {"type": "rules", "rules": [{"rule": "be_nice"}]}, None):
        answer = alpha.api.call("PATCH", at, {"mergeRules": wrong})
        assert answer.status == 400 and "mergeRules" in answer.text
    long = {"rule": "custom", "expression": f"actor.id == '{'x' * 980}'"}
    answer = alpha.api.call("PATCH", at, {"mergeRules": {"type": "rules", "rules": [long] * 4}})
    assert answer.status == 400 and "mergeRules: must have at most 4,000 characters" in answer.text
    for right in ({"type": "none"}, rules, {"type": "inherit"}):
        assert alpha.api.call("PATCH", at, {"mergeRules": right}).json["mergeRules"] == right


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


def test_a_template_adds_its_pages(host: HostProcess, alpha: Tenant) -> None:
    made = ok(alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"template": {"id": "sample"}, "editMode": "live"}), 201)
    path, template = f"/v1/spaces/{made['id']}", f"/v1/spaces/{made['id']}/content/template"
    pages = ok(alpha.api.get(f"{path}/content/pages"))["pages"]
    assert [(one["slug"], [inner["slug"] for inner in one["pages"]]) for one in pages] == [
        ("welcome", []),
        ("guides", ["quickstart", "writing-pages"]),
    ]
    assert alpha.api.post(template, {"id": "sample", "params": {}}).status == 201
    again = ok(alpha.api.get(f"{path}/content/pages"))["pages"]
    assert again[:2] == pages and [one["slug"] for one in again[2:]] == ["welcome-2", "guides-2"]
    revision = ok(alpha.api.get(path))["revision"]
    for wrong in ({"id": "another"}, {}, {"id": "sample", "params": {"contentRefs": {"a": {"kind": "file"}}}}):
        assert alpha.api.post(template, wrong).status == 400
        refused = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"template": wrong})
        assert refused.status == 400 and "template" in refused.text
    assert person(host, alpha, "review").api.post(template, {"id": "sample"}).status == 403
    assert alpha.api.call("PATCH", path, {"editMode": "locked"}).status == 200
    refused = alpha.api.post(template, {"id": "sample"})
    assert refused.status == 412 and "editMode" in refused.text
    assert ok(alpha.api.get(path))["revision"] == revision
