"""No field of a body yields more errors than are built: each takes as long as a small request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from runtime.api.requests import parse_body
from runtime.api.table import operations
from runtime.contract import errors
from runtime.contract.base import Body
from runtime.contract.validation import MAX_ERRORS

MANY = 3 * MAX_ERRORS
WRONG: tuple[Any, ...] = ([1] * MANY, [""] * MANY, [{}] * MANY, {str(number): 1 for number in range(MANY)})
MODELS = sorted({one.body for one in operations() if one.body is not None}, key=lambda model: model.__name__)


def fields(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield field.alias or name


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_field_reports_more_errors_than_are_told(model: type[BaseModel]) -> None:
    for name in fields(model):
        for value in WRONG:
            try:
                model.model_validate_json(json.dumps({name: value}))
            except ValidationError as error:
                assert error.error_count() <= MAX_ERRORS, name


def test_errors_that_are_too_many_are_counted() -> None:
    class Loose(Body):
        values: list[int]

    with pytest.raises(errors.BadRequest) as caught:
        parse_body(Loose, json.dumps({"values": [""] * MANY}).encode())
    assert f"{MANY:,} places" in caught.value.message
