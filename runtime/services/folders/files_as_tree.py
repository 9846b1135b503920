"""Derives a table of contents from the folders and file names where nobody wrote one."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from runtime.services.folders.names import README
from runtime.services.folders.summary import MAX_DEPTH, MAX_ENTRIES, Entry
from runtime.services.folders.titles import Title


def entries_of_files(paths: Sequence[str], first: str | None) -> list[Entry]:
    """Return untitled entries for Markdown files; a folder's README.md or index.md is the parent of its other files.

    `first` comes before all others. A folder without either gets an entry for a README.md that does not exist.
    """
    top: list[Entry] = []
    folders: dict[str, Entry] = {}
    pages: dict[str, str] = {}
    for path in paths:
        folder, name = posixpath.split(path)
        if README.fullmatch(name) and folder and (folder not in pages or name.lower().startswith("readme")):
            pages[folder] = path

    def inside(folder: str) -> list[Entry]:
        if not folder:
            return top
        if folder not in folders:
            made = Entry(Title("", None), file=pages.get(folder, f"{folder}/README.md"))
            folders[folder] = made
            if folder.count("/") < MAX_DEPTH:
                inside(posixpath.dirname(folder)).append(made)
            else:
                top.append(made)
        return folders[folder].inside

    for path in sorted(paths[:MAX_ENTRIES], key=_order):
        folder = posixpath.dirname(path)
        if path == first:
            continue
        if pages.get(folder) == path:
            inside(folder)
        else:
            inside(folder).append(Entry(Title("", None), file=path))
    return [Entry(Title("", None), file=first), *top] if first is not None else top


def _order(path: str) -> list[tuple[str, str]]:
    """Sort by name; a file sorts where a folder of the same name would."""
    return [(part.lower().removesuffix(".md"), part) for part in path.split("/")]
