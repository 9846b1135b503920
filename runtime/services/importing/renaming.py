"""Finds pages whose files were renamed, so that they keep their ids."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

from runtime.services.imported_tree import Imported, ImportedPage
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot

P = TypeVar("P", Page, ImportedPage)


def renamed(imported: Imported, base: Snapshot) -> dict[str, str]:
    """Map the keys of new files to the ids of pages whose files are gone.

    Files match by content, else by a title that is unique on both sides.
    """
    there = {one.git["path"] for one in imported.pages if one.git and "path" in one.git}
    gone = [page for page in base.pages if page.git and "path" in page.git and page.git["path"] not in there]
    was = {page.git["path"] for page in base.pages if page.git and "path" in page.git}
    came = [one for one in imported.pages if one.git and "path" in one.git and one.git["path"] not in was]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for by in ("oid", "title"):
        before = _once(gone, by)
        for mark, one in _once(came, by).items():
            page = before.get(mark)
            if page is not None and page.type == one.type and one.key not in found and page.id not in taken:
                found[one.key] = page.id
                taken.add(page.id)
    return found


def _once(pages: list[P], by: str) -> dict[str, P]:
    marks = [str((page.git or {}).get("oid")) if by == "oid" else page.title for page in pages]
    counts = Counter(marks)
    return {mark: page for mark, page in zip(marks, pages, strict=True) if counts[mark] == 1}
