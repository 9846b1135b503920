"""Documents of pages have a limited number of parts and characters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract import document_size
from runtime.contract.document_size import MAX_DOCUMENT_CHARACTERS, MAX_DOCUMENT_PARTS, size_of, size_problem
from runtime.contract.documents import NotADocument, check_document
from tests.runtime.contract.sized_documents import document_with, paragraph

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=5))
def test_the_size_is_of_all_that_is_in_a_document(value: dict[str, Any]) -> None:
    def parts(one: Any) -> int:
        inside = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        return isinstance(one, (dict, list)) + sum(map(parts, inside))

    def characters(one: Any) -> int:
        if isinstance(one, str):
            return len(one)
        inside = [*one, *one.values()] if isinstance(one, dict) else one if isinstance(one, list) else ()
        return sum(map(characters, inside))

    assert size_of(value) == (parts(value), characters(value))
    assert size_of({"more": value}).parts == size_of(value).parts + 1, "no part of a document is too large for it"


def test_a_document_with_as_many_parts_as_allowed_is_good_and_one_more_is_refused() -> None:
    check_document(document_with(MAX_DOCUMENT_PARTS))
    with pytest.raises(NotADocument) as refused:
        check_document(document_with(MAX_DOCUMENT_PARTS + 1))
    said = "has 100,001 parts (blocks, texts, marks and other objects and arrays), and a document has at most 100,000"
    assert str(refused.value) == f"{said}; split it into several pages"


def test_cells_of_tables_count() -> None:
    columns = {str(number): {"type": "text", "title": ""} for number in range(1000)}
    records = {str(number): {"values": {}} for number in range(101)}
    block = {"object": "block", "type": "table", "data": {"definition": columns, "records": records}}
    said = size_problem({"object": "document", "data": {}, "nodes": [block]})
    assert said is not None and "and a document has at most 100,000" in said


def test_each_value_of_a_cell_with_several_counts() -> None:
    columns = {"a": {"type": "select", "title": "", "options": []}}
    for chosen, fits in (([["x"] * 50] * 1000, True), ([["x"] * 500] * 1000, False)):
        records = {str(number): {"values": {"a": values}} for number, values in enumerate(chosen)}
        block = {"object": "block", "type": "table", "data": {"definition": columns, "records": records}}
        assert (size_problem({"object": "document", "data": {}, "nodes": [block]}) is None) == fits
    odd = {"a": 1, "b": {"values": []}, "c": {"values": {"a": "x" * 200_000}}, "d": {}}
    block = {"object": "block", "type": "table", "data": {"definition": columns, "records": odd}}
    assert size_problem({"object": "document", "data": {}, "nodes": [block]}) is None


def test_what_cells_name_counts() -> None:
    option: dict[str, Any] = {"value": "x", "label": "y" * 1000}

    def size(kind: str, cell: Any) -> document_size.DocumentSize:
        column = {"type": kind, "title": "", "options": [option]}
        records = {str(number): {"values": {"a": cell}} for number in range(10)}
        data = {"definition": {"a": column}, "records": records}
        parts, characters = size_of(
            {"object": "document", "nodes": [{"object": "block", "type": "table", "data": data}]}
        )
        return document_size.DocumentSize(parts, characters - len(kind))

    assert size("select", "x").characters == size("text", "x").characters + 10 * 100
    assert size("select", ["x", "?", 1]).characters == size("text", ["x", "?", 1]).characters + 10 * 100
    assert size("select", ["x", "x"]).parts == size("text", ["x", "x"]).parts
    for kind, cell, links in (("users", ["x", "y"], 2), ("files", [], 0), ("content-ref", {"kind": "url"}, 1)):
        assert size(kind, cell).parts == size("text", cell).parts + 5 * 10 * links
    assert size("image", None).parts == size("text", None).parts
    option.pop("value")  # it is shown for an empty value
    assert size("select", "").characters == size("text", "").characters + 10 * 100
    odd = [{"options": 1, "type": "select"}, {"options": [1, {"value": 1, "label": 1}], "type": "select"}, 1]
    records = {"1": {"values": {str(number): ["x"] for number in range(3)}}}
    data = {"definition": {str(number): column for number, column in enumerate(odd)}, "records": records}
    assert size_problem({"object": "document", "nodes": [{"object": "block", "type": "table", "data": data}]}) is None


def test_a_table_is_measured_by_what_its_records_hold() -> None:
    columns = {str(number): {"type": "select", "options": []} for number in range(50_000)}
    records = {str(number): {"values": {}} for number in range(50_000)}
    block = {"object": "block", "type": "table", "data": {"definition": columns, "records": records}}
    said = size_problem(
        {"object": "document", "data": {}, "nodes": [block]}
    )  # 2.5 billion cells one by one take minutes
    assert said is not None and said.startswith("has 2,500,")


def test_a_document_with_as_many_characters_as_allowed_is_good_and_one_more_is_refused() -> None:
    room = MAX_DOCUMENT_CHARACTERS - size_of(document_with(9, "")).characters
    check_document(document_with(9, "x" * room))
    with pytest.raises(NotADocument, match="has 4,000,001 characters, and a document has at most 4,000,000; split"):
        check_document(document_with(9, "x" * (room + 1)))


@pytest.mark.parametrize(
    "block",
    [
        {"object": "block", "type": "integration", "data": {"props": {"a": [[] for _ in range(10)]}}},
        {"object": "block", "type": "table", "fragments": [{"object": "fragment", "nodes": []} for _ in range(5)]},
        {"object": "block", "type": "blockquote", "nodes": [paragraph("a"), paragraph("b")]},
    ],
    ids=["data", "cells", "within"],
)
def test_what_is_inside_of_blocks_counts(block: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    document = {"object": "document", "data": {}, "nodes": [block]}
    monkeypatch.setattr(document_size, "MAX_DOCUMENT_PARTS", json.dumps(document).count("{") + 3)
    check_document({**document, "nodes": []})
    assert size_problem(document) is not None
