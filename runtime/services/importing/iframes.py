"""Rewrites `<iframe>` of videos and other pages as `<shown-page>`; what they show is never fetched."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from runtime.services.importing.html_tree import every

WEB = re.compile(r"https?://[^\s/?#\\]", re.IGNORECASE)
HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
ESCAPED = re.compile(r"[\s\"'<>{}\\^`|\x00-\x1f\x7f]")
"""Characters that an address may only contain percent-encoded."""
LONGEST = 2000
WITHOUT_BLOCKS = ("table", "figure", "summary", "h1", "h2", "h3", "h4", "h5", "h6")
"""Elements that cannot hold a block of the platform: a link replaces the frame there."""
IGNORED_WITHIN = ("noscript", "head", "a", "pre", "svg", "template", "object")


def rewrite_iframes(soup: Any) -> None:
    """Turn visible frames with a web address into `<shown-page>`; others stay as they are."""
    for frame in every(soup, "iframe"):
        address = address_of(frame)
        if address is None or frame.find_parent(IGNORED_WITHIN) is not None:
            continue
        frame.clear()
        if frame.find_parent(WITHOUT_BLOCKS) is not None:
            frame.name, frame.attrs = "a", {"href": address}
            frame.append(address)
        else:
            frame.name, frame.attrs = "shown-page", {"data-url": address}


def address_of(frame: Any) -> str | None:
    """Return a frame's address; None if it is invisible, as tracking frames are."""
    address = str(frame.get("src") or frame.get("data-src") or "").strip()
    address = f"https:{address}" if address.startswith("//") else address
    small = any(str(frame.get(side) or "").strip() in ("0", "1", "0px", "1px") for side in ("width", "height"))
    unseen = (
        small or frame.has_attr("hidden") or HIDDEN_STYLE.search(str(frame.get("style") or "")[:LONGEST]) is not None
    )
    if unseen or len(address) > LONGEST or WEB.match(address) is None:
        return None
    return ESCAPED.sub(lambda found: quote(found[0], safe="", errors="replace"), address)
