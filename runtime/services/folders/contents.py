"""The table of contents of a folder: which page each entry stands for, and that page's position."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Literal, NamedTuple

from runtime.services.folders.configuration import Configuration
from runtime.services.folders.files_as_tree import entries_of_files
from runtime.services.folders.names import MARKDOWN, README, resolved, unquoted
from runtime.services.folders.summary import MAX_SUMMARY, Entry, every, read_summary
from runtime.services.folders.titles import Title
from runtime.services.folders.walking import Files, Problems
from runtime.services.markdown.links import SCHEME, IdLinks, is_safe

_READMES = ("README.md", "readme.md", "Readme.md", "index.md")


class Placed(NamedTuple):
    """A page with its position; `same` is the key of the page that a link points to."""

    entry: Entry
    key: str
    parent: str | None
    type: Literal["document", "group", "link"]
    same: str | None = None


class Contents:
    """Finds all pages of a folder: `placed` lists them, parents first. The key of a page with a file is its path."""

    def __init__(self, files: Files, configuration: Configuration, problems: Problems) -> None:
        """Take the folder's files and settings."""
        self._files, self._configuration, self._problems = files, configuration, problems
        self._by_lower = {path.lower(): path for path in files.sizes}
        self._taken: set[str] = set()
        self.summary = self._find(configuration.summary)
        self.placed: list[Placed] = []
        self._place(self._entries())

    def below(self, path: str) -> str:
        """Turn a path relative to the root into one relative to the folder."""
        return posixpath.join(self._configuration.root, path) if self._configuration.root else path

    def inside(self, path: str) -> str:
        """Turn a path relative to the folder into one relative to the root; "" if it is not below the root."""
        root = self._configuration.root
        if not root:
            return path
        return path[len(root) + 1 :] if path.startswith(f"{root}/") else ""

    def _find(self, path: str) -> str | None:
        """Find a file below the root; ignores case if no file matches exactly."""
        whole = self.below(path)
        return whole if whole in self._files.sizes else self._by_lower.get(whole.lower())

    def _entries(self) -> list[Entry]:
        readme = self._find(self._configuration.readme)
        text = self._files.text(self.summary, MAX_SUMMARY) if self.summary is not None else None
        if text is None or self.summary is None:
            return self._of_files(readme)
        entries = read_summary(text, self._problems)
        folder = posixpath.dirname(self.summary)
        for entry in every(entries):
            self._resolve(entry, folder)
        if readme is not None and all(entry.file != readme for entry in every(entries)):
            entries.insert(0, Entry(Title("", None), file=readme))
        return entries

    def _of_files(self, readme: str | None) -> list[Entry]:
        pages = [path for path in self._files.sizes if MARKDOWN.search(path) and path != self.summary]
        pages = [inside for path in pages if (inside := self.inside(path)) and not inside.startswith(".gitbook/")]
        entries = entries_of_files(pages, self.inside(readme) if readme is not None else None)
        for entry in every(entries):
            entry.file = self.below(entry.file) if entry.file is not None else None
        return entries

    def _resolve(self, entry: Entry, folder: str) -> None:
        target = entry.target
        if target is None or SCHEME.match(target) or target.startswith("//") or "#" in target:
            return
        if IdLinks().read(target) != {"kind": "url", "url": target}:
            return
        top = target.startswith("/")
        for written in dict.fromkeys((unquoted(target), target)):
            found = resolved(written, self._configuration.root if top else folder)
            if found is None:
                continue
            readmes = (f"{found}/{name}".lstrip("/") for name in _READMES)
            readme = next((path for path in readmes if path in self._files.sizes), None)
            if (found in self._files.sizes and MARKDOWN.search(found)) or readme is not None:
                entry.file = readme or found
                return
        missing = resolved(unquoted(target), self._configuration.root if top else folder)
        if missing and MARKDOWN.search(missing):
            self._problems.append(f"SUMMARY.md: there is no file {missing[:300]}; the page is empty.")
            entry.file = missing

    def _place(self, entries: Sequence[Entry]) -> None:
        """Give each entry its key and its parent's; links cannot have children."""
        todo: list[tuple[Entry, str | None]] = [(entry, None) for entry in reversed(entries)]
        while todo:
            entry, parent = todo.pop()
            one = self._placed(entry, parent)
            above = parent
            if one is not None:
                self.placed.append(one)
                above = one.key if one.type != "link" else parent
            todo += [(inner, above) for inner in reversed(entry.inside)]

    def _placed(self, entry: Entry, parent: str | None) -> Placed | None:
        if entry.group:
            return Placed(entry, self._key(f"#{entry.slug or entry.title.text}"), None, "group")
        if entry.file is not None and entry.file not in self._taken:
            self._taken.add(entry.file)
            return Placed(entry, entry.file, parent, "document")
        text = entry.title.text
        if entry.file is not None:
            self._problems.append(
                f"SUMMARY.md: {entry.file} is listed twice; the second entry becomes a link to the first."
            )
            return Placed(entry, self._key(f"{parent or ''}>{text}"), parent, "link", entry.file)
        if entry.target is None:
            return Placed(entry, self._key(f"{parent or ''}#{text}"), parent, "document")
        if not entry.target or not is_safe({"kind": "url", "url": entry.target}):
            self._problems.append(f"SUMMARY.md: `{text}` is left out, since its link leads nowhere.")
            return None
        return Placed(entry, self._key(f"{parent or ''}>{text}"), parent, "link")

    def _key(self, key: str) -> str:
        """Return a unique key, not longer than an identifier."""
        number, candidate = 2, key[-500:]
        while candidate in self._taken or candidate in self._files.sizes:
            candidate, number = f"{key[-500:]} {number}", number + 1
        self._taken.add(candidate)
        return candidate


def folders_of(keys: Sequence[str]) -> dict[str, str]:
    """Map paths to keys of pages: each page's own path, and the path of the folder whose README it is."""
    found = {key: key for key in keys}
    for key in keys:
        if README.fullmatch(posixpath.basename(key)):
            found.setdefault(posixpath.dirname(key), key)
    return found
