"""What is wrong with a value is said in words."""

from __future__ import annotations

import json
from typing import Annotated, Literal, get_args

import pytest
from pydantic import AwareDatetime, Field, StringConstraints, ValidationError
from pydantic_core.core_schema import ErrorType

from runtime.contract.base import Body, Text
from runtime.contract.validation import SAID, bad_request


class Named(Body):
    name: Annotated[Text, StringConstraints(min_length=2, max_length=4)] = "name"
    several: Annotated[list[int], Field(max_length=2)] = Field(default_factory=list)
    values: dict[str, Annotated[Text, StringConstraints(max_length=4)] | bool] = Field(default_factory=dict)


class Circle(Body):
    kind: Literal["circle"]
    radius: Annotated[int, Field(ge=1, le=9)]


class Square(Body):
    kind: Literal["square"]
    side: float
    moment: AwareDatetime | None = None


class Drawing(Body):
    shapes: Annotated[list[Annotated[Circle | Square, Field(discriminator="kind")]], Field(min_length=1)]
    frame: Circle | Square | None = None
    named: Annotated[Text, StringConstraints(max_length=4)] | Named | None = None


CIRCLE = {"kind": "circle", "radius": 1}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"shapes": [{}]}, "shapes.0.kind: is required"),
        ({"shapes": [{"kind": "SECRET"}]}, "shapes.0.kind: must be one of 'circle', 'square'"),
        ({"shapes": [CIRCLE, {"kind": "circle"}]}, "shapes.1.radius: is required"),
        ({"shapes": [{"kind": "circle", "radius": 0}]}, "shapes.0.radius: must be at least 1"),
        ({"shapes": [{"kind": "circle", "radius": 10}]}, "shapes.0.radius: must be at most 9"),
        ({"shapes": [{"kind": "circle", "radius": 1.5}]}, "shapes.0.radius: must be a whole number"),
        ({"shapes": [{"kind": "square", "side": "SECRET"}]}, "shapes.0.side: must be a number"),
        ({"shapes": [7]}, "shapes.0: must be an object"),
        ({"shapes": {}}, "shapes: must be a list"),
        ({"shapes": []}, "shapes: must have at least 1 item, not 0"),
        ({}, "shapes: is required"),
        ([], "The body must be an object"),
        ({"shapes": [CIRCLE], "frame": {"kind": "circle"}}, "frame.radius: is required"),
        ({"shapes": [CIRCLE], "frame": {"kind": "square", "side": "SECRET"}}, "frame.side: must be a number"),
        ({"shapes": [CIRCLE], "frame": {"kind": "circle", "radius": 0}}, "frame.radius: must be at least 1"),
        ({"shapes": [CIRCLE], "frame": {"side": "SECRET"}}, "frame.kind: is required (and 1 more)"),
        ({"shapes": [CIRCLE], "frame": 7}, "frame: must be an object"),
        (
            {"shapes": [CIRCLE], "named": {"name": "n", "several": [1, 2, 3]}},
            "named.name: must have at least 2 characters, not 1 (and 1 more)",
        ),
        ({"shapes": [CIRCLE], "named": "SECRET"}, "named: must have at most 4 characters, not 6"),
        (
            {"shapes": [{"kind": "square", "side": 1, "moment": "SECRET"}]},
            "shapes.0.moment: must be an ISO 8601 timestamp with a time zone, such as 2026-01-31T12:00:00Z",
        ),
    ],
)
def test_only_names_of_the_body_are_told(body: object, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Drawing.model_validate_json(json.dumps(body))
    assert bad_request(refused.value, of=body).message == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": "x"}, "name: must have at least 2 characters, not 1"),
        ({"name": "x" * 5}, "name: must have at most 4 characters, not 5"),
        ({"several": [1, 2, 3]}, "several: must have at most 2 items, not 3"),
        ({"name": 7, "several": "x"}, "name: must be a text (and 1 more)"),
        ({"values": {"a": []}}, "values.a: must be a text or true or false"),
    ],
)
def test_the_first_error_is_a_sentence(body: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Named.model_validate(body)
    assert bad_request(refused.value).message == said


def test_what_is_said_is_said_of_errors_that_there_are() -> None:
    assert set(SAID) <= set(get_args(ErrorType))
