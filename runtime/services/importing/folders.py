"""Folders of Markdown and HTML files, and single files: each file is a page, each folder a page with children."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from runtime.engines.separate_process.answers import Refused
from runtime.services.folders.dangling import Dangling
from runtime.services.folders.reading import read_folder
from runtime.services.imported_tree import ImportedFile, ImportedPage
from runtime.services.importing import word
from runtime.services.importing.links import PathLinks
from runtime.services.importing.page_texts import COMPONENT, Text, html_page, markdown_page, text_of
from runtime.services.importing.pictures import Pictures
from runtime.services.importing.transfer import Writer, clean
from runtime.services.markdown.reading import document_of

MDX = ".mdx"
MARKDOWN, HTML, WORD = (".md", ".markdown", MDX), (".html", ".htm", ".xhtml"), (".docx",)
SAYS_HOW = ("SUMMARY.md", ".gitbook.yaml", ".gitbook")
"""What stands in a folder that says how it is to be read (docs/folder-format.md)."""
NUMBER = re.compile(r"[0-9]+")
INDEXES = ("readme", "index", "home", "_index")
UNREAD = (
    ".rst", ".adoc", ".asciidoc", ".org", ".textile", ".mediawiki", ".wiki", ".creole", ".pod", ".rdoc", ".tex",
    ".rtf", ".odt", ".doc", ".pages", ".ipynb", ".txt",
)  # fmt: skip
"""Endings of text files in formats that are not imported."""
TOLD = 20
"""Such files that are named; the rest are counted."""
MAX_PAGES = 20_000
MAX_PICTURES = 1 << 30
"""Bytes of all pictures that are embedded in pages: each page may unpack as many as a whole archive."""
WIKI_LINK = re.compile(r"(?<!!)\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]\n]{1,200}))?\]\]")
ITEM = re.compile(r"([ ]{0,100})(?:[-+*]|[0-9]{1,9}[.)])[ ]+(.{1,2000})")
SIDEBAR_LINK = re.compile(r"\[\[([^\[\]|]{1,200})(?:\|([^\[\]]{1,200}))?\]\]|\]\(<?([^()<>\s]{1,500})>?\)")
MAX_SIDEBAR = 1 << 20
"""Characters of a sidebar that are read."""
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")


def read(folder: Path, writer: Writer, where: str) -> dict[str, Any]:
    """Read the imported folder; returns the totals for `Writer.close`.

    A folder with SUMMARY.md or `.gitbook.yaml` is read as these say. Other folders may be large and contain more than
    Markdown; each of their pages is written before the next one is read.
    """
    root = root_of(folder / where)
    if not any((root / name).exists() for name in SAYS_HOW):
        return PlainReader(folder, writer, where).read()
    imported = read_folder(root, heard=writer.report_progress)
    where = root.relative_to(folder).as_posix()
    files = [replace(file, path=f"{where}/{file.path}") for file in imported.files]
    problems = [*imported.problems, *writer.whole(replace(imported, files=files))]
    return {"variables": dict(imported.variables), "total": imported.total, "problems": problems}


def root_of(folder: Path) -> Path:
    """Find the content root: a folder that contains nothing but a single folder is skipped."""
    while True:
        inside = [one for one in sorted(folder.iterdir()) if one.name != "__MACOSX"]
        if len(inside) != 1 or not inside[0].is_dir() or inside[0].name.startswith("."):
            return folder
        folder = inside[0]


def read_google(folder: Path, writer: Writer, where: str) -> dict[str, Any]:
    """Read documents of Google Docs, exported as web pages."""
    return GoogleReader(folder, writer, where).read()


def read_wiki(folder: Path, writer: Writer, where: str) -> dict[str, Any]:
    """Read the folder of a wiki, whose pages are ordered and nested as its sidebar lists them."""
    return WikiReader(folder, writer, where).read()


def read_one(
    folder: Path, name: str, writer: Writer, called: str, form: str, *, title_from_head: bool = False
) -> dict[str, Any]:
    """Read a single file as a page, with its embedded pictures; its links stay as they are."""
    text = text_of(folder / name)
    title = Path(called).stem.replace("-", " ").strip() or "Imported page"
    key = called or "page"
    pictures = Pictures(folder, key, writer)
    is_html = form != "markdown"
    page = (
        html_page(text, title, keep=pictures.keep, title_from_head=title_from_head)
        if is_html
        else markdown_page(text, title, mdx=called.lower().endswith(MDX))
    )
    links = PathLinks("", {}, pictures.keys.get)
    document = document_of(page.markdown, links, top=1 if title_from_head else None)
    writer.page(
        ImportedPage(
            key,
            page.title,
            slug=page.slug,
            document=document,
            description=page.description,
            hidden=page.hidden,
            no_index=page.no_index,
            no_robots_index=page.no_robots_index,
        )
    )
    return {"total": 1 + len(pictures.keys)}


class FolderReader:
    """Reads a folder, from the top down."""

    top: int | None = None
    """The level of heading that is a page's highest: 1 if a title never stands among its headings."""
    title_from_head = False
    """Whether the `<title>` of a page in HTML is its title, so that a first `<h1>` stays in its text."""
    slugs_from_names = False
    """Whether the address of a page follows from the name of its file; else it follows from its title."""

    def __init__(self, folder: Path, writer: Writer, where: str) -> None:
        """Take where in the folder it is."""
        root = root_of(folder / where)
        self.root, self.writer = root, writer
        self._where = root.relative_to(folder).as_posix()
        every = [one for one in sorted(root.rglob("*")) if one.is_file() and not one.is_symlink()]
        paths = [one.relative_to(root).as_posix() for one in every]
        visible = [path for path in paths if not path.startswith(".") or path.startswith(".gitbook/")]
        self.page_paths = [path for path in visible if self.is_page(path)]
        if len(self.page_paths) > MAX_PAGES:
            raise Refused("too-much", f"There are more than {MAX_PAGES} pages in it.")
        self.files = set(visible) - set(self.page_paths)
        self.targets = self.find_targets()
        self._used: dict[str, str] = {}
        self._pictures = 0
        self.problems: list[str] = []
        self._dangling = Dangling()
        self._inside: dict[str, list[str]] = {}
        self._folders: dict[str, set[str]] = {}
        for path in self.page_paths:
            at = posixpath.dirname(path)
            self._inside.setdefault(at, []).append(path)
            while at:
                above = posixpath.dirname(at)
                self._folders.setdefault(above, set()).add(at)
                at = above

    def read(self) -> dict[str, Any]:
        """Write every page; returns the totals."""
        self.writer.expect(len(self.page_paths))
        self._visit("", None)
        return {"total": len(self.page_paths) + len(self._used), "problems": [*self.problems, *self.left()]}

    def left(self) -> list[str]:
        """Name the text files in formats that are not imported, and the links that lead to no file, as sentences."""
        unread = sorted(path for path in self.files if path.lower().endswith(UNREAD))
        said = [f"{clean(path)[:150]} is left out: only Markdown, HTML and Word are read." for path in unread[:TOLD]]
        more = [f"{len(unread) - TOLD} more files like these are left out."] if len(unread) > TOLD else []
        return [*said, *more, *(clean(sentence) for sentence in self._dangling.sentences())]

    def is_page(self, path: str) -> bool:
        """Return whether a file is a page."""
        name = posixpath.basename(path).lower()
        return name.endswith((*MARKDOWN, *HTML, *WORD)) and name not in ("summary.md", "_sidebar.md", "_footer.md")

    def find_targets(self) -> Mapping[str, str]:
        """Map every path that leads to a page to its key; a folder's path leads to its own page."""
        targets = {path: path for path in self.page_paths}
        for path in self.page_paths:
            if _stem(path) in INDEXES:
                targets.setdefault(posixpath.dirname(path) or ".", path)
        return targets

    def title_of(self, path: str) -> str:
        """Return the title of a page that does not set one."""
        stem = posixpath.splitext(posixpath.basename(path))[0]
        if _stem(path) in INDEXES and posixpath.dirname(path):
            stem = posixpath.basename(posixpath.dirname(path))
        return re.sub(r"[-_]+", " ", stem).strip().capitalize() or "Untitled"

    def text_of(self, path: str) -> Text:
        """Read a page's text; raises `Refused`."""
        if path.lower().endswith(WORD):
            return word.text_of(self.root / path, self.title_of(path), self._keep(path))
        source = text_of(self.root / path)
        if path.lower().endswith(MARKDOWN):
            page = markdown_page(source, self.title_of(path), mdx=path.lower().endswith(MDX))
            if path.lower().endswith(MDX) and COMPONENT.search(page.markdown):
                self.problems.append(f"{clean(path)[:150]}: its components are not drawn; their tags stay in the text.")
            return page
        return html_page(source, self.title_of(path), keep=self._keep(path), title_from_head=self.title_from_head)

    def slug_of(self, path: str) -> str | None:
        """Return a page's slug if it does not follow from its title."""
        if not self.slugs_from_names:
            return None
        folder, name = posixpath.split(path)
        return posixpath.basename(folder) or None if _stem(path) in INDEXES else posixpath.splitext(name)[0]

    def use(self, path: str) -> str | None:
        """Import a file that a page refers to; returns its key."""
        if path not in self.files or path.startswith(".git/"):
            return None
        if path not in self._used:
            self._used[path] = path
            self.writer.file(ImportedFile(path, clean(posixpath.basename(path))[:200], f"{self._where}/{path}"))
        return path

    def _keep(self, path: str) -> Callable[[bytes, str], str]:
        """Return what keeps a picture out of a page beside it, and gives the path by which the page shows it."""

        def keep(content: bytes, kind: str) -> str:
            self._pictures += len(content)
            if self._pictures > MAX_PICTURES:
                raise Refused("bomb", f"The pictures in its pages have more than {MAX_PICTURES >> 20} MB.")
            name = f"{posixpath.basename(path)[:40]}.{len(self.files)}.{kind}"
            place = posixpath.join(posixpath.dirname(path), name)
            (self.root / place).write_bytes(content)
            self.files.add(place)
            return name

        return keep

    def _visit(self, at: str, parent: str | None, index: str | None = None) -> None:
        pages = sorted(self._inside.get(at, ()), key=self.order)
        named = {posixpath.splitext(path)[0]: path for path in pages}
        below = sorted(self._folders.get(at, ()), key=_by_name)
        for path in pages:
            if path == index:
                continue  # written already, for the folder
            written = self.page(path, parent)
            own = posixpath.splitext(path)[0]
            if own in below and not self._index(own):
                self._visit(own, path if written else self._folder(own, parent))
        for folder in below:
            index = self._index(folder)
            if index is not None:
                written = self.page(index, parent)
                self._visit(folder, index if written else self._folder(folder, parent), index)
            elif folder not in named:
                self._visit(folder, self._folder(folder, parent))

    def _folder(self, folder: str, parent: str | None) -> str:
        """Write a page for a folder without one of its own; returns its key."""
        kind: Any = "group" if parent is None else "document"
        named = self.slugs_from_names
        slug = posixpath.basename(folder) if named else None
        title = clean(self.title_of(folder))
        self.writer.page(ImportedPage(f"{folder}/", title, kind, parent, slug, title_slug=named))
        return f"{folder}/"

    def order(self, path: str) -> tuple[bool, str]:
        """Sort sibling pages: the folder's own page first, then by name."""
        return _stem(path) not in INDEXES, _by_name(path)

    def _index(self, folder: str) -> str | None:
        indexes = [path for path in self._inside.get(folder, ()) if _stem(path) in INDEXES]
        return min(indexes, key=lambda path: INDEXES.index(_stem(path)), default=None)

    def page(self, path: str, parent: str | None) -> bool:
        """Write a page; False if it is left out, which is reported."""
        try:
            self._page(path, parent)
        except Refused as error:
            self.problems.append(f"{clean(path)[:150]} is left out. {error.message}")
            return False
        return True

    def _page(self, path: str, parent: str | None) -> None:
        text = self.text_of(path)
        links = PathLinks(path, self.targets, self.use, self._dangling)
        document = document_of(text.markdown, links, top=self.top)
        title, slug = text.title or self.title_of(path), text.slug or self.slug_of(path)
        page = ImportedPage(
            path,
            title,
            parent=parent,
            slug=slug,
            document=document,
            description=text.description,
            hidden=text.hidden,
            no_index=text.no_index,
            no_robots_index=text.no_robots_index,
            title_slug=self.slugs_from_names,
        )
        self.writer.page(page)


