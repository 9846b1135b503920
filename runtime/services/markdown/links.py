"""Writes references of documents as Markdown link targets, and reads them back."""

from __future__ import annotations

import re
from typing import Any, Protocol
from urllib.parse import quote, unquote

Node = dict[str, Any]

SCHEME = re.compile(r"([a-z][a-z0-9+.\-]*):", re.IGNORECASE)
SAFE_SCHEMES = frozenset(("http", "https", "mailto", "tel"))
IGNORED = dict.fromkeys(range(33))
"""What browsers leave out before they look for a scheme."""

KINDS = {
    "page": ("pages", "page"),
    "file": ("files", "file"),
    "user": ("users", "user"),
    "collection": ("collections", "collection"),
    "reusable-content": ("reusable-contents", "reusableContent"),
    "openapi": ("openapi", "spec"),
    "space": ("spaces", "space"),
    "url": ("urls", "url"),
}
"""Kind of reference -> folder of its target, and its field that holds the id."""
IN_A_SPACE = frozenset(("page", "reusable-content"))
FOLDERS = {folder: (kind, field) for kind, (folder, field) in KINDS.items()}


class LinkReader(Protocol):
    """Resolves link targets in Markdown."""

    def read(self, target: str) -> Node:
        """Read a target as a ContentRef; anything unknown is a URL."""


class Links(LinkReader, Protocol):
    """Writes references as link targets; Git exports use another scheme than the API."""

    def write(self, ref: Node) -> str:
        """Write a ContentRef so that `read` reads the same."""


def is_safe(ref: Node) -> bool:
    """Return whether a reference is safe to follow: URLs must be http, https, mailto, tel or relative."""
    if ref.get("kind") != "url":
        return True
    url = ref.get("url")
    scheme = SCHEME.match(url.translate(IGNORED)) if isinstance(url, str) else None
    return isinstance(url, str) and (scheme is None or scheme[1].lower() in SAFE_SCHEMES)


class IdLinks:
    """Targets that name ids: `/pages/ID`, `/spaces/ID/pages/ID#anchor`, `/files/ID`, `#anchor`; URLs stay."""

    def read(self, target: str) -> Node:
        """Read a target; one that is not of this scheme is a URL."""
        path, hash_, anchor = target.partition("#")
        if hash_ and not path:
            return {"kind": "anchor", "anchor": unquote(anchor)}
        parts = path.split("/")
        if len(parts) < 3 or parts[0] or len(parts) > 5 or not all(parts[1:]):
            return {"kind": "url", "url": target}
        space = {}
        if len(parts) == 5 and parts[1] == "spaces":
            space = {"space": unquote(parts[2])}
            parts = ["", *parts[3:]]
        found = FOLDERS.get(parts[1]) if len(parts) == 3 else None
        if found is None or (space and found[0] not in IN_A_SPACE):
            return {"kind": "url", "url": target}
        kind, field = found
        ref = {field: unquote(parts[2]), **space}
        if not hash_:
            return {"kind": kind, **ref}
        if kind in ("page", "space"):
            return {"kind": "anchor", "anchor": unquote(anchor), **ref}
        return {"kind": "url", "url": target}

    def write(self, ref: Node) -> str:
        """Write a reference; fields that its kind does not have are left out."""
        kind = ref.get("kind")
        if kind == "anchor":
            at = "".join(f"/{KINDS[name][0]}/{_quoted(ref[name])}" for name in ("space", "page") if ref.get(name))
            return f"{at}#{_quoted(ref.get('anchor', ''))}"
        if kind not in KINDS:
            return ""
        folder, field = KINDS[kind]
        value = str(ref.get(field, ""))
        if kind == "url" and self.read(value) == {"kind": "url", "url": value}:
            return value
        space = f"/spaces/{_quoted(ref['space'])}" if kind in IN_A_SPACE and ref.get("space") else ""
        return f"{space}/{folder}/{_quoted(value)}"


def _quoted(value: object) -> str:
    return quote(str(value), safe="")


def known(links: LinkReader, target: str, kinds: tuple[str, ...] = ()) -> Node | None:
    """Read a target that a document may contain; None if it could run a script or has an unknown kind."""
    ref = links.read(target)
    return ref if is_safe(ref) and (not kinds or ref["kind"] in kinds) else None
