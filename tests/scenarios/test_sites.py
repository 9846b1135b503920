"""Sites as integrations know them: what visitors do there, what is known of visitors, how a site is changed."""

from __future__ import annotations

from typing import Any

from tests.conftest import SCOPES, Installed, Tenant, installed, wait_for
from tests.contract.requests_table import page_view
from tests.scenarios.script_tokens import script_tokens
from tests.scenarios.sent_events import events

LISTENS = """
from runtime.sdk import Integration

integration = Integration()


@integration.on("site_view")
def viewed(event, context):
    context.log.info("viewed %s by %s", event["url"], event["visitor"]["cookies"].get("__gitbook_cookie_granted"))


@integration.on("page_feedback")
def rated(event, context):
    context.log.info("rated %s", event["feedback"])


@integration.fetch("GET", "/tokens")
def tokens(context):
    from runtime.sdk import Response
    return Response.json(context.environment["apiTokens"])
"""
LISTENING = [*SCOPES, "page:feedback:read", "site:adaptive:read", "site:adaptive:write"]


def site_of(one: Installed) -> str:
    return f"/v1/orgs/{one.owner.id}/sites/{one.site}"


def session(**more: Any) -> dict[str, Any]:
    told = page_view()["session"] | {"cookies": {"__gitbook_cookie_granted": "yes"}}
    value: dict[str, Any] = told | {"ip": "203.0.113.7", "language": "de", "referrer": "https://example.org/"}
    return value | more


def feedback(kind: str, **fields: Any) -> dict[str, Any]:
    return page_view(type=kind, feedback={"rating": "good", **fields}, session=session())


def test_visits_and_ratings_reach_integrations_that_ask_for_them(alpha: Tenant) -> None:
    one, deaf = installed(alpha, LISTENS, scopes=LISTENING), installed(alpha, LISTENS, scopes=LISTENING)
    place = page_view()["location"] | {"siteSpace": "ss1", "page": "p1"}
    told = [
        page_view(session=session(), location=place),
        page_view(type="ask_view"),
        feedback("page_post_feedback"),
        feedback("page_post_feedback_comment", comment="Well said."),
        feedback("page_post_feedback") | {"session": session(visitorId="other")},
    ]
    assert alpha.api.post(f"{site_of(one)}/insights/events", {"events": told}).status == 204
    payload = events(one, "site_view", 1)[0]["payload"]
    assert payload | {"eventId": ""} == {
        "eventId": "",
        "type": "site_view",
        "installationId": one.installation,
        "siteId": one.site,
        "siteSpaceId": "ss1",
        "pageId": "p1",
        "url": "https://docs.example.com/a",
        "referrer": "https://example.org/",
        "visitor": {
            "anonymousId": "v",
            "cookies": {"__gitbook_cookie_granted": "yes"},
            "userAgent": "x",
            "ip": "203.0.113.7",
            "language": "de",
        },
    }
    rated = [item["payload"]["feedback"] for item in events(one, "page_feedback", 2)]
    assert rated == [{"rating": "good", "comment": "Well said."}, {"rating": "good"}]
    seen = f"{one.path}/events/{events(one, 'site_view', 1)[0]['id']}"
    trace = wait_for(lambda: alpha.api.get(seen).json.get("trace"))
    assert trace["logs"][0]["message"] == "viewed https://docs.example.com/a by yes"
    assert alpha.api.get(f"{deaf.path}/events", type="site_view").json["count"] == 0


def test_nobody_is_told_without_the_scope_or_while_it_is_paused(alpha: Tenant) -> None:
    one = installed(alpha, LISTENS, scopes=["space:content:read"])
    paused = installed(alpha, LISTENS, scopes=LISTENING)
    at = f"{paused.path}/installations/{paused.installation}/sites/{paused.site}"
    assert alpha.api.call("PATCH", at, {"status": "paused"}).status == 200
    for site in (one, paused):
        told = [page_view(), feedback("page_post_feedback")]
        assert alpha.api.post(f"{site_of(site)}/insights/events", {"events": told}).status == 204
        assert alpha.api.post(f"{site.path}/events", {"event": {"type": "task", "task": {}}}).status == 202
        events(site, "task", 1)
        for kind in ("site_view", "page_feedback"):
            assert alpha.api.get(f"{site.path}/events", type=kind).json["count"] == 0


def test_what_is_told_of_visitors_is_bounded(alpha: Tenant, counter: Installed) -> None:
    at = f"{site_of(counter)}/insights/events"
    cookies = {f"c{number}": "x" for number in range(201)}
    for spoiled in (
        [page_view()] * 201,
        [page_view(session=session(cookies=cookies))],
        [page_view(session=session(userAgent="x" * 8193))],
        [feedback("page_post_feedback", rating="superb")],
        [feedback("page_post_feedback_comment", comment="x" * 513)],
        [feedback("page_post_feedback_comment")],
        [page_view(location={"url": ""})],
    ):
        answer = alpha.api.post(at, {"events": spoiled})
        assert answer.status == 400 and "events" in answer.json["error"]["message"], answer.text
    assert alpha.api.post(at, {"events": []}).status == 204


