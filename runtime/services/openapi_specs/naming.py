"""Names of the files of a specification, as `filesystem` has them."""

from __future__ import annotations

import posixpath
from collections.abc import Collection

from runtime.contract.url_parts import split_url

ENTRY = "openapi.yaml"
"""The name of a document whose address says none, or that is a text."""


def file_names(entry: str, addresses: Collection[str]) -> dict[str, str]:
    """Name each file by how the folder of the first one leads to it, so that references in it lead there too.

    What another host has is named by its whole address.
    """
    at = split_url(entry)
    names = {entry: posixpath.basename(at.path) or ENTRY}
    for address in sorted(addresses):
        if address in names:
            continue
        parts = split_url(address)
        name = address
        if (parts.scheme, parts.netloc) == (at.scheme, at.netloc) and not parts.path.endswith("/"):
            name = posixpath.relpath(parts.path or "/", posixpath.dirname(at.path) or "/")
            name += f"?{parts.query}" if parts.query else ""
        names[address] = address if name in names.values() else name
    return names
