"""The check against the published contract finds what is wrong, and lets pass what is right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.api.table import operations
from tests.clients.packages import needs_packages
from tests.contract.agreement import differences, find, ours

pytestmark = needs_packages
HOST = "http://127.0.0.1:1"
JSON = "application/json"


def told(method: str, path: str, status: int, body: Any, kind: str = JSON) -> list[str]:
    return list(differences(method, HOST + path, status, kind, json.dumps(body).encode()))


def test_paths_with_fewer_parameters_come_first() -> None:
    found = find("GET", "/v1/orgs/o1/sites")
    assert found is not None and found.name == "listSites"
    assert find("GET", "/v1/nothing/of/this") is None
    assert find("PUT", "/v1/user") is None


def test_most_of_what_we_have_is_published() -> None:
    assert len(ours()) >= 50


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (("GET", "/v1/user", 200, {}), "getAuthenticatedUser 200 $: "),
        (("GET", "/v1/user", 201, {}), "getAuthenticatedUser 201 status: only 200"),
        (
            ("GET", "/v1/user", 200, {}, "text/html"),
            "getAuthenticatedUser 200 content-type: text/html in place of JSON",
        ),
        (
            ("GET", "/v1/user", 401, {"error": "text"}),
            "getAuthenticatedUser 401 $.error: 'text' is not of type 'object'",
        ),
        (("GET", "/v1/orgs/o/sites", 200, {"items": [{}], "count": 1}), "listSites 200 $.items[0]: "),
        (("GET", "/v1/orgs/o/sites", 200, {"items": [], "count": "1"}), "listSites 200 $.count: '1' is not of type"),
    ],
)
def test_differences_are_told_with_their_place(answer: tuple[Any, ...], expected: str) -> None:
    assert told(*answer)[0].startswith(expected)


def test_right_answers_pass() -> None:
    assert told("GET", "/v1/orgs/o/sites", 200, {"items": [], "count": 0}) == []
    assert told("GET", "/v1/user", 401, {"error": {"code": 401, "message": "No."}}) == []
    assert told("GET", "/healthz", 200, "anything") == []


def test_what_differs_on_purpose_passes() -> None:
    event = {"id": "e", "integrationId": "i", "createdAt": "2026-01-01T00:00:00.000Z", "status": "success"}
    event["payload"] = {"eventId": "e", "type": "task", "task": {}}  # type: ignore[assignment]
    path = "/v1/integrations/one/events"
    assert told("GET", path, 200, {"items": [event], "count": 1}) == []
    event["payload"] = {"eventId": "e", "type": "invented"}  # type: ignore[assignment]
    assert told("GET", path, 200, {"items": [event], "count": 1}) != []


def test_what_the_published_document_does_not_have_says_so() -> None:
    """`(extension)` tells clients of other platforms what they find here alone; where they begin is at `/v1`."""
    said = {operation.name for operation in operations() if operation.summary.endswith("(extension).")}
    assert said == {operation.name for operation in operations()} - ours() - {"getApiInformation"}
