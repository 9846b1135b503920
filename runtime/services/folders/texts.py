"""Writes the text files of a revision: pages, reusable contents, SUMMARY.md, .gitbook.yaml and vars.yaml."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from runtime.contract.slugs import slug_of
from runtime.services.folders.front_matter import write_front_matter
from runtime.services.folders.links import WriteLinks
from runtime.services.folders.names import quoted, slug_in
from runtime.services.folders.paths import Paths
from runtime.services.folders.summary import Entry, write_summary
from runtime.services.folders.titles import Title, signs_of, write_title
from runtime.services.folders.yaml_text import write_yaml
from runtime.services.markdown.links import SCHEME
from runtime.services.markdown.writing import markdown_of
from runtime.store.content.entries import Page, ReusableContent
from runtime.store.content.snapshot import Snapshot

Document = Mapping[str, Any]
EMPTY: Document = {"object": "document", "data": {}, "nodes": []}
_FIELDS = ("description", "icon", "cover", "layout", "variables", "hidden", "no_index", "no_robots_index")


class Texts:
    """Writes the text files of a revision, with links relative to each file's path."""

    def __init__(self, snapshot: Snapshot, paths: Paths) -> None:
        """Take the revision and its paths."""
        self._snapshot, self._paths = snapshot, paths
        self._every = paths.every()

    def links(self, path: str) -> WriteLinks:
        """Return the link writer for a file."""
        return WriteLinks(path, self._paths.root, self._paths.by_kind, self._every)

    def page(self, page: Page, document: Document) -> str:
        """Write a page's file."""
        path = self._paths.page[page.id]
        return written(*self.said_of_page(page), document, self.links(path))

    def said_of_page(self, page: Page) -> tuple[Title, dict[str, Any]]:
        """Return a page's title and its front matter fields."""
        emoji = page.emoji if signs_of(page.emoji) is None else None
        fields = {name: getattr(page, name) for name in _FIELDS} | {"emoji": emoji}
        if page.slug != slug_in(self._paths.page[page.id], self._paths.root):
            fields["slug"] = page.slug
        return Title(page.title, page.emoji if emoji is None else None), fields

    def content(self, content: ReusableContent, document: Document) -> str:
        """Write a reusable content's file."""
        path = self._paths.reusable_content[content.id]
        return written(None, {"title": content.title}, document, self.links(path))

    def summary(self) -> str:
        """Write SUMMARY.md."""
        links, folder = self.links(self._paths.summary), posixpath.dirname(self._paths.summary)
        top: list[Entry] = []
        made: dict[str, Entry] = {}
        for page in self._snapshot.pages:
            if page.type == "computed":
                continue
            entry = Entry(Title(page.title, page.emoji))
            if page.type == "group":
                entry.group = True
                entry.slug = page.slug if page.slug != slug_of(page.title) else None
            elif page.type == "link":
                entry.target = _target(dict(page.target or {}), links)
            else:
                entry.target = quoted(posixpath.relpath(self._paths.page[page.id], folder or "."))
            made[page.id] = entry
            (made[page.parent].inside if page.parent is not None else top).append(entry)
        return write_summary(top)

    def configuration(self) -> str | None:
        """Write .gitbook.yaml with the redirects to pages; None if there are none."""
        root = f"{self._paths.root}/" if self._paths.root else ""
        redirects: dict[str, str] = {}
        for page in self._snapshot.pages:
            for path in (page.former_paths or ()) if page.id in self._paths.page else ():
                target = quoted(self._paths.page[page.id].removeprefix(root))
                redirects.setdefault(path.replace("%", "%25"), target)  # of two pages, the first one, as for readers
        return write_yaml({"redirects": redirects}) if redirects else None

    def variables(self) -> str | None:
        """Write vars.yaml; None if there are none."""
        variables = dict(sorted(self._snapshot.variables.items()))
        return write_yaml(variables) if variables else None


def written(title: Title | None, fields: Mapping[str, Any], document: Document, links: WriteLinks) -> str:
    """Write a Markdown file."""
    front = write_front_matter(dict(fields), lambda ref: links.write(dict(ref)))
    heading = f"# {write_title(*title)}\n" if title is not None else ""
    body = markdown_of(dict(document), links, top=2)
    return front + heading + ("\n" if heading and body else "") + body


def _target(ref: dict[str, Any], links: WriteLinks) -> str:
    if ref.get("kind") == "url":
        url = str(ref.get("url", ""))
        return url if SCHEME.match(url) or url.startswith("//") else links.write_url(url)
    return links.write(ref) + ("#" if ref.get("kind") == "page" and not ref.get("space") else "")
