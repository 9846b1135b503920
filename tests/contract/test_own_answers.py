"""What reading answers with is what `openapi.json` says: what it requires is there, and of the kind it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from openapi_schema_validator import OAS31Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.conftest import HostProcess, Tenant
from tests.contract.operation_walk import OPERATIONS, build, send
from tests.contract.requests_table import World

DOCUMENT: dict[str, Any] = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
REGISTRY = Registry().with_resource("urn:own", DRAFT202012.create_resource(DOCUMENT))
READING = sorted(name for name, one in OPERATIONS.items() if one.method == "GET" and one.answers is not None)


@pytest.fixture(scope="module")
def world(host: HostProcess, alpha: Tenant) -> World:
    return build(host, Tenant(alpha.api.post("/v1/orgs", {"title": "Own"}).json["id"], alpha.user, alpha.api))


@pytest.mark.parametrize("name", READING)
def test_answers_are_what_our_document_says(name: str, world: World) -> None:
    operation = OPERATIONS[name]
    answer = send(world, operation)
    assert answer.status == operation.status, answer.text
    parts = (operation.path, "get", "responses", str(operation.status), "content", "application/json", "schema")
    pointer = "/".join(quote(part.replace("/", "~1"), safe="~$") for part in parts)
    validator = OAS31Validator({"$ref": f"urn:own#/paths/{pointer}"}, registry=REGISTRY)
    wrong = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(answer.json)]
    assert not wrong
