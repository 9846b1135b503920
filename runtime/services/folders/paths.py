"""Assigns each item of a revision its path in a folder: the one it had before, else one made from its slugs."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from runtime.contract.slugs import slug_of
from runtime.services.folders.configuration import Configuration
from runtime.services.folders.names import ASSETS, CONFIGURATION, INCLUDES, MARKDOWN, MAX_PATH, VARIABLES, usable
from runtime.store.content.entries import Entry
from runtime.store.content.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Paths:
    """Paths by id; `summary` and `variables` are the paths of SUMMARY.md and vars.yaml."""

    page: Mapping[str, str]
    file: Mapping[str, str]
    reusable_content: Mapping[str, str]
    summary: str
    variables: str
    root: str

    @property
    def by_kind(self) -> Mapping[str, Mapping[str, str]]:
        """Return paths in the form that links need: kind of reference -> id -> path."""
        return {"page": self.page, "file": self.file, "reusable-content": self.reusable_content}

    def every(self) -> set[str]:
        """Return all paths."""
        named = (*self.page.values(), *self.file.values(), *self.reusable_content.values())
        return {*named, self.summary, self.variables}


def paths_of(snapshot: Snapshot, configuration: Configuration) -> Paths:
    """Assign each page, file and reusable content a path; the same content always gets the same paths."""
    root = configuration.root
    taken = _Taken(root)
    summary, variables = taken.below(configuration.summary), taken.below(VARIABLES)
    taken.take(summary), taken.take(variables), taken.take(CONFIGURATION)
    documents = [page for page in snapshot.pages if page.type == "document"]
    pages: dict[str, str] = {}
    for page in documents:
        was = page.git_path
        if was is not None and MARKDOWN.search(was) and taken.suits(was):
            pages[page.id] = taken.take(was)
    files = _kept(snapshot.files, taken)
    contents = {one: path for one, path in _kept(snapshot.reusable_contents, taken).items() if MARKDOWN.search(path)}
    readme = taken.below(configuration.readme)
    if documents and taken.free(readme) and documents[0].id not in pages and MARKDOWN.search(readme):
        pages[documents[0].id] = taken.take(readme)
    folders: dict[str, str] = {}
    for page in snapshot.pages:
        if page.slug is None:
            continue
        above = folders[page.parent] if page.parent is not None else ""
        folders[page.id] = posixpath.join(above, _part(page.slug))
        if page.type == "document" and page.id not in pages:
            inside = page.id in snapshot.children
            pages[page.id] = taken.find(folders[page.id], "/README.md" if inside else ".md", "page")
    for file in snapshot.files:
        if file.id not in files:
            stem, dot, ending = file.name.rpartition(".")
            name = f"{ASSETS}/{stem}" if stem else f"{ASSETS}/{file.name}"
            files[file.id] = taken.find(name, dot + ending if stem else "", f"{ASSETS}/file")
    for content in snapshot.reusable_contents:
        if content.id not in contents:
            contents[content.id] = taken.find(
                f"{INCLUDES}/{_part(slug_of(content.title))}", ".md", f"{INCLUDES}/content"
            )
    return Paths(pages, files, contents, summary, variables, root)


def _kept(entries: Iterable[Entry], taken: _Taken) -> dict[str, str]:
    return {entry.id: taken.take(was) for entry in entries if (was := entry.git_path) is not None and taken.suits(was)}


def _part(slug: str) -> str:
    """Return a path part for a slug: the slug itself if it is a valid file name."""
    return slug if usable(slug) and not slug.startswith(".") else "page"


@dataclass(slots=True)
class _Taken:
    """The paths in use, compared without case, since some file systems ignore it."""

    root: str
    _paths: set[str] = field(default_factory=set)
    _folders: set[str] = field(default_factory=set)

    def below(self, path: str) -> str:
        return posixpath.join(self.root, path) if self.root else path

    def free(self, path: str) -> bool:
        low = path.lower()
        inside_a_file = any(above in self._paths for above in _above(low))
        return low not in self._paths and low not in self._folders and not inside_a_file

    def suits(self, path: str) -> bool:
        """Return whether an item may keep its former path."""
        inside = not self.root or path.startswith(f"{self.root}/")
        parts = path.split("/")
        fine = all(
            usable(part) or (part == ".gitbook" and number == 0) for number, part in enumerate(self._plain(parts))
        )
        return inside and fine and len(path.encode()) <= MAX_PATH and self.free(path)

    def _plain(self, parts: list[str]) -> list[str]:
        return parts[len(self.root.split("/")) :] if self.root else parts

    def take(self, path: str) -> str:
        self._paths.add(path.lower())
        self._folders.update(_above(path.lower()))
        return path

    def find(self, stem: str, ending: str, plain: str) -> str:
        """Take a free path that begins with `stem`, or with a plain one if `stem` is no valid file name."""
        fits = len(self.below(stem + ending).encode("utf-8", "replace")) < MAX_PATH - 20
        parts = (stem + ending).split("/")
        if not fits or not all(
            usable(part) or (part == ".gitbook" and not number) for number, part in enumerate(parts)
        ):
            stem, ending = plain, ending if usable(f"x{ending.rpartition('/')[2]}") else ""
        number, path = 2, self.below(stem + ending)
        while not self.free(path):
            path, number = self.below(f"{stem}-{number}{ending}"), number + 1
        return self.take(path)


def _above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]
