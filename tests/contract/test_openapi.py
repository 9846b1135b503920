"""Our own document is valid, and is the one that is committed."""

from __future__ import annotations

import json
from pathlib import Path

from openapi_spec_validator import validate

from runtime.api.openapi import document
from runtime.api.table import operations
from tests.contract.agreement import undocumented

COMMITTED = Path(__file__).parents[2] / "openapi.json"


def test_the_document_is_valid() -> None:
    validate(document(operations()))


def test_the_document_describes_every_operation() -> None:
    paths = document(operations())["paths"]
    described = {entry["operationId"] for methods in paths.values() for entry in methods.values()}
    assert described == {operation.name for operation in operations()}


def test_the_committed_document_is_current() -> None:
    current = json.loads(COMMITTED.read_text()) == json.loads(json.dumps(document(operations())))
    assert current, "openapi.json is not current: run `make openapi` and commit it"


def test_statuses_nobody_is_told_of_are_found() -> None:
    assert undocumented("GET", "http://127.0.0.1:1/v1/user", 404) is None
    assert undocumented("GET", "http://127.0.0.1:1/v1/user", 412) == "openapi.json has no 412 for getAuthenticatedUser"
    assert undocumented("GET", "http://127.0.0.1:1/v1/integrations/one/render", 418) is None, "a script's own"
    assert undocumented("GET", "http://127.0.0.1:1/metrics", 418) is None
    answered = document(operations())["paths"]["/v1/spaces/{spaceId}"]["delete"]["responses"]
    assert {"204", "205", "404", "409", "414", "431", "503"} <= set(answered)
    assert "content" not in answered["205"] and "content" in answered["409"]
