"""Exports of spaces of Confluence as HTML: `index.html` has the tree of the pages."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from runtime.engines.separate_process.answers import Refused
from runtime.services.importing.folders import FolderReader
from runtime.services.importing.html_tree import parsed
from runtime.services.importing.page_texts import Text, html_page, text_of
from runtime.services.importing.transfer import Writer

MAIN = "#main-content"
NOT_PAGES = ("index.html",)


def read(folder: Path, writer: Writer, where: str) -> dict[str, Any]:
    """Read an export; returns the totals for `Writer.close`. Raises `Refused` for one as XML."""
    reader = ConfluenceReader(folder, writer, where)
    if not reader.page_paths and (reader.root / "entities.xml").exists():
        raise Refused("type", "This is an XML export; export the Confluence space as HTML instead.")
    return reader.read()


class ConfluenceReader(FolderReader):
    """Reads an export, in the order and depth of its index."""

    top = 1

    def read(self) -> dict[str, Any]:
        """Write every page of the index, then those that are not listed in it."""
        self.writer.expect(len(self.page_paths))
        above: dict[str, str | None] = {}  # in which page those below each page go: it may have been left out itself
        if (self.root / "index.html").exists():
            for path, parent in self._index_tree():
                if path in self.targets and path not in above:
                    over = above.get(parent) if parent is not None else None
                    above[path] = path if self.page(path, over) else over
        for path in self.page_paths:
            if path not in above:
                self.page(path, None)
        return {"total": len(self.page_paths) + len(self._used), "problems": [*self.problems, *self.left()]}

    def _index_tree(self) -> Iterator[tuple[str, str | None]]:
        try:
            soup = parsed(text_of(self.root / "index.html"))
        except Refused as error:
            self.problems.append(f"index.html could not be read, so the page tree is lost. {error.message}")
            return
        yield from _tree(soup)

    def text_of(self, path: str) -> Text:
        """Read a page and remove the space's title from its own."""
        text = html_page(text_of(self.root / path), self.title_of(path), MAIN, self._keep(path), title_from_head=True)
        soup_title = text.title.partition(" : ")
        return Text(soup_title[2] or text.title, text.markdown)

    def is_page(self, path: str) -> bool:
        """Return whether a file is a page, which the index is not."""
        return super().is_page(path) and posixpath.basename(path) not in NOT_PAGES

    def title_of(self, path: str) -> str:
        """Return the name without the id that follows it."""
        stem = posixpath.splitext(posixpath.basename(path))[0]
        return stem.rpartition("_")[0].replace("-", " ") or stem


def _tree(soup: Any) -> Iterator[tuple[str, str | None]]:
    """List pages with their parents, parents first."""
    waiting: list[tuple[Any, str | None]] = [
        (top, None) for top in reversed(soup.find_all("ul")) if top.find_parent("ul") is None
    ]
    while waiting:
        items, parent = waiting.pop()
        below: list[tuple[Any, str | None]] = []
        for item in items.find_all("li", recursive=False):
            link = next((one for one in item.find_all("a", href=True) if one.find_parent("li") is item), None)
            path = posixpath.normpath(unquote(str(link["href"]).partition("#")[0])) if link is not None else parent
            if link is not None and path is not None:
                yield path, parent
            below += [(inner, path) for inner in item.find_all("ul", recursive=False)]
        waiting += reversed(below)
