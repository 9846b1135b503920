"""What is wrong with a value is said in words."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field, StringConstraints, ValidationError

from runtime.contract.base import Body, Text
from runtime.contract.validation import sentence


class Named(Body):
    name: Annotated[Text, StringConstraints(min_length=2, max_length=4)] = "name"
    several: Annotated[list[int], Field(max_length=2)] = Field(default_factory=list)
    values: dict[str, Annotated[Text, StringConstraints(max_length=4)] | bool] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"name": "x"}, "name: must have at least 2 characters, not 1"),
        ({"name": "x" * 5}, "name: must have at most 4 characters, not 5"),
        ({"several": [1, 2, 3]}, "several: List should have at most 2 items after validation, not 3"),
        ({"name": 7, "several": "x"}, "name: Input should be a valid string (and 1 more)"),
        ({"values": {"a": []}}, "values.a: Input should be a valid string (and 1 more)"),
    ],
)
def test_the_first_error_is_a_sentence(body: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Named.model_validate(body)
    assert sentence(refused.value) == said
