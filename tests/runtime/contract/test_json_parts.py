"""JSON is decoded in pieces that end soon, and what has too many parts is refused before it is decoded."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.api.requests import parse_body
from runtime.api.table import operations
from runtime.contract import errors, json_parts
from runtime.contract.json_parts import MAX_PARTS, MAX_VALUES, decode_json, encode_in_pieces, has_too_many_parts

TEXTS = st.text(st.sampled_from('[]{}"\\,:a\u00e9\n\ud7ff'), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=30,
)
TOO_MANY = b'{"a":[' + b"[]," * MAX_PARTS + b"[]]}"


def count(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, (dict, list)) + sum(map(count, inside))


@given(VALUES, st.booleans(), st.integers(1, 9))
def test_only_what_is_outside_of_strings_is_counted(value: Any, ascii_only: bool, at_once: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_parts, "_AT_ONCE", at_once)
        patch.setattr(json_parts, "MAX_PARTS", count(value))
        assert not has_too_many_parts(text)
        if count(value):
            patch.setattr(json_parts, "MAX_PARTS", count(value) - 1)
            assert has_too_many_parts(text)


@given(st.binary(max_size=30))
def test_anything_can_be_counted(text: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_parts, "MAX_PARTS", 0)
        assert has_too_many_parts(text) in (True, False)


@given(VALUES, st.integers(0, 4))
def test_both_ways_of_decoding_and_encoding_give_the_same(value: Any, levels: int) -> None:
    text = json.dumps(value)
    assert json.loads("".join(encode_in_pieces(value, levels))) == value
    assert decode_json(text) == decode_json(text.encode()) == value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_parts, "MAX_PARTS", -1)
        assert decode_json(text) == decode_json(text.encode()) == value


@pytest.mark.parametrize("most", [MAX_PARTS, -1])
@pytest.mark.parametrize("text", ["", "{", "[1,]", '{"a":1,}', "[] []", '"'])
def test_what_is_no_json_is_refused_in_both_ways(text: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parts, "MAX_PARTS", most)
    with pytest.raises(ValueError):
        decode_json(text)
    assert gc.isenabled()


@pytest.mark.parametrize("operation", [one for one in operations() if one.body is not None], ids=lambda one: one.name)
def test_no_operation_reads_a_body_of_too_many_parts(operation: Any) -> None:
    with pytest.raises(
        errors.TooLarge, match="The body has more than 200,000 JSON objects and arrays, or more than 1,000,000 val"
    ):
        parse_body(operation.body, TOO_MANY)


def test_a_body_with_as_many_parts_as_allowed_is_read() -> None:
    inside = MAX_PARTS - 2  # besides the object, and the list
    assert not has_too_many_parts(b'{"a":[' + b"[]," * (inside - 1) + b"[]]}")
    assert has_too_many_parts(b'{"a":[' + b"[]," * inside + b"[]]}")
    assert not has_too_many_parts(b'{"a":"' + b"[{" * MAX_PARTS + b'"}')


def test_a_body_with_as_many_values_as_allowed_is_read() -> None:
    assert not has_too_many_parts(b"[" + b"1," * MAX_VALUES + b"1]")
    assert has_too_many_parts(b"[" + b"1," * (MAX_VALUES + 1) + b"1]")
    assert not has_too_many_parts(b'["' + b"1," * (MAX_VALUES + 1) + b'"]')
