"""A revision survives being written as a folder and read again; a folder that says the same stays as it is."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from runtime.contract.slugs import slug_of
from runtime.services.folders.reading import read_folder
from runtime.services.folders.writing import Written, write_folder
from runtime.services.imported_tree import Imported
from runtime.services.importing.references import Ids
from runtime.store.content.entries import Page
from tests.runtime.services.folders.snapshots import Drawn, revisions

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]


def written(root: Path, drawn: Drawn, **options: Any) -> Written:
    """Write a revision into the folder `content` of another."""
    (root / "content").mkdir(exist_ok=True)
    (root / "bytes").mkdir(exist_ok=True)
    files = {}
    for file_id, content in drawn.bytes.items():
        files[file_id] = root / "bytes" / file_id
        files[file_id].write_bytes(content)
    return write_folder(root / "content", drawn.snapshot, drawn.documents, files, **options)


def all_of(root: Path) -> dict[str, bytes]:
    """Give every file of a folder."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def said_of_pages(drawn: Drawn, imported: Imported, made: Written) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pair what a revision says of its pages with what was read of them, with ids in place of keys."""
    pages = drawn.snapshot.pages
    assert len(imported.pages) == len(pages)
    keys = {one.key: page.id for one, page in zip(imported.pages, pages, strict=True)}
    ids = Ids(
        keys,
        {path: file_id for file_id, path in made.paths.file.items()},
        {path: content_id for content_id, path in made.paths.reusable_content.items()},
    )
    pairs = []
    for one, page in zip(imported.pages, pages, strict=True):
        pairs.append((_of_page(page, drawn), _of_import(asdict(one), ids, keys)))
    return pairs


def _of_page(page: Page, drawn: Drawn) -> dict[str, Any]:
    said = asdict(page)
    for name in ("id", "git", "created_at", "updated_at", "computed", "computed_seed"):
        said.pop(name)
    said["document"] = drawn.documents[page.document] if page.document is not None else None
    return said


def _of_import(said: dict[str, Any], ids: Ids, keys: dict[str, str]) -> dict[str, Any]:
    assert not said.pop("too_large") and not said.pop("title_slug")
    said.pop("key"), said.pop("git")
    # What a file does not say is "no" where the import takes the place of what was there.
    said |= {name: bool(said[name]) for name in ("hidden", "no_index", "no_robots_index")}
    said["parent"] = keys[said["parent"]] if said["parent"] is not None else None
    if said["slug"] is None and said["type"] != "link":
        said["slug"] = slug_of(said["title"])
    if said["document"] is not None:
        said["document"] = ids.document(said["document"])
    if said["target"] is not None:
        said["target"] = ids.reference(said["target"])
    if said["cover"] is not None:
        cover = said["cover"]
        said["cover"] = {name: ids.reference(cover[name]) if name != "yPos" else cover[name] for name in cover}
    return said


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(deadline=None, max_examples=150, suppress_health_check=SLOW)
@given(revisions())
def test_a_revision_is_the_same_after_being_a_folder(drawn: Drawn) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        made = written(root, drawn)
        imported = read_folder(root / "content")
        assert [one for one in imported.problems if "no file was found for" not in one] == []
        for said, read in said_of_pages(drawn, imported, made):
            assert read == said
        assert imported.variables == drawn.snapshot.variables
        assert {(one.key, one.name) for one in imported.files} == {
            (made.paths.file[file.id], file.name) for file in drawn.snapshot.files
        }
        contents = {one.key: one for one in imported.reusable_contents}
        assert {made.paths.reusable_content[one.id]: one.title for one in drawn.snapshot.reusable_contents} == {
            key: one.title for key, one in contents.items()
        }
        before = all_of(root / "content")
        again = written(root, drawn)
        assert again.changed == [] and all_of(root / "content") == before


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@settings(deadline=None, max_examples=40, suppress_health_check=SLOW)
@given(revisions())
def test_what_was_written_goes_with_what_it_was_for(drawn: Drawn) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "content").mkdir()
        (root / "content" / "LICENSE").write_text("mine")
        made = written(root, drawn)
        paths = made.paths.every()
        nothing = replace(drawn.snapshot, pages=(), files=(), reusable_contents=(), variables={})
        write_folder(root / "content", nothing, {}, {}, before=paths)
        kept = {".gitbook.yaml"} if any(page.former_paths for page in drawn.snapshot.pages) else set()
        assert set(all_of(root / "content")) == {"LICENSE", "SUMMARY.md"} | kept
