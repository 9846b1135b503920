"""Our own document is valid, and is the one that is committed."""

from __future__ import annotations

import json
from pathlib import Path

from openapi_spec_validator import validate

from runtime.api.openapi import document
from runtime.api.table import operations

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
