"""The sign before the title of a page: its emoji, or its icon as a line drawing on a grid of 16 by 16.

Pages name icons of a large collection that this host does not have. Those here are drawn for the names that
documentation uses most; for another name there is no drawing.
"""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup, escape

from runtime.services.markdown.emoji import character_of
from runtime.store.content.entries import Page

_CIRCLE = "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z"
PATHS: Mapping[str, str] = {
    "arrow-right": "M2.5 8h11M9 3.5 13.5 8 9 12.5",
    "bell": "M3.5 11.5c1-1 1-2.5 1-4.5a3.5 3.5 0 0 1 7 0c0 2 0 3.5 1 4.5zM6.7 13.7h2.6",
    "bolt": "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
    "book": "M3 12.5V3a1.5 1.5 0 0 1 1.5-1.5H13v11H4.5A1.5 1.5 0 0 0 4.5 14.5H13",
    "book-open": (
        "M8 4C6.5 2.8 4.3 2.5 1.5 2.5v10c2.8 0 5 .3 6.5 1.5 1.5-1.2 3.7-1.5 6.5-1.5v-10C11.7 2.5 9.5 2.8 8 4zM8 4v10"
    ),
    "bug": (
        "M5 6.5a3 3 0 0 1 6 0v4a3 3 0 0 1-6 0zM6 4 4.5 2M10 4l1.5-2M5 8.5H2M14 8.5h-3M5 11l-2.5 2"
        "M11 11l2.5 2M5 6 2.5 4.5M11 6l2.5-1.5"
    ),
    "calendar": "M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.8v3M10.5 1.8v3",
    "cart-shopping": "M1.5 2.5h2l1.7 8h7l1.5-6H4M6 13.2v.1M11.5 13.2v.1",
    "chart-line": "M2 2v12h12M4.5 10.5l3-3.5 2.5 2 3.5-5",
    "check": "M3 8.5l3.5 3.5L13 4.5",
    "circle-check": f"{_CIRCLE}M5.3 8.2l2 2 3.4-4",
    "circle-info": f"{_CIRCLE}M8 7.3V11M8 5v.1",
    "circle-question": f"{_CIRCLE}M6 6.2A2 2 0 1 1 8 8.4v1M8 11.3v.1",
    "clock": f"{_CIRCLE}M8 4.5V8l2.5 1.5",
    "cloud": "M4.5 12.5a3 3 0 0 1 0-6 4 4 0 0 1 7.5 1 2.5 2.5 0 0 1 0 5z",
    "code": "M5 4.5 1.5 8 5 11.5M11 4.5 14.5 8 11 11.5M9.3 3 6.7 13",
    "comment": "M2 3h12v8H7l-3.5 3V11H2z",
    "credit-card": "M1.5 3.5h13v9h-13zM1.5 6.5h13M4 10h3",
    "cube": "M8 1.5 14 4.8v6.4l-6 3.3-6-3.3V4.8zM2 4.8 8 8l6-3.2M8 8v6.5",
    "database": (
        "M2.5 4c0-1.2 2.5-2 5.5-2s5.5.8 5.5 2-2.5 2-5.5 2-5.5-.8-5.5-2z"
        "M2.5 4v8c0 1.2 2.5 2 5.5 2s5.5-.8 5.5-2V4M2.5 8c0 1.2 2.5 2 5.5 2s5.5-.8 5.5-2"
    ),
    "download": "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
    "envelope": "M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5",
    "eye": (
        "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6z"
    ),
    "file": "M3.5 1.5h6L12.5 5v9.5h-9zM9.5 1.5V5h3",
    "flag": "M3 14.5v-13h9.5l-2 3.5 2 3.5H3",
    "folder": "M1.5 3h4.5l1.5 2h7v8.5h-13z",
    "gear": (
        "M8 5.7a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4"
        "M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4"
    ),
    "globe": f"{_CIRCLE}M1.8 8h12.4M8 1.8c2 1.8 2.8 3.8 2.8 6.2S10 12.4 8 14.2C6 12.4 5.2 10.4 5.2 8S6 3.6 8 1.8z",
    "graduation-cap": "M8 3 15 6.2 8 9.5 1 6.2zM4 8v3.5c2.5 1.8 5.5 1.8 8 0V8M14.5 6.5v4",
    "heart": (
        "M8 13.5 2.8 8.2a3.2 3.2 0 0 1 0-4.6 3.2 3.2 0 0 1 4.5 0l.7.7.7-.7a3.2 3.2 0 0 1 4.5 0 3.2 3.2 0 0 1 0 4.6z"
    ),
    "house": "M1.5 8 8 2l6.5 6M3.5 6.5v7h3.2v-4h2.6v4h3.2v-7",
    "image": "M2 2.5h12v11H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.7 5.7v.1",
    "key": "M5 7.5a3.2 3.2 0 1 0 0 6.4 3.2 3.2 0 0 0 0-6.4zM7.3 8.5 13.5 2.3M11 4.8l2 2",
    "lightbulb": "M6 11.5C6 9.5 4 9 4 6.2a4 4 0 0 1 8 0c0 2.8-2 3.3-2 5.3zM6.3 14h3.4",
    "link": "M6.5 9.5l3-3M7.5 4.7l1-1a2.7 2.7 0 0 1 3.8 3.8l-1 1M8.5 11.3l-1 1a2.7 2.7 0 0 1-3.8-3.8l1-1",
    "list": "M5.5 4h8.5M5.5 8h8.5M5.5 12h8.5M2.3 4h.1M2.3 8h.1M2.3 12h.1",
    "lock": "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
    "magnifying-glass": "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
    "pen": "M3 13h2.5L13 5.5 10.5 3 3 10.5zM9 4.5 11.5 7",
    "play": "M4 2.5 13 8l-9 5.5z",
    "plug": "M5.5 1.5v4M10.5 1.5v4M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2.5",
    "plus": "M8 2.5v11M2.5 8h11",
    "puzzle-piece": "M2 6h3.2a1.8 1.8 0 1 1 3.6 0H12v3a1.8 1.8 0 1 1 0 3.6V14H2z",
    "rocket": (
        "M9.5 11 5 6.5C6.5 3.5 9.5 1.5 14 2c.5 4.5-1.5 7.5-4.5 9zM5 6.5 2 7l2 2M9.5 11 9 14l-2-2M10.3 5.6v.1"
        "M4 11.5 2 14"
    ),
    "server": "M2 2.5h12v4.5H2zM2 9h12v4.5H2zM4.7 4.7v.1M4.7 11.2v.1",
    "shield": "M8 1.5 13.5 3.5V8c0 3.5-2.5 5.5-5.5 6.5C5 13.5 2.5 11.5 2.5 8V3.5z",
    "star": "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
    "tag": "M1.5 2h6L14 8.5 8.5 14 1.5 7.5zM4.7 5.2v.1",
    "terminal": "M2.5 4 6.5 8l-4 4M8 12.5h5.5",
    "triangle-exclamation": "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.7v.1",
    "upload": "M8 10.5v-8M4.5 6 8 2.5 11.5 6M2.5 13.5h11",
    "user": "M8 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM2.5 14c0-3 2.2-4.5 5.5-4.5s5.5 1.5 5.5 4.5",
    "users": (
        "M6 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM1 13.5c0-2.7 1.9-4 5-4s5 1.3 5 4"
        "M10.5 2.7a2.7 2.7 0 0 1 0 5M12.5 9.8c1.6.6 2.5 1.8 2.5 3.7"
    ),
    "wrench": "M13.5 4.5 11 7 9 5l2.5-2.5A3.8 3.8 0 0 0 6.7 7.3L2 12l2 2 4.7-4.7a3.8 3.8 0 0 0 4.8-4.8z",
}
_SAME = (
    "home=house cog=gear cogs=gear gears=gear search=magnifying-glass edit=pen info=circle-info "
    "info-circle=circle-info question=circle-question warning=triangle-exclamation "
    "exclamation-triangle=triangle-exclamation check-circle=circle-check email=envelope "
    "circle-exclamation=circle-info pencil=pen pen-to-square=pen file-lines=file file-code=code "
    "brackets-curly=code square-terminal=terminal shopping-cart=cart-shopping bookmark=flag "
    "link-external=arrow-right flag-checkered=flag screwdriver-wrench=wrench shield-halved=shield cubes=cube "
    "box=cube earth-americas=globe book-open-cover=book-open comments=comment message=comment list-check=list "
    "bars=list lightning=bolt folder-open=folder images=image plug-circle-bolt=plug chart-simple=chart-line "
    "tags=tag"
)
ALIASES: Mapping[str, str] = dict(pair.split("=") for pair in _SAME.split())
"""Further names of drawings: older names, and those of icons that differ little."""


def sign_of(page: Page) -> Markup:
    """Write what stands before the title of a page, hidden from screen readers; empty for none."""
    character = character_of(page.emoji or "")
    if character:
        return Markup(f'<span class="emoji" aria-hidden="true">{escape(character)}</span> ')
    return icon(page.icon or "")


def icon(name: str) -> Markup:
    """Write an icon; empty for one that is not drawn here."""
    path = PATHS.get(ALIASES.get(name, name))
    if path is None:
        return Markup()
    return Markup(f'<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{path}"/></svg> ')
