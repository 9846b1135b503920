"""How one page of a site is laid out: its cover, and which of the things around its text are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.serializers.content import LAYOUT
from runtime.store.content.entries import Page
from runtime.web.sites.frame import Picture, Scheme, chosen_picture
from runtime.web.sites.targets import SpaceTargets

FARTHEST = 10_000
"""Pixels by which a cover is moved at most."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """What of a page is shown; a cover is moved by `cover_y` pixels, and is as wide as the text if it is a hero."""

    cover: Picture | None = None
    hero: bool = False
    cover_y: float = 0
    wide: bool = False
    title: bool = True
    description: bool = True
    contents: bool = True
    outline: bool = True
    pagination: bool = True
    metadata: bool = True


def layout_of(page: Page, targets: SpaceTargets, scheme: Scheme) -> PageLayout:
    """Read how a page is laid out; what it does not say is as the API gives it."""
    said = {**LAYOUT, "cover": bool(page.cover), **(page.layout or {})}
    cover = page.cover or {}
    return PageLayout(
        cover=_cover(cover, targets, scheme) if said["cover"] else None,
        hero=said["coverSize"] == "hero",
        cover_y=_offset(cover.get("yPos")),
        wide=said["width"] == "wide",
        title=bool(said["title"]),
        description=bool(said["description"]),
        contents=bool(said["tableOfContents"]),
        outline=bool(said["outline"]),
        pagination=bool(said["pagination"]),
        metadata=bool(said["metadata"]),
    )


def _cover(cover: Mapping[str, Any], targets: SpaceTargets, scheme: Scheme) -> Picture | None:
    """Find the pictures of a cover; one that is not there gives way to the other."""
    light, dark = (
        targets.image(ref) if isinstance(ref := cover.get(name), dict) else None for name in ("ref", "refDark")
    )
    light, dark = light or dark, dark or light
    return chosen_picture(light, dark, scheme) if light is not None and dark is not None else None


def _offset(value: Any) -> float:
    fine = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return max(-FARTHEST, min(FARTHEST, float(value))) if fine else 0
