"""What a handler reaches: environment, API, tasks, log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.sdk import ApiError, Context


def context_of(environment: dict[str, Any], lines: list[tuple[str, str]] | None = None) -> Context:
    written = [] if lines is None else lines
    return Context(json.dumps(environment).encode(), lambda *line: written.append(line), [])


@pytest.fixture
def context(environment: dict[str, Any], service: Any) -> Context:
    environment["apiEndpoint"] = f"{service.url}/"
    return context_of(environment)


def test_log_lines_have_level_and_values(environment: dict[str, Any]) -> None:
    lines: list[tuple[str, str]] = []
    log = context_of(environment, lines).log
    log.debug("plain %s")
    log.info("%s of %d", "one", 2)
    log.warn({"a": 1})
    log.warning("%s")
    log.error("too few %s %s", 1)
    assert lines == [
        ("debug", "plain %s"),
        ("info", "one of 2"),
        ("warn", "{'a': 1}"),
        ("warn", "%s"),
        ("error", "too few %s %s 1"),
    ]


def test_configuration_is_the_most_specific_one(environment: dict[str, Any]) -> None:
    assert context_of(environment).configuration == {"color": "red"}
    site = {"configuration": {"color": "blue"}, "site": "si1"}
    assert context_of({**environment, "siteInstallation": site}).configuration == {"color": "blue"}
    assert context_of({**environment, "siteInstallation": {"site": "si1"}}).configuration == {}
    del environment["installation"]
    assert context_of(environment).configuration == {}


def test_what_is_there(environment: dict[str, Any]) -> None:
    context = context_of(environment)
    assert context.secrets == {"KEY": "s3cret"}
    assert context.signing_secrets["integration"] == "a"
    assert context.installation is not None
    assert (context.installation["id"], context.space_installation, context.site_installation) == ("inst1", None, None)


def test_the_api_presents_itself(context: Context, service: Any) -> None:
    service.says("GET /v1/spaces/sp1?flag=true&tag=a&tag=b", {"id": "sp1"})
    assert context.api.get("/spaces/sp1", flag=True, tag=["a", "b"], none=None) == {"id": "sp1"}
    assert service.heard[0].headers["authorization"] == "Bearer installation-token"
    assert service.heard[0].headers["user-agent"] == "integration-demo/3"
    context.integration_api.get("/user")
    assert service.heard[1].headers["authorization"] == "Bearer integration-token"


def test_without_an_installation_the_integration_asks(environment: dict[str, Any], service: Any) -> None:
    environment |= {"apiEndpoint": service.url, "apiTokens": {"integration": "integration-token"}}
    context_of(environment).api.get("/user")
    assert service.heard[0].headers["authorization"] == "Bearer integration-token"


@pytest.mark.parametrize("method", ["post", "put", "patch"])
def test_methods_with_a_body(context: Context, service: Any, method: str) -> None:
    service.says(f"{method.upper()} /v1/x", b"", status=204)
    assert getattr(context.api, method)("/x", {"a": 1}) is None
    assert (service.heard[0].method, service.heard[0].json) == (method.upper(), {"a": 1})


def test_delete(context: Context, service: Any) -> None:
    service.says("DELETE /v1/x", b"", status=205)
    assert context.api.delete("/x") is None
    assert service.heard[0].body == b""


def test_items_walks_through_all_pages(context: Context, service: Any) -> None:
    service.says("GET /v1/list?limit=2", {"items": [1, 2], "next": {"page": "p 2"}})
    service.says("GET /v1/list?limit=2&page=p+2", {"items": [3]})
    assert list(context.api.items("/list", limit=2)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"code": 404, "message": "No such space"}}, "No such space"),
        ({"error": "text"}, "text"),
        (b"<html>", "GET /x failed"),
        (b"", "GET /x failed"),
    ],
)
def test_an_error_status_raises(context: Context, service: Any, body: object, message: str) -> None:
    service.says("GET /v1/x", body, status=404)
    with pytest.raises(ApiError) as raised:
        context.api.get("/x")
    assert (raised.value.status, raised.value.message) == (404, message)


def test_queue_task_uses_the_integration_token(context: Context, service: Any) -> None:
    service.says("POST /v1/integrations/demo/tasks", b"", status=204)
    context.queue_task({"type": "sync"}, schedule=5)
    (request,) = service.heard
    assert request.json == {"task": {"type": "sync"}, "schedule": 5}
    assert request.headers["authorization"] == "Bearer integration-token"


@pytest.mark.parametrize("schedule", [-1, 86_401])
def test_queue_task_refuses_a_time_out_of_bounds(context: Context, service: Any, schedule: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 86400 seconds"):
        context.queue_task({}, schedule)
    assert service.heard == []


def test_another_installations_api(context: Context, service: Any) -> None:
    service.says("POST /v1/integrations/demo/installations/inst%2F2/tokens", {"token": "fresh"})
    context.installation_api("inst/2").get("/x")
    assert [request.headers["authorization"] for request in service.heard] == [
        "Bearer integration-token",
        "Bearer fresh",
    ]


def test_fetch_reaches_the_outside(context: Context, service: Any) -> None:
    assert context.fetch(f"{service.url}/x", method="POST", form={"a": "b"}).json() == {}
    assert service.heard[0].body == b"a=b"


def test_wait_until_needs_a_function(context: Context) -> None:
    with pytest.raises(TypeError, match="needs a function"):
        context.wait_until(None)  # type: ignore[arg-type]
