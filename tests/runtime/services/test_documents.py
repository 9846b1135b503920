"""Markdown that is sent becomes documents the host can hold."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from runtime.contract import document_size, errors
from runtime.services import documents


def here(function: Callable[[Path, Any], Any], folder: Path, arguments: Any) -> Any:
    """Run what would run apart."""
    return function(folder, arguments)


def test_long_markdown_becomes_documents_of_a_bounded_size_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LONG", 100)
    monkeypatch.setattr(documents, "MOST_MADE", 100_000)
    read = documents.read_all({"a": "# a\n" * 300, "b": "word " * 300}, here, lambda: nullcontext(tmp_path))
    assert [len(document["nodes"]) for document in read] == [300, 1]
    with pytest.raises(errors.BadRequest, match="MB of documents; send fewer pages at once"):
        documents.read_all(dict.fromkeys("abcd", "# a\n" * 300), here, lambda: nullcontext(tmp_path))


@pytest.mark.parametrize("long", [100, documents.LONG], ids=["apart", "here"])
def test_a_page_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long: int) -> None:
    monkeypatch.setattr(documents, "LONG", long)
    monkeypatch.setattr(document_size, "MAX_DOCUMENT_PARTS", 3 + 7 * 100)
    texts = {"first": "a\n\n" * 100, "second": "a\n\n" * 100}
    assert len(documents.read_all(texts, here, lambda: nullcontext(tmp_path))) == 2
    texts["second"] += "b"
    with pytest.raises(errors.BadRequest, match=r"^second: has 710 parts .* at most 703; split it into several pages$"):
        documents.read_all(texts, here, lambda: nullcontext(tmp_path))
