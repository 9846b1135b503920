"""The OAuth sign-in to another service."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from runtime.sdk import Context, Integration, OAuthConfig, oauth_handler, oauth_token
from tests.runtime.sdk.conftest import Tell

ENDPOINT = "https://host.example/v1/integrations/demo"
FRESH = {"access_token": "new", "refresh_token": "r2", "expires_in": 3600}


def make(service: Any, **options: Any) -> Callable[[Context], OAuthConfig]:
    def config(context: Context) -> OAuthConfig:
        return OAuthConfig(
            client_id="cid",
            client_secret=context.secrets["KEY"],
            authorize_url="https://idp.example/authorize?audience=a",
            access_token_url=f"{service.url}/token",
            **options,
        )

    return config


def integration_of(config: Any, **options: Any) -> Integration:
    integration = Integration()
    integration.fetch("GET", "/oauth")(oauth_handler(config, **options))
    return integration


def visit(url: str) -> dict[str, Any]:
    return {"type": "fetch", "request": {"method": "get", "url": url, "headers": {}}}


def callback(state: object, **more: str) -> dict[str, Any]:
    query = "".join(f"&{name}={value}" for name, value in more.items())
    return visit(f"{ENDPOINT}/integration/oauth?code=c1&state={quote(json.dumps(state))}{query}")


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({}, {"installationId": "inst1"}),
        ({"spaceInstallation": {"space": "sp1"}}, {"installationId": "inst1", "spaceId": "sp1"}),
        ({"siteInstallation": {"site": "si1"}}, {"installationId": "inst1", "siteId": "si1"}),
    ],
)
def test_without_a_code_it_sends_to_the_provider(
    tell: Tell, service: Any, environment: dict[str, Any], part: dict[str, Any], expected: dict[str, str]
) -> None:
    integration = integration_of(make(service, scopes=["read", "write"], prompt="consent"))
    response = tell(integration, visit(f"{ENDPOINT}/installations/inst1/oauth?x=1"), {**environment, **part})
    assert response.status == 302
    address = urlsplit(response.headers["location"])
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    assert json.loads(query.pop("state")) == expected
    assert query == {
        "audience": "a",
        "client_id": "cid",
        "redirect_uri": f"{ENDPOINT}/installations/inst1/oauth",
        "response_type": "code",
        "scope": "read write",
        "prompt": "consent",
    }


def test_scope_prompt_and_redirect_are_optional(tell: Tell, service: Any) -> None:
    integration = integration_of(make(service, redirect_url="https://elsewhere.example/cb"))
    query = parse_qs(
        urlsplit(tell(integration, visit(f"{ENDPOINT}/installations/inst1/oauth")).headers["location"]).query
    )
    assert query["redirect_uri"] == ["https://elsewhere.example/cb"]
    assert not {"scope", "prompt"} & set(query)


def test_it_needs_an_installation_to_start(tell: Tell, service: Any, environment: dict[str, Any]) -> None:
    del environment["installation"]
    response = tell(integration_of(make(service)), visit(f"{ENDPOINT}/integration/oauth"), environment)
    assert response.status == 400


@pytest.mark.parametrize(
    ("state", "path"),
    [
        ({"installationId": "i1"}, "/v1/integrations/demo/installations/i1"),
        ({"installationId": "i1", "spaceId": "s1"}, "/v1/integrations/demo/installations/i1/spaces/s1"),
        ({"installationId": "i1", "siteId": "s1"}, "/v1/integrations/demo/installations/i1/sites/s1"),
    ],
)
def test_with_a_code_it_stores_the_token(
    tell: Tell, service: Any, environment: dict[str, Any], state: dict[str, str], path: str
) -> None:
    environment["apiEndpoint"] = service.url
    del environment["installation"], environment["apiTokens"]["installation"]
    service.says("POST /token", FRESH)
    response = tell(integration_of(make(service)), callback(state), environment)
    assert (response.status, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    exchange, patch = service.heard
    assert parse_qs(exchange.body.decode()) == {
        "client_id": ["cid"],
        "client_secret": ["s3cret"],
        "code": ["c1"],
        "redirect_uri": [f"{ENDPOINT}/integration/oauth"],
        "grant_type": ["authorization_code"],
    }
    assert (patch.method, patch.target) == ("PATCH", path)
    assert patch.headers["authorization"] == "Bearer integration-token"
    stored = patch.json["configuration"]["oauth_credentials"]
    assert stored.pop("expires_at") > 1_600_000_000_000
    assert stored == {"access_token": "new", "refresh_token": "r2"}


def test_replace_false_lays_the_new_over_the_stored(tell: Tell, service: Any, environment: dict[str, Any]) -> None:
    environment["apiEndpoint"] = service.url
    service.says("POST /token", {"access_token": "t", "team": {"id": "T1"}})
    service.says("GET /v1/integrations/demo/installations/i1", {"configuration": {"old": 1, "team": "x"}})
    config = make(
        service,
        credentials=lambda answer: {
            "configuration": {"team": answer["team"]["id"]},
            "externalIds": [answer["team"]["id"]],
        },
    )
    tell(integration_of(config, replace=False), callback({"installationId": "i1"}), environment)
    assert service.heard[-1].json == {"configuration": {"old": 1, "team": "T1"}, "externalIds": ["T1"]}


@pytest.mark.parametrize("state", [None, "x", [], {}, {"installationId": 5}])
def test_a_state_that_is_not_ours_is_refused(tell: Tell, service: Any, state: object) -> None:
    assert tell(integration_of(make(service)), callback(state)).status == 400
    assert service.heard == []


def test_a_missing_state_is_refused(tell: Tell, service: Any) -> None:
    assert tell(integration_of(make(service)), visit(f"{ENDPOINT}/integration/oauth?code=c")).status == 400


@pytest.mark.parametrize(("status", "body"), [(401, {}), (200, {"error": "bad_code"}), (200, b"<html>"), (200, [])])
def test_a_provider_that_gives_no_token(tell: Tell, service: Any, status: int, body: object) -> None:
    service.says("POST /token", body, status=status)
    response = tell(integration_of(make(service)), callback({"installationId": "i1"}))
    assert (response.status, response.json) == (400, {"error": f"The provider did not issue a token (status {status})"})
    assert len(service.heard) == 1


def test_a_refusal_at_the_provider_is_reported(tell: Tell, service: Any) -> None:
    response = tell(integration_of(make(service)), visit(f"{ENDPOINT}/integration/oauth?error=access_denied"))
    assert (response.status, response.json) == (400, {"error": "The sign-in was refused: access_denied"})


def token_with(service: Any, environment: dict[str, Any], **credentials: Any) -> str:
    environment["apiEndpoint"] = service.url
    environment["installation"]["configuration"] = {"oauth_credentials": credentials, "other": 1}
    stored = {"configuration": environment["installation"]["configuration"]}
    service.says("GET /v1/integrations/demo/installations/inst1", stored)
    context = Context(json.dumps(environment).encode(), lambda level, line: None, [])
    return oauth_token(make(service), context)


def test_a_token_that_is_good_is_used(service: Any, environment: dict[str, Any]) -> None:
    assert token_with(service, environment, access_token="t", expires_at=9e15, refresh_token="r") == "t"
    assert token_with(service, environment, access_token="t") == "t"
    assert service.heard == []


def test_an_old_token_is_renewed_and_stored(service: Any, environment: dict[str, Any]) -> None:
    service.says("POST /token", {"access_token": "new", "expires_in": 60})
    assert token_with(service, environment, access_token="t", expires_at=1, refresh_token="r") == "new"
    assert parse_qs(service.heard[0].body.decode())["refresh_token"] == ["r"]
    stored = service.heard[-1].json["configuration"]
    assert (stored["other"], stored["oauth_credentials"]["refresh_token"]) == (1, "r")
    assert stored["oauth_credentials"]["access_token"] == "new"


def test_without_a_sign_in_there_is_no_token(service: Any, environment: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="not connected yet"):
        token_with(service, environment)
