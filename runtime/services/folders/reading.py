"""Reads a folder of Markdown files as content, ordered by SUMMARY.md or else by folder (docs/folder-format.md)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runtime.services.folders.configuration import Configuration, read_configuration
from runtime.services.folders.contents import Contents, Placed, folders_of
from runtime.services.folders.dangling import Dangling
from runtime.services.folders.front_matter import parted, read_front_matter, read_variables
from runtime.services.folders.links import ReadLinks
from runtime.services.folders.names import ASSETS, CONFIGURATION, INCLUDES, MARKDOWN, VARIABLES, slug_in, title_in
from runtime.services.folders.titles import MAX_TITLE, Title, read_title, without_closing
from runtime.services.folders.walking import Files, Problems, files_in
from runtime.services.folders.yaml_text import BadYaml, read_yaml
from runtime.services.imported_tree import Imported, ImportedFile, ImportedPage, ImportedReusableContent
from runtime.services.markdown.reading import document_of

MAX_FILES = 10_000
MAX_INCLUDES = 2000
NOWHERE = ".gitbook.yaml: {count} redirects are left out, since their targets are not pages of the folder: {which}."
MOST_NAMED = 5
Heard = Callable[[int, int], None]
_HEADING = re.compile(r"\s*^ {0,3}#(?:[ \t](.*))?$\n?", re.MULTILINE)
_UNDERLINED = re.compile(r"\s*^ {0,3}(?![-+*>#|<{`~ ])(\S.*)\n {0,3}=+[ \t]*$\n?", re.MULTILINE)


def read_folder(root: Path, heard: Heard = lambda done, pages: None) -> Imported:
    """Read a folder as content; keys and paths are relative to the folder.

    `heard` is called with the number of pages read so far and in total.
    """
    return read_files(files_in(root, Problems()), None, heard)


def read_files(
    files: Files, oids: Mapping[str, str] | None = None, heard: Heard = lambda done, pages: None
) -> Imported:
    """Read content from files of any source.

    `oids` maps paths to Git object ids; with it, pages, files and reusable contents record their source.
    """
    problems = files.problems
    said = files.text(CONFIGURATION) if CONFIGURATION in files.sizes else None
    configuration = read_configuration(said, problems) if said is not None else Configuration()
    return _Reader(files, configuration, problems, oids).read(heard)


class _Reader:
    def __init__(
        self, files: Files, configuration: Configuration, problems: Problems, oids: Mapping[str, str] | None
    ) -> None:
        self._files, self._configuration, self._problems, self._oids = files, configuration, problems, oids
        self._contents = Contents(files, configuration, problems)
        self._keys = folders_of([one.key for one in self._contents.placed if one.entry.file is not None])
        self._includes = frozenset(self._kept(INCLUDES)[:MAX_INCLUDES])
        self._used: set[str] = set()
        self._dangling = Dangling()

    def read(self, heard: Heard) -> Imported:
        """Read everything."""
        pages: list[ImportedPage] = []
        for placed in self._contents.placed:
            heard(len(pages), len(self._contents.placed))
            pages.append(self._page(placed))
        pages = self._redirected(pages)
        contents = [one for path in sorted(self._includes) if (one := self._reusable(path)) is not None]
        named = sorted({*self._kept(ASSETS), *self._used})
        if len(named) > MAX_FILES:
            self._problems.append(f"There are more than {MAX_FILES} files; the rest is left out.")
        variables = self._variables()
        for sentence in self._dangling.sentences():
            self._problems.append(sentence)
        return Imported(
            pages=pages,
            files=[
                ImportedFile(path, posixpath.basename(path), path, git=self._git(path)) for path in named[:MAX_FILES]
            ],
            reusable_contents=contents,
            variables=variables,
            total=len(pages) + len(contents) + len(named),
            problems=self._problems.told(),
        )

    def _redirected(self, pages: Sequence[ImportedPage]) -> list[ImportedPage]:
        """Assign each page the paths that redirect to it."""
        links = self._links(self._contents.below(CONFIGURATION))
        with_path = {page.key for page in pages if page.type != "link"}
        former: dict[str, list[str]] = {}
        nowhere: list[str] = []
        for path, target in self._configuration.redirects.items():
            key = links.read(target).get("page")
            if key in with_path and path:
                former.setdefault(str(key), []).append(path)
            else:
                nowhere.append(f"`{path[:60]}`")
        if nowhere:
            which = ", ".join(nowhere[:MOST_NAMED]) + (" and more" if len(nowhere) > MOST_NAMED else "")
            self._problems.append(NOWHERE.format(count=len(nowhere), which=which))
        return [replace(page, former_paths=former[page.key]) if page.key in former else page for page in pages]

    def _kept(self, folder: str) -> list[str]:
        inside = f"{self._contents.below(folder)}/"
        texts = folder == INCLUDES
        return [path for path in self._files.sizes if path.startswith(inside) and (not texts or MARKDOWN.search(path))]

    def _page(self, one: Placed) -> ImportedPage:
        title = one.entry.title
        if one.type == "group":
            return ImportedPage(one.key, title.text or "Untitled", "group", slug=one.entry.slug, emoji=title.emoji)
        if one.type == "link":
            links = self._links(self._contents.summary or "")
            target = {"kind": "page", "page": one.same} if one.same else links.read(one.entry.target or "")
            self._used |= links.used
            text = title.text or str(one.entry.target)[:MAX_TITLE]
            return ImportedPage(one.key, text, "link", one.parent, target=target, emoji=title.emoji)
        if one.key not in self._files.sizes:
            slug = slug_in(one.key, self._configuration.root) if one.entry.file is not None else None
            text = title.text or title_in(one.key, self._configuration.root)
            return ImportedPage(one.key, text, "document", one.parent, slug, emoji=title.emoji)
        return self._document(one)

    def _document(self, one: Placed) -> ImportedPage:
        links = self._links(one.key, self._dangling)
        front, body = parted(self._files.text(one.key) or "")
        fields = read_front_matter(front, links.read, self._problems, one.key) if front is not None else {}
        fields.pop("others", None)
        heading, body = split_title(body)
        document = document_of(body, links, top=2)
        self._used |= links.used
        said, title = fields.pop("title", None), one.entry.title
        if not title.text:
            title = Title(said, None) if said else heading or Title(title_in(one.key, self._configuration.root), None)
        return ImportedPage(
            one.key,
            title.text[:MAX_TITLE],
            "document",
            one.parent,
            document=document if document["nodes"] else None,
            git=self._git(one.key),
            **{"emoji": title.emoji, "slug": slug_in(one.key, self._configuration.root), **fields},
        )

    def _reusable(self, path: str) -> ImportedReusableContent | None:
        text = self._files.text(path)
        if text is None:
            return None
        links = self._links(path, self._dangling)
        front, body = parted(text)
        fields = read_front_matter(front, links.read, self._problems, path) if front is not None else {}
        document = document_of(body, links, top=2)
        self._used |= links.used
        title = str(fields.get("title") or title_in(path))[:MAX_TITLE]
        return ImportedReusableContent(path, title, document if document["nodes"] else None, self._git(path))

    def _links(self, path: str, dangling: Dangling | None = None) -> ReadLinks:
        return ReadLinks(path, self._configuration.root, self._keys, self._includes, self._files.sizes, dangling)

    def _git(self, path: str) -> dict[str, str] | None:
        oid = self._oids.get(path) if self._oids is not None else None
        return {"oid": oid, "path": path} if oid else None

    def _variables(self) -> dict[str, Any]:
        path = self._contents.below(VARIABLES)
        text = self._files.text(path) if path in self._files.sizes else None
        if text is None:
            return {}
        try:
            said = read_yaml(text)
        except BadYaml as error:
            self._problems.append(f"{path} is left out. {error}")
            return {}
        return read_variables(said, self._problems, path) if said is not None else {}


def split_title(text: str) -> tuple[Title | None, str]:
    """Split off the title: the first line, if it is a first-level heading."""
    found = heading = _HEADING.match(text)
    if found is None:
        found = _UNDERLINED.match(text)
    if found is None:
        return None, text
    title = read_title(without_closing(found[1] or "") if heading is not None else found[1])
    return (title if title.text else None), text[found.end() :]
