"""What JSON cannot hold is named with its place."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.sdk.json_text import dump, misfit

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.builds(set) | st.binary()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.binary(), inner))


@given(VALUES)
def test_something_is_wrong_exactly_where_it_cannot_be_written(value: Any) -> None:
    try:
        dump(value)
    except (TypeError, ValueError):
        assert misfit(value) is not None
    else:
        assert misfit(value) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"state": {"open": {1, 2}}}, "state.open is a set"),
        ({"element": {"children": [{}, {"text": b"x"}]}}, "element.children.1.text is a bytes"),
        ({"state": {"share": math.nan}}, "state.share is nan"),
        ({"props": {(1, 2): 3}}, "a key of props is a tuple"),
        ({"props": {math.inf: 3}}, "a key of props is inf"),
    ],
)
def test_the_place_is_named(value: Any, said: str) -> None:
    assert misfit(value) == said


def test_it_is_said_by_who_writes_it() -> None:
    with pytest.raises(TypeError, match=r"^state\.open is a set, which JSON cannot hold$"):
        dump({"state": {"open": {1}}})


def test_a_value_that_contains_itself_has_no_place() -> None:
    value: dict[str, Any] = {}
    value["again"] = value
    assert misfit(value) is None
    with pytest.raises(ValueError, match="Circular"):
        dump(value)
