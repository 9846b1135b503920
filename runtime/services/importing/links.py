"""Resolves links of imported content: links to imported pages and files become references."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from urllib.parse import unquote, urldefrag

from runtime.contract.url_parts import join_url, split_url
from runtime.services.folders.dangling import Dangling
from runtime.services.markdown.links import SCHEME, Node

LONGEST_ADDRESS = 2048
"""Characters of an address that is fetched."""

Use = Callable[[str], str | None]
"""Takes the key of a file that a page shows, and gives the key under which it is imported; None where it is not."""


class PathLinks:
    """Resolves links of one file to other files of its folder."""

    def __init__(self, at: str, pages: Mapping[str, str], use: Use, dangling: Dangling | None = None) -> None:
        """Take the page's path, the keys of pages by path, and a callback for files that it refers to.

        Targets that match none of them are noted as `dangling`.
        """
        self._at, self._folder, self._pages, self._use = at, posixpath.dirname(at), pages, use
        self._dangling = dangling

    def read(self, target: str) -> Node:
        """Resolve a target; one outside the import stays an address."""
        path, hash_, anchor = target.partition("#")
        if hash_ and not path:
            return {"kind": "anchor", "anchor": unquote(anchor)}
        address: Node = {"kind": "url", "url": target}
        if SCHEME.match(path) or path.startswith("//") or not path:
            return address
        plain = path.partition("?")[0]
        for written in (plain, unquote(plain)):
            inside = posixpath.normpath(posixpath.join(self._folder, written.lstrip("/") or ".")).lstrip("/")
            if plain.startswith("/"):
                inside = posixpath.normpath(written.lstrip("/"))
            for candidate in (inside, f"{inside}.md"):
                if candidate in self._pages:
                    key = self._pages[candidate]
                    return (
                        {"kind": "anchor", "anchor": unquote(anchor), "page": key}
                        if anchor
                        else {"kind": "page", "page": key}
                    )
            used = self._use(inside)
            if used is not None:
                return {"kind": "file", "file": used}
        if self._dangling is not None:
            self._dangling.note(self._at, target)
        return address


class AddressLinks:
    """Resolves links of one web page to other pages of its website."""

    def __init__(self, at: str, pages: Mapping[str, str], files: Mapping[str, str]) -> None:
        """Take the page's address, and the keys of pages and files by address."""
        self._at, self._pages, self._files = at, pages, files

    def read(self, target: str) -> Node:
        """Resolve a target; one outside the import becomes an absolute address."""
        if target.startswith("#"):
            return {"kind": "anchor", "anchor": unquote(target[1:])}
        try:
            whole, anchor = urldefrag(join_url(self._at, target))
            scheme = split_url(whole).scheme
        except ValueError:
            return {"kind": "url", "url": "#"}
        if scheme not in ("http", "https"):
            return {"kind": "url", "url": target}
        if whole in self._files:
            return {"kind": "file", "file": self._files[whole]}
        key = self._pages.get(same(whole))
        if key is not None:
            return (
                {"kind": "anchor", "anchor": unquote(anchor), "page": key} if anchor else {"kind": "page", "page": key}
            )
        return {"kind": "url", "url": f"{whole}#{anchor}" if anchor else whole}


def same(address: str) -> str:
    """Normalize an address, so that equivalent ones are equal."""
    parts = split_url(urldefrag(address)[0])
    path = parts.path or "/"
    for name in ("index.html", "index.htm"):
        path = path.removesuffix(f"/{name}") if path.endswith(f"/{name}") else path
    path = path.rstrip("/") or "/"
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{parts.netloc.lower()}{path}{query}"
