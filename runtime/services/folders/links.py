"""Links between files of a folder: relative paths in files, ids in the documents of a space."""

from __future__ import annotations

import posixpath
from collections.abc import Container, Mapping
from typing import Any
from urllib.parse import quote, unquote

from runtime.contract.document_references import FIELDS
from runtime.services.folders.dangling import Dangling
from runtime.services.folders.names import MARKDOWN, quoted, resolved, unquoted
from runtime.services.markdown.links import SCHEME, IdLinks

Node = dict[str, Any]
_IDS = IdLinks()
_KEYED = ("page", "file", "reusable-content", "anchor")


class ReadLinks:
    """Reads link targets in one file and resolves them to paths in the folder."""

    def __init__(
        self,
        path: str,
        root: str,
        pages: Mapping[str, str],
        includes: Container[str],
        files: Container[str],
        dangling: Dangling | None = None,
    ) -> None:
        """Take the file, the folder that `/` stands for, the keys of pages by path, and the paths of all other files.

        A target that matches none of them is kept as a URL, and noted as `dangling`. `used` collects the files that
        links lead to.
        """
        self._path, self._folder, self._root, self._dangling = path, posixpath.dirname(path), root, dangling
        self._pages, self._includes, self._files = pages, includes, files
        self.used: set[str] = set()

    def read(self, target: str) -> Node:
        """Read a target as a ContentRef."""
        if SCHEME.match(target) or target.startswith("//") or not target:
            return {"kind": "url", "url": target}
        path, hash_, anchor = target.partition("#")
        if not path:
            return {"kind": "anchor", "anchor": unquote(anchor)}
        if path.startswith("/"):
            known = _IDS.read(target)
            if known["kind"] not in _KEYED or known.get("space"):
                if known != {"kind": "url", "url": target}:
                    return known
            else:  # the id of a space means nothing in a folder
                return {"kind": "url", "url": target}
        for written in dict.fromkeys((unquoted(path), path)):
            found = self._found(written)
            if found is not None and hash_ and found["kind"] == "page" and anchor:
                return {"kind": "anchor", "anchor": unquote(anchor), "page": found["page"]}
            if found is not None and (not hash_ or found["kind"] == "page"):
                return found
        if self._dangling is not None:
            self._dangling.note(self._path, target)
        return {"kind": "url", "url": target}

    def _found(self, path: str) -> Node | None:
        folder = self._root if path.startswith("/") else self._folder
        whole = resolved(path.strip("/") if path.startswith("/") else path, folder)
        if whole is None:
            return None
        if whole in self._pages:
            return {"kind": "page", "page": self._pages[whole]}
        if whole in self._includes:
            return {"kind": "reusable-content", "reusableContent": whole}
        if whole in self._files and not MARKDOWN.search(whole):
            self.used.add(whole)
            return {"kind": "file", "file": whole}
        return None

    def write(self, ref: Node) -> str:
        """Raise TypeError: this object only reads."""
        raise TypeError("these links are read only")


class WriteLinks:
    """Writes a document's references as link targets in one file, so that `ReadLinks` reads the same references."""

    def __init__(self, path: str, root: str, paths: Mapping[str, Mapping[str, str]], taken: Container[str]) -> None:
        """Take the file, the folder that `/` stands for, paths by id (kind -> id -> path), and the set of all paths."""
        self._folder, self._root, self._paths, self._taken = posixpath.dirname(path), root, paths, taken

    def read(self, target: str) -> Node:
        """Raise TypeError: this object only writes."""
        raise TypeError("these links are written only")

    def write(self, ref: Node) -> str:
        """Write a ContentRef as a path, or as its id if there is no path to it."""
        kind = ref.get("kind")
        if kind == "url":
            url = str(ref.get("url", ""))
            return self.write_url(url) if self._leads(url) else url
        named = "page" if kind == "anchor" else str(kind)
        path = self._paths.get(named, {}).get(str(ref.get(FIELDS.get(named, ""))))
        if path is None or ref.get("space"):
            return _IDS.write(ref)
        anchor = f"#{quote(str(ref.get('anchor', '')), safe='')}" if kind == "anchor" else ""
        return quoted(posixpath.relpath(path, self._folder or ".")) + anchor

    def write_url(self, url: str) -> str:
        """Write a URL so that it is never read as a path in the folder."""
        return f"/urls/{quote(url, safe='')}"

    def _leads(self, url: str) -> bool:
        """Return whether an address would be read as something other than a URL."""
        if SCHEME.match(url) or url.startswith("//") or not url:
            return False
        path, _, _ = url.partition("#")
        if not path or (path.startswith("/") and _IDS.read(url) != {"kind": "url", "url": url}):
            return True
        for written in (unquoted(path), path):
            top = written.startswith("/")
            whole = resolved(written.strip("/") if top else written, self._root if top else self._folder)
            if whole is not None and (whole in self._taken or f"{whole}/README.md".lstrip("/") in self._taken):
                return True
        return False
