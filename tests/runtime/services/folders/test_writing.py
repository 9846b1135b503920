"""What is written over a folder that is there: no more than what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.engines.separate_process.answers import Refused
from runtime.services.folders.writing import write_folder
from runtime.services.markdown.reading import document_of
from runtime.store.content.entries import Page
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import Snapshot


def revision(*pages: Page, **texts: str) -> tuple[Snapshot, dict[str, Any]]:
    documents = {page_id: document_of(text) for page_id, text in texts.items()}
    named = [
        Page(**{**page.to_json(), "document": name_of(documents[page.id])}) if page.id in documents else page
        for page in pages
    ]
    return Snapshot(named), {name_of(document): document for document in documents.values()}


def test_markdown_of_people_stays_and_what_is_not_known_here_too(tmp_path: Path) -> None:
    theirs = "---\ntags: [a, b]\ndescription: >-\n  Folded\n  text\nif: visitor\n---\n\nHome\n====\n\n- one\n- two\n"
    (tmp_path / "README.md").write_text(theirs)
    (tmp_path / "SUMMARY.md").write_text("# Contents\n\n- [Home](./README.md)\n")
    page = Page("a", None, "document", "Home", slug="readme", description="Folded text")
    snapshot, documents = revision(page, a="* one\n* two\n")
    assert write_folder(tmp_path, snapshot, documents, {}).changed == []
    assert (tmp_path / "README.md").read_text() == theirs
    snapshot, documents = revision(page, a="* one\n")
    assert write_folder(tmp_path, snapshot, documents, {}).changed == ["README.md"]
    text = (tmp_path / "README.md").read_text()
    assert text.startswith("---\ndescription: Folded text\ntags:\n- a\n- b\nif: visitor\n---\n\n# Home\n\n* one\n")


def test_pages_stay_where_they_were(tmp_path: Path) -> None:
    pages = (
        Page("a", {"oid": "1", "path": "docs/x.md"}, "document", "A", slug="a"),
        Page("b", {"oid": "1", "path": "../b.md"}, "document", "B", slug="b"),
        Page("c", {"oid": "1", "path": ".git/hooks/c.md"}, "document", "C", slug="c"),
        Page("d", {"oid": "1", "path": "docs/X.md"}, "document", "D", slug="d"),
    )
    (tmp_path / "out").mkdir()
    made = write_folder(tmp_path / "out", Snapshot(pages), {}, {})
    assert made.paths.page == {"a": "docs/x.md", "b": "b.md", "c": "c.md", "d": "d.md"}
    assert (tmp_path / "out" / "docs" / "x.md").read_text() == "---\nslug: a\n---\n\n# A\n"


def test_a_file_in_the_way_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    pages = (
        Page("r", slug="readme", title="R"),
        Page("a", title="A", slug="a"),
        Page("b", title="B", slug="b", parent="a"),
    )
    with pytest.raises(Refused, match="in the place of"):
        write_folder(tmp_path, Snapshot(pages), {}, {})


def test_of_two_pages_with_one_former_path_the_first_is_written(tmp_path: Path) -> None:
    snapshot = Snapshot(
        [
            Page("home", title="Home", slug="readme"),
            Page("a", title="A", slug="a", former_paths=["old"]),
            Page("b", title="B", slug="b", former_paths=["old"]),
        ]
    )
    write_folder(tmp_path, snapshot, {}, {})
    assert "old: a.md" in (tmp_path / ".gitbook.yaml").read_text()
    assert snapshot.page_by_former_path["old"].id == "a"  # where readers are sent
