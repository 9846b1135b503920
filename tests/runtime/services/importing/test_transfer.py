"""What a reader hands over: a page that is too large as a document stays out alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.contract import document_size
from runtime.engines.separate_process.answers import Refused
from runtime.services.imported_tree import Imported, ImportedFile, ImportedPage, ImportedReusableContent
from runtime.services.importing import transfer
from runtime.services.importing.transfer import IMPORTED, MAX_DOCUMENT, Writer, read_imported, write_imported


def document(size: int) -> dict[str, Any]:
    leaf = {"object": "leaf", "text": "x" * size, "marks": []}
    block = {"object": "block", "type": "paragraph", "nodes": [{"object": "text", "leaves": [leaf]}]}
    return {"object": "document", "data": {}, "nodes": [block]}


def test_a_page_that_is_too_large_is_refused_and_not_written(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    with pytest.raises(Refused, match="32 MB"):
        writer.page(ImportedPage("large", "Large", document=document(MAX_DOCUMENT)))
    writer.page(ImportedPage("small", "Small", document=document(10)))
    writer.close()
    assert writer.pages == 1
    assert [page.title for page in read_imported(tmp_path).pages] == ["Small"]


def test_a_tree_keeps_a_page_whose_text_is_too_large(tmp_path: Path) -> None:
    pages = [
        ImportedPage("large", "Large", document=document(MAX_DOCUMENT)),
        ImportedPage("small", "Small", parent="large", document=document(10)),
    ]
    write_imported(tmp_path, Imported(pages=pages))
    read = read_imported(tmp_path)
    assert [page.title for page in read.pages] == ["Large", "Small"]
    assert len(read.problems) == 1 and read.problems[0].startswith("large: It produces a document of more than 32 MB")


def test_a_page_with_too_many_parts_stays_out_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_size, "MAX_DOCUMENT_PARTS", 9)
    large = document(1)
    large["nodes"][0]["data"] = {}
    pages = [ImportedPage("large", "Large", document=large), ImportedPage("small", "Small", document=document(1))]
    contents = [ImportedReusableContent("content", "Content", large)]
    write_imported(tmp_path, Imported(pages=pages, reusable_contents=contents))
    read = read_imported(tmp_path)
    assert [(page.title, page.too_large) for page in read.pages] == [("Large", True), ("Small", False)]
    assert [content.too_large for content in read.reusable_contents] == [True]
    said = (
        "Its document has 10 parts (blocks, texts, marks and other objects and arrays), and a document has at most 9;"
    )
    assert read.problems == [f"{key}: {said} split it into several pages." for key in ("large", "content")]
    writer = Writer(tmp_path)
    with pytest.raises(Refused, match=r"has 10 parts"):
        writer.page(pages[0])
    writer.close()


def test_titles_and_descriptions_are_handed_over_as_long_as_they_are_kept(tmp_path: Path) -> None:
    pages = [ImportedPage(f"{number}", "x" * 1_000_000, description="y" * 1_000_000) for number in range(3)]
    files = [ImportedFile("file", "z" * 1_000_000, "file")]
    write_imported(tmp_path, Imported(pages=pages, files=files))
    assert (tmp_path / IMPORTED).stat().st_size < 20_000
    read = read_imported(tmp_path)
    assert [(len(page.title), len(page.description or "")) for page in read.pages] == [(1000, 1000)] * 3
    assert len(read.files[0].name) == 1000


def test_a_host_holds_no_more_than_it_may_of_what_is_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "MAX_LISTED", 1 << 20)
    write_imported(tmp_path, Imported(pages=[ImportedPage("page", "Page", variables={"name": "x" * 600_000})]))
    assert len(read_imported(tmp_path).pages) == 1
    pages = [ImportedPage(f"{number}", "Page", variables={"name": "x" * 600_000}) for number in range(2)]
    write_imported(tmp_path, Imported(pages=pages))
    with pytest.raises(Refused, match="more than 1 MB in all"):
        read_imported(tmp_path)


def test_no_database_or_terminal_is_handed_controls_and_half_characters(tmp_path: Path) -> None:
    """PostgreSQL takes no NUL: one in a title kept all of a space out of its index."""
    odd, made = "a\x00b\x1b[31m\ud800\tc\nd\x7f", "ab[31m c\nd\x7f"
    page = ImportedPage("page", odd, slug=odd, description=odd, emoji=odd, icon=odd, variables={"name": odd, "two": 2})
    files = [ImportedFile("file", odd, "file")]
    contents = [ImportedReusableContent("content", odd)]
    everything = Imported(pages=[page], files=files, reusable_contents=contents, variables={"one": odd, "yes": True})
    write_imported(tmp_path, everything)
    read = read_imported(tmp_path)
    got = read.pages[0]
    assert [got.title, got.slug, got.description, got.emoji, got.icon] == [made] * 5
    assert got.variables == {"name": made, "two": 2} and read.variables == {"one": made, "yes": True}
    assert (read.files[0].name, read.reusable_contents[0].title) == (made, made)