FLAGS = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "vip": {"type": "boolean", "description": "Pays."},
        "age": {"type": "number", "description": "In years."},
        "groups": {"type": "array", "description": "Teams.", "items": {"type": "string", "description": "One."}},
        "unsigned": {
            "type": "object",
            "description": "Unsigned claims of the site visitor.",
            "properties": {
                "flags": {
                    "type": "object",
                    "description": "Feature flags.",
                    "properties": {
                        "dark-mode": {"type": "boolean", "description": "Dark."},
                        "plan": {"type": "string", "enum": ["free", "pro"], "description": "The plan."},
                    },
                    "additionalProperties": False,
                }
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def test_an_adaptive_schema_is_not_there_then_put_then_read(alpha: Tenant) -> None:
    one = installed(alpha, LISTENS, scopes=LISTENING)
    at = f"{site_of(one)}/adaptive-schema"
    as_token = script_tokens(one)
    for api in (alpha.api, *as_token.values()):
        assert api.get(at).status == 404
    for api in (alpha.api, *as_token.values()):
        put = api.call("PUT", at, {"jsonSchema": FLAGS})
        assert put.status == 200 and put.json["object"] == "site-adaptive-schema"
        assert put.json["jsonSchema"] == FLAGS
        assert api.get(at).json == put.json
    smaller = {"type": "object", "properties": {}, "additionalProperties": False}
    assert alpha.api.call("PUT", at, {"jsonSchema": smaller}).json["jsonSchema"] == smaller
    assert alpha.api.call("PUT", at, {"jsonSchema": FLAGS}).status == 200
    conditions = alpha.api.get(f"{at}/template-conditions").json["items"]
    assert [item["condition"] for item in conditions] == [
        "visitor.claims.vip == true",
        'visitor.claims.unsigned.flags["dark-mode"] == true',
        'visitor.claims.unsigned.flags.plan == "free"',
        'visitor.claims.unsigned.flags.plan == "pro"',
    ]


def test_an_adaptive_schema_needs_its_scopes(alpha: Tenant, beta: Tenant) -> None:
    one = installed(alpha, LISTENS, scopes=["site:adaptive:read"])
    at, installation = f"{site_of(one)}/adaptive-schema", script_tokens(one)["installation"]
    refused = installation.call("PUT", at, {"jsonSchema": FLAGS})
    assert refused.status == 403 and "site:adaptive:write" in refused.text
    assert installation.get(at).status == 404
    none = script_tokens(installed(alpha, LISTENS, scopes=[]))["installation"]
    assert none.get(at).status == 404  # a site it is not installed on
    assert beta.api.get(at).status == 404


def nested(depth: int) -> dict[str, Any]:
    claim: dict[str, Any] = {"type": "boolean", "description": "x"}
    for _ in range(depth):
        claim = {"type": "object", "description": "x", "properties": {"a": claim}}
    return {"type": "object", "properties": {"a": claim}}


def test_what_is_no_schema_of_claims_is_refused(alpha: Tenant, counter: Installed) -> None:
    at = f"{site_of(counter)}/adaptive-schema"
    for schema in (
        {"type": "array", "properties": {}},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "null"}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "properties": {}}}}},
        {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": True},
        nested(11),
        nested(60),
    ):
        assert alpha.api.call("PUT", at, {"jsonSchema": schema}).status == 400, schema
    words = {"type": "string", "description": "x", "enum": ["x" * 1000] * 131}
    long = alpha.api.call("PUT", at, {"jsonSchema": {"type": "object", "properties": {"a": words}}})
    assert long.status == 400 and "at most 131,072 are allowed" in long.text
    assert alpha.api.call("PUT", at, {"jsonSchema": nested(9)}).status == 200


def test_a_site_is_changed_and_published(alpha: Tenant) -> None:
    one = installed(alpha)
    other = alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Not this one", "spaces": [one.space]}).json["id"]
    assert "published" not in alpha.api.get(site_of(one)).json["urls"]
    changed = alpha.api.call(
        "PATCH",
        site_of(one),
        {
            "title": "Handbook",
            "visibility": "unlisted",
            "basename": "handbook",
            "adaptiveContent": {"enabled": True},
            "agentsContext": "excluded",
            "proxy": "docs.example.com/handbook",
            "published": True,
        },
    ).json
    assert changed["title"] == "Handbook" and changed["visibility"] == "unlisted"
    assert changed["basename"] == "handbook" and changed["proxy"]["origin"] == "docs.example.com/handbook"
    features = {"sites-advanced-customization", "sites-adaptive-content"}
    assert {one["id"] for one in changed["features"]} == features
    assert all((one["plan"], one["frozen"]) == (changed["type"], False) for one in changed["features"])
    guarded = {"share-link": "sites-share-links", "visitor-auth": "sites-visitor-authentication"}
    for visibility, feature in guarded.items():
        shown = alpha.api.call("PATCH", site_of(one), {"visibility": visibility}).json["features"]
        assert {one["id"] for one in shown} == features | {feature}
    assert alpha.api.call("PATCH", site_of(one), {"visibility": "unlisted"}).status == 200
    assert changed["adaptiveContent"] == {"enabled": True} and changed["agentsContext"] == "excluded"
    assert changed["published"] is True and changed["urls"]["published"] == "https://docs.example.com/handbook/"
    assert changed["proxy"]["target"].endswith(f"/sites/{one.site}/")
    assert alpha.api.get(site_of(one)).json == changed
    again = alpha.api.call("PATCH", site_of(one), {"proxy": None, "published": False}).json
    assert "proxy" not in again and "published" not in again["urls"] and again["title"] == "Handbook"
    assert alpha.api.get(f"/v1/orgs/{alpha.id}/sites/{other}").json["title"] == "Not this one"
    no_scope = alpha.api.call(
        "PATCH", site_of(one), {"visitorAuth": {"backend": "integration", "integration": one.name}}
    )
    assert no_scope.status == 400 and "site:visitor:auth" in no_scope.text
