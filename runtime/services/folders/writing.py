"""Writes content as a folder of Markdown files, so that `read_folder` reads the same content (docs/folder-format.md).

A file that already has the same content keeps its exact text: people write Markdown in more than one way.
"""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.engines.separate_process.answers import Refused
from runtime.services.folders.configuration import Configuration, read_configuration
from runtime.services.folders.front_matter import parted, read_front_matter, read_variables
from runtime.services.folders.links import ReadLinks, WriteLinks
from runtime.services.folders.names import CONFIGURATION, slug_in, title_in, unquoted
from runtime.services.folders.paths import Paths, paths_of
from runtime.services.folders.reading import split_title
from runtime.services.folders.summary import MAX_SUMMARY, Entry, every, read_summary
from runtime.services.folders.texts import EMPTY, Document, Texts, written
from runtime.services.folders.titles import Title
from runtime.services.folders.walking import Files, Problems, files_in
from runtime.services.folders.yaml_text import BadYaml, read_yaml
from runtime.services.markdown.links import SCHEME
from runtime.services.markdown.reading import document_of
from runtime.store.content.entries import Page, ReusableContent
from runtime.store.content.snapshot import Snapshot

CONTENTS, VARIABLES = "SUMMARY.md", "vars.yaml"
"""The names of these two files among the ids of unchanged items."""


@dataclass(frozen=True, slots=True)
class Written:
    """The result: all paths, and the files that were changed or removed."""

    paths: Paths
    changed: list[str]
    removed: list[str]


def write_folder(
    root: Path,
    snapshot: Snapshot,
    documents: Mapping[str, Document],
    files: Mapping[str, Path],
    *,
    before: Iterable[str] = (),
    unchanged: Set[str] = frozenset(),
    there: Files | None = None,
) -> Written:
    """Write a revision into a folder, over its files or, if given, over those of `there`.

    `documents` maps names to documents, `files` ids to where their bytes are; files without bytes stay unchanged.
    `before` are the paths of the previous write: those that no longer exist are removed, all other files stay. Items
    whose ids are in `unchanged` keep the folder's text. Raises Refused if a file has the path of a needed folder.
    """
    there = there if there is not None else files_in(root, Problems())
    problems = there.problems
    said = there.text(CONFIGURATION) if CONFIGURATION in there.sizes else None
    configuration = read_configuration(said, problems) if said is not None else Configuration()
    return _Writer(root, there, configuration, snapshot, documents, unchanged).write(files, set(before))