class PlainReader(FolderReader):
    """Reads a folder that says nothing of how it is to be read: a file's name is the address of its page."""

    slugs_from_names = True


class GoogleReader(FolderReader):
    """Reads a document that Google Docs exported as a web page, with its pictures beside it."""

    top = 1
    title_from_head = True


class WikiReader(FolderReader):
    """Reads a wiki: `[[Page]]` leads to a page wherever it is, and the sidebar says the order."""

    def __init__(self, folder: Path, writer: Writer, where: str) -> None:
        """Take the folder."""
        super().__init__(folder, writer, where)
        sidebar = next((self.root / name for name in sorted(self.files) if name.lower() == "_sidebar.md"), None)
        self._sidebar = ""
        if sidebar is not None:
            try:
                self._sidebar = text_of(sidebar)
            except Refused as error:
                self.problems.append(f"{sidebar.name} could not be read. {error.message}")
        source = self._sidebar.lower()
        self._places: dict[str, int] = {}
        for path in self.page_paths:
            stem = posixpath.splitext(posixpath.basename(path))[0].lower()
            found = [source.find(name) for name in (stem, stem.replace("-", " "))]
            self._places[path] = min((place for place in found if place >= 0), default=len(source))

    def read(self) -> dict[str, Any]:
        """Write the first page, then those of the sidebar, nested as its lists are, and then all others."""
        self.writer.expect(len(self.page_paths))
        # Page -> the page that those below it go into: its own parent if it was left out.
        above: dict[str, str | None] = {}
        first = [path for path in self.page_paths if _stem(path) in INDEXES and not posixpath.dirname(path)][:1]
        rest = [(path, None) for path in sorted(self.page_paths, key=self.order)]
        for path, parent in [*((path, None) for path in first), *self._sidebar_tree(), *rest]:
            if path not in above:
                over = above.get(parent) if parent is not None else None
                above[path] = path if self.page(path, over) else over
        return {"total": len(self.page_paths) + len(self._used), "problems": [*self.problems, *self.left()]}

    def _sidebar_tree(self) -> Iterator[tuple[str, str | None]]:
        """List the pages of the sidebar, each with its parent page, parents first."""
        opened: list[tuple[int, str]] = []
        for line in self._sidebar[:MAX_SIDEBAR].split("\n"):
            item = ITEM.match(line.expandtabs(4))
            if item is None:
                continue
            indent = len(item[1])
            while opened and opened[-1][0] >= indent:
                opened.pop()
            link = SIDEBAR_LINK.search(item[2])
            if link is None:
                continue
            name = _wiki_name(link[2] or link[1]) if link[1] else unquote(link[3].rpartition("/")[2])
            path = self.targets.get(name)
            if path is not None:
                yield path, opened[-1][1] if opened else None
                opened.append((indent, path))

    def order(self, path: str) -> tuple[bool, str]:
        """Order pages: the first one, then as in the sidebar."""
        return _stem(path) not in INDEXES, f"{self._places[path]:09}{_by_name(path)}"

    def find_targets(self) -> Mapping[str, str]:
        """Also map page names to keys."""
        named = {posixpath.splitext(posixpath.basename(path))[0]: path for path in self.page_paths}
        return {**named, **super().find_targets()}

    def text_of(self, path: str) -> Text:
        """Read a page, whose title is its name."""
        text = super().text_of(path)
        markdown = WIKI_LINK.sub(self._link, text.markdown)
        title = text.title if _stem(path) not in INDEXES else text.title or "Home"
        return text._replace(title=title, markdown=markdown)

    def _link(self, found: re.Match[str]) -> str:
        """Write `[[Page]]`, `[[text|Page]]`, `[[picture.png|alt=text]]` as Markdown; a table may escape the bar."""
        first, second = (part.strip() for part in (found[1].rstrip("\\"), found[2] or ""))
        if first.lower().endswith(PICTURES):
            options = [one.strip() for one in second.split("|")]
            alt = next((one.removeprefix("alt=") for one in options if one.startswith("alt=") or "=" not in one), "")
            target = first if first.startswith(("http://", "https://")) else "/" + first.lstrip("/")
            return f"![{alt}](<{target}>)"
        return f"[{first}](<{_wiki_name(second or first)}>)"

    def title_of(self, path: str) -> str:
        """Return the name of a page with spaces."""
        return posixpath.splitext(posixpath.basename(path))[0].replace("-", " ")


def _wiki_name(name: str) -> str:
    return name.strip().replace(" ", "-").replace("/", "-")


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0].lower()


def _by_name(path: str) -> str:
    """Return what paths are sorted by: "2-install.md" stands before "10-deploy.md"."""
    return NUMBER.sub(lambda number: number[0].zfill(20), path.lower())
