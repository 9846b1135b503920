"""Finds the addresses of pictures in HTML, also of lazily loaded ones, and stores embedded ones (`data:`)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from runtime.services.importing.html_tree import every, without

Keep = Callable[[bytes, str], str]
"""Stores a picture, given its bytes and its file extension; returns its path."""
LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy")
KINDS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif"))
MAX_PICTURES = 1000
MAX_PICTURE = 10 << 20
"""Bytes of an embedded picture."""


def resolve_pictures(body: Any, keep: Keep | None) -> None:
    """Set the address of each picture; `keep` stores embedded ones, which are left out without it."""
    hidden: list[Any] = []
    for element in every(body, "noscript"):
        shown = next((image for image in every(element, "img") if image.get("src")), None)
        before = element.find_previous_sibling(True)
        lazy = before if before is not None and before.name == "img" else None
        if shown is None or (lazy is not None and _source(lazy)):
            hidden.append(element)
        else:
            if lazy is not None:
                lazy.decompose()
            element.replace_with(shown.extract())
    without(hidden)
    kept = 0
    nowhere: list[Any] = []
    for image in every(body, "img"):
        source = _source(image)
        if source is None and keep is not None and kept < MAX_PICTURES:
            found = _content(str(image.get("src") or ""))
            if found is not None:
                source = keep(*found)
                kept += 1
        if source:
            image["src"] = source
        else:
            nowhere.append(image)
    without(nowhere)


def _source(image: Any) -> str | None:
    """Find the address of a picture; None for an embedded one, or one without any."""
    candidates = [image.get(name) for name in ("src", *LAZY)]
    for name in ("data-srcset", "srcset"):
        candidates += [one.split()[0] for one in str(image.get(name) or "")[:20_000].split(", ") if one.strip()][-1:]
    return next((str(one) for one in candidates if one and not str(one).lower().startswith("data:")), None)


def _content(source: str) -> tuple[bytes, str] | None:
    """Decode an embedded picture; None for content that is no known kind of picture."""
    head, comma, written = source.partition(",")
    if not comma or not head.lower().endswith(";base64") or len(written) > 2 * MAX_PICTURE:
        return None
    try:
        content = base64.b64decode("".join(written.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    kind = next((kind for start, kind in KINDS if content.startswith(start)), None)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind = "webp"
    return (content, kind) if kind is not None and len(content) <= MAX_PICTURE else None