class _Writer:
    def __init__(
        self,
        root: Path,
        there: Files,
        configuration: Configuration,
        snapshot: Snapshot,
        documents: Mapping[str, Document],
        unchanged: Set[str],
    ) -> None:
        self._root, self._there, self._snapshot = root, there, snapshot
        self._documents, self._unchanged = documents, unchanged
        self._paths = paths_of(snapshot, configuration)
        self._every = self._paths.every()
        self._texts = Texts(snapshot, self._paths)
        self._changed: list[str] = []

    def write(self, files: Mapping[str, Path], before: set[str]) -> Written:
        for page in self._snapshot.pages:
            if page.type == "document":
                self._put(page.id, self._paths.page[page.id], lambda path, page=page: self._page(page, path))
        for content in self._snapshot.reusable_contents:
            path = self._paths.reusable_content[content.id]
            self._put(content.id, path, lambda path, content=content: self._content(content, path))
        for file in self._snapshot.files:
            if file.id in files:
                self._put_file(self._paths.file[file.id], files[file.id])
        self._summary()
        self._variables()
        self._configuration()
        gone = sorted(path for path in before - self._every if path in self._there.sizes)
        if not self._snapshot.variables and self._paths.variables in before & self._there.sizes.keys():
            gone.append(self._paths.variables)
        for path in gone:
            (self._root / path).unlink(missing_ok=True)
            self._prune(posixpath.dirname(path))
        return Written(self._paths, self._changed, gone)

    def _prune(self, folder: str) -> None:
        while folder:
            try:
                (self._root / folder).rmdir()
            except OSError:  # the folder is not empty
                return
            folder = posixpath.dirname(folder)

    def _put(self, entry_id: str, path: str, text: Any) -> None:
        if entry_id in self._unchanged and path in self._there.sizes:
            return
        self._write(path, text(path))

    def _write(self, path: str, text: str | None) -> None:
        """Write a text file; None keeps the existing one."""
        if text is None:
            return
        content = text.encode("utf-8", "replace")
        if self._there.sizes.get(path) == len(content) and self._there.bytes_of(path) == content:
            return
        at = self._at(path)
        descriptor = os.open(at, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        self._changed.append(path)

    def _put_file(self, path: str, source: Path) -> None:
        if path in self._there.sizes and self._there.same(path, source):
            return
        at = self._at(path)
        at.unlink(missing_ok=True)
        shutil.copyfile(source, at)
        self._changed.append(path)

    def _at(self, path: str) -> Path:
        at = self._root / path
        try:
            at.parent.mkdir(parents=True, exist_ok=True)
            free = not at.is_dir() and not at.is_symlink()
        except (FileExistsError, NotADirectoryError):
            free = False
        if not free:
            raise Refused("in_the_way", f"Something else is in the place of the file `{path[:300]}`; move it.")
        return at

    def _page(self, page: Page, path: str) -> str | None:
        title, fields = self._texts.said_of_page(page)
        return self._text(path, title, fields, self._document(page.document))

    def _content(self, content: ReusableContent, path: str) -> str | None:
        return self._text(path, None, {"title": content.title}, self._document(content.document))

    def _document(self, name: str | None) -> Document:
        return self._documents[name] if name is not None else EMPTY

    def _text(self, path: str, title: Title | None, fields: dict[str, Any], document: Document) -> str | None:
        links = self._texts.links(path)
        text = written(title, fields, document, links)
        if path not in self._there.sizes:
            return text
        there = self._there.text(path)
        if there is None or there == text:
            return text
        said, others = self._read(path, there, title, fields)
        if said == text:
            return None
        return written(title, {**fields, "others": others}, document, links) if others else text

    def _read(self, path: str, there: str, title: Title | None, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Normalize an existing file to the form it would be written in, without unknown fields."""
        pages = {one: one for one in self._paths.page.values()}
        includes = set(self._paths.reusable_content.values())
        links = ReadLinks(path, self._paths.root, pages, includes, set(self._paths.file.values()))
        front, body = parted(there)
        known = read_front_matter(front, links.read, Problems(), path) if front is not None else {}
        others = known.pop("others", {})
        if title is not None:
            known.pop("title", None)
            heading, body = split_title(body)
            title = heading or title
        else:
            known.setdefault("title", title_in(path, self._paths.root))
        if known.get("slug") == slug_in(path, self._paths.root) and "slug" not in fields:
            known.pop("slug", None)
        same = {kind: {one: one for one in named.values()} for kind, named in self._paths.by_kind.items()}
        document = document_of(body, links, top=2)
        return written(title, known, document, WriteLinks(path, self._paths.root, same, self._every)), others

    def _summary(self) -> None:
        path = self._paths.summary
        if CONTENTS in self._unchanged and path in self._there.sizes:
            return
        there = self._there.text(path, MAX_SUMMARY) if path in self._there.sizes else None
        text = self._texts.summary()
        if there is not None and _plain(read_summary(there, [])) == _plain(read_summary(text, [])):
            return
        self._write(path, text)

    def _configuration(self) -> None:
        """Write the redirects if there is no file yet; an existing one is never changed."""
        if CONFIGURATION not in self._there.sizes:
            self._write(CONFIGURATION, self._texts.configuration())

    def _variables(self) -> None:
        path, variables = self._paths.variables, dict(self._snapshot.variables)
        if VARIABLES in self._unchanged:
            return
        if path in self._there.sizes:
            there = self._there.text(path) or ""
            try:
                known = read_variables(read_yaml(there) or {}, [], path)
            except BadYaml:
                known = {}
            if known == variables:
                return
        self._write(path, self._texts.variables())


def _plain(entries: list[Entry]) -> list[Entry]:
    """Normalize link targets, so that entries can be compared."""
    for entry in every(entries):
        if entry.target is not None:
            entry.target = (
                posixpath.normpath(unquoted(entry.target)) if not SCHEME.match(entry.target) else entry.target
            )
    return entries
