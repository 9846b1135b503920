"""Markdown becomes a document, whatever is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.documents import check_document
from runtime.services.markdown.reading import document_of

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


def test_tables_of_a_document_have_a_bounded_number_of_cells() -> None:
    """Rows are filled up to the head's columns: two kilobytes could become a document of megabytes."""
    wide = "|".join("a" * 256) + "\n" + "|".join(["-"] * 256) + "\n" + "b\n" * 256 + "\n"
    document = document_of("|a|b|\n|-|-|\n|c|d|\n\n" + wide * 20)
    kinds = [node["type"] for node in document["nodes"]]
    assert kinds[0] == "table" and "table" not in kinds[1:]
    small = "|a|b|\n|-|-|\n|c|d|\n\n" * 6000
    many = document_of(small)["nodes"]
    assert sum(node["type"] == "table" for node in many) == 5000


def test_lines_without_end_are_looked_at_once() -> None:
    """Were each line to look for the end of its block, these would take hours."""
    for text in ("a\n" * 30_000, "|-|\n" * 30_000, "a|b\n-|-\n" * 15_000, "|a|b|\n|-|-|\n" + "|c|d|\n" * 30_000):
        document_of(text)


def test_an_honest_table_may_have_thousands_of_rows() -> None:
    (table,) = document_of("|a|b|c|\n|-|-|-|\n" + "|1|2|3|\n" * 5000)["nodes"]
    assert table["type"] == "table"
