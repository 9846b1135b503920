"""What a reader hands over: a page that is too large as a document stays out alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.engines.apart.answers import Refused
from runtime.services.importing.handing_over import MAX_DOCUMENT, Writer, read_imported, write_imported
from runtime.services.importing.tree import Imported, ImportedPage


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
    assert len(read.problems) == 1 and read.problems[0].startswith("large: It has more than 32 MB")
