"""Markdown that is sent becomes documents the host can hold."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from runtime.contract import errors
from runtime.services import documents


def here(function: Callable[[Path, Any], Any], folder: Path, arguments: Any) -> Any:
    """Run what would run apart."""
    return function(folder, arguments)


def test_long_markdown_becomes_documents_of_a_bounded_size_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LONG", 100)
    monkeypatch.setattr(documents, "MOST_MADE", 100_000)
    read = documents.read_all(["# a\n" * 300, "word " * 300], here, lambda: nullcontext(tmp_path))
    assert [len(document["nodes"]) for document in read] == [300, 1]
    with pytest.raises(errors.BadRequest, match="MB of documents; send fewer pages at once"):
        documents.read_all(["# a\n" * 300] * 4, here, lambda: nullcontext(tmp_path))
