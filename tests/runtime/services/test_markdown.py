"""Markdown becomes a document, whatever is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.documents import check_document
from runtime.services.markdown import document_of

PIECES = ["# ", "- ", "1. ", "> ", "```", "~~~\n", "\n", "\n\n", "    ", "**", "*", "_", "`", "~~", "[a](b)", "![i](u)"]
PIECES += ["|a|b|\n|-|-|\n|1|", "---\n", "<b>", "text", "\\", "&amp;", "[ ] ", "  \n", "é"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_whatever_is_written_becomes_a_document(markdown: str) -> None:
    check_document(document_of(markdown))


@pytest.mark.parametrize(
    ("markdown", "types"),
    [
        ("", []),
        ("#### Deep", ["heading-3"]),
        ("a\n\n---\n\nb", ["paragraph", "divider", "paragraph"]),
        ("> ```\n> code\n> ```", ["blockquote"]),
        ("    code", ["code"]),
        ("<script>alert(1)</script>", ["paragraph"]),
    ],
)
def test_blocks(markdown: str, types: list[str]) -> None:
    assert [node["type"] for node in document_of(markdown)["nodes"]] == types


def test_code_in_a_quotation_becomes_text_because_none_may_stand_there() -> None:
    quoted = document_of("> ```\n> code\n> ```")["nodes"][0]["nodes"]
    assert [node["type"] for node in quoted] == ["paragraph"]
    assert quoted[0]["nodes"][0]["leaves"][0]["text"] == "code"
