"""A long body is refused without being converted once more for each of its errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import MISSING, ValidationError

from runtime.api.requests import _read
from runtime.api.table import operations
from runtime.contract.base import LONG, Body
from runtime.contract.finite_json import finite_json

BODIES = {one.body for one in operations() if one.body is not None and issubclass(one.body, Body)}
DEMANDING = sorted(
    (body for body in BODIES if sum(field.is_required() for field in body.model_fields.values()) > 1),
    key=lambda body: body.__name__,
)


@pytest.mark.parametrize("body", DEMANDING, ids=lambda body: body.__name__)
def test_what_a_long_body_lacks_is_told_without_the_body(body: Any) -> None:
    names = {field.alias or name for name, field in body.model_fields.items() if field.is_required()}
    with pytest.raises(ValidationError) as short:
        body.model_validate_json("{}")
    assert {error["loc"] for error in short.value.errors()} == {(name,) for name in names}
    with pytest.raises(ValidationError) as long:
        body.model_validate_json(json.dumps({"unknown": "x" * LONG}))
    told = [(error["type"], error["loc"], error["input"]) for error in long.value.errors()]
    assert sorted(told) == sorted(("missing", (name,), None) for name in names)


def test_a_long_body_that_is_none_is_left_to_who_reads_it() -> None:
    for text in ("x" * LONG, "[" * LONG, '"' + "x" * LONG + '"', b"\xff" * (LONG + 1)):
        with pytest.raises(ValidationError):
            DEMANDING[0].model_validate_json(text)


def test_json_is_utf_8_alone() -> None:
    assert _read(b'{"a":1}') == {"a": 1}
    for encoding in ("utf-16", "utf-16-le", "utf-32"):
        assert _read('{"a":1}'.encode(encoding)) is MISSING
        assert finite_json('["\u614eN", 1]'.encode(encoding))
