"""Our own document is valid, and is the one that is committed."""

from __future__ import annotations

import json
from pathlib import Path

from openapi_spec_validator import validate

from runtime.api import ask_streams, event_stream
from runtime.api.described_streams import STREAMS
from runtime.api.openapi import document
from runtime.api.table import operations
from tests.contract.agreement import undocumented

COMMITTED = Path(__file__).parents[2] / "openapi.json"


def test_the_document_is_valid() -> None:
    validate(document(operations()))


def test_the_document_describes_every_operation() -> None:
    paths = document(operations())["paths"]
    described = {entry["operationId"] for methods in paths.values() for entry in methods.values()}
    assert described == {operation.name for operation in operations()} | {stream.name for stream in STREAMS}


def test_streams_are_described_as_they_are() -> None:
    paths = document(operations())["paths"]
    gates = (ask_streams.IN_ORGANIZATION_GATE, ask_streams.IN_SITE_GATE, event_stream.GATE)
    assert {gate.name for gate in gates} == {stream.name for stream in STREAMS}
    for gate in gates:
        (stream,) = (one for one in STREAMS if one.name == gate.name)
        assert stream.parameters == tuple(resource.parameter for resource in gate.chain)
        described = paths[stream.path][stream.method.lower()]
        assert list(described["responses"]["200"]["content"]) == ["text/event-stream"]
        assert ("requestBody" in described) is (stream.method == "POST")


def test_what_is_always_sent_is_required() -> None:
    schemas = document(operations())["components"]["schemas"]
    for name in ("Space", "Site", "Organization", "Revision", "Team", "User", "SamlProvider"):
        assert "object" in schemas[name]["required"], name
    assert "ssoURL" not in schemas["SamlProvider"]["required"] and "deletedAt" not in schemas["Space"]["required"]
    assert {"id", "type", "kind", "path", "layout", "pages"} <= set(schemas["DocumentPage"]["required"])
    assert "title" not in schemas["CreateSpace"].get("required", ())  # of requests, what has a default may be left out


def test_only_what_may_be_gone_answers_that_it_is() -> None:
    paths = document(operations())["paths"]
    assert "204" not in paths["/v1/integrations/{integrationName}/dev"]["delete"]["responses"]
    assert "204" in paths["/v1/spaces/{spaceId}"]["delete"]["responses"]


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
