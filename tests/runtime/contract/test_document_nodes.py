"""Nodes of documents by their names, however odd the documents are that `check_document` lets in."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.contract.document_nodes import anchors_in, named, said, text_of
from runtime.contract.documents import check_document


def block(kind: str, *nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"object": "block", "type": kind, "data": {}, "nodes": list(nodes), **more}


def text(content: str) -> dict[str, Any]:
    return {"object": "text", "leaves": [{"object": "leaf", "text": content, "marks": []}]}


def document(*nodes: dict[str, Any]) -> dict[str, Any]:
    made = {"object": "document", "data": {}, "nodes": list(nodes)}
    check_document(made)
    return made


TABLE = block(
    "table",
    key="t",
    data={"definition": {"c": {}, "n": {}}, "records": {"r": {"values": {"c": "f", "n": 3}}, "odd": 1}},
    fragments=[{"object": "fragment", "fragment": "f", "type": "f", "nodes": [block("paragraph", text("Cell."))]}],
)


def test_a_node_goes_by_key_by_meta_and_as_a_heading_by_its_id() -> None:
    inner = block("paragraph", text("Inner."), key="inner")
    heading = block("heading-2", text("Title"), data={"id": "title"})
    made = document(heading, block("hint", inner, meta={"id": "hint"}), block("code", data={"id": "no"}))
    assert named(made, "inner") is inner and named(made, "title") is heading
    assert said(made, "hint", None, None) == said(made, "inner", None, None)
    assert named(made, "no") is None and said(made, "none", None, None) is None


def test_a_heading_goes_by_what_its_text_becomes_in_an_address() -> None:
    headings = [block("heading-2", text("First steps")), block("heading-3", text("First steps"))]
    made = document(*headings, block("paragraph", text("Not a heading")), block("heading-1", data={"id": "not"}))
    assert [named(made, anchor) for anchor in anchors_in(made)[:2]] == headings
    assert named(made, "not-a-heading") is None


def test_each_block_stands_on_its_own_line() -> None:
    icon = {"object": "inline", "type": "icon", "data": {"icon": "star"}}
    made = document(block("blockquote", block("paragraph", text("One")), block("paragraph", text("two "), icon)))
    assert text_of(made) == "One\ntwo star"


@pytest.mark.parametrize("name", ["t", None])
def test_cells(name: str | None) -> None:
    made = document(block("paragraph", text("Before.")), TABLE)
    texts = {
        where: said(made, name, *where) for where in (("r", "c"), ("r", "n"), ("odd", "c"), ("x", "c"), ("r", "x"))
    }
    assert [one and one.text for one in texts.values()] == ["Cell.", "3", "", None, None]


def test_other_texts_have_other_digests_and_odd_documents_none_of_a_name() -> None:
    one, other = (
        said(document(block("paragraph", text(said_), key="k")), "k", None, None) for said_ in ("\ud800", "b")
    )
    assert one is not None and other is not None and one.digest != other.digest
    odd = document(block("table", key={}, meta=[], data={"records": [], "definition": 3}))
    assert named(odd, "k") is None and said(odd, None, "r", "c") is None


def test_deep_documents_are_walked_without_going_deep() -> None:
    deep = block("paragraph", text("Deep."), key="deep")
    for _ in range(400):
        deep = block("blockquote", deep)
    found = said({"object": "document", "nodes": [deep]}, "deep", None, None)
    assert found is not None and found.text == "Deep."
