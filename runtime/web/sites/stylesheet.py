"""How a site looks: the stylesheet that its customization becomes. Nothing in it is loaded from anywhere.

Every color that text has is moved until it can be read on each ground that it is on; what a tenant chose is kept as far
as it can be read. Colors come from `Color`, and everything else from the tables here: no text of a tenant gets in.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Literal

from pydantic import MISSING

from runtime.contract.customizations import Header, OwnFont, SiteCustomizationSettings, Styling, ThemedColor
from runtime.web.sites.colors import BLACK, READABLE, WHITE, Color

Mode = Literal["light", "dark"]
MODES: tuple[Mode, Mode] = ("light", "dark")
CORNERS = {"straight": ("0", "0"), "rounded": ("8px", "6px"), "circular": ("18px", "999px")}
"""How round cards are, and buttons and fields."""
SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif'
SERIF = 'ui-serif,Georgia,Cambria,"Noto Serif","DejaVu Serif",serif'
MONOSPACE = 'ui-monospace,"DejaVu Sans Mono",monospace'
SERIFS = frozenset(("RobotoSlab", "Merriweather", "IBMPlexSerif"))
KINDS = ("info", "success", "warning", "danger")
_PLAIN: dict[Mode, dict[str, str]] = {
    "light": {"page": "#ffffff", "text": "#1c2430", "quiet": "#566173", "line": "#d9dde3"},
    "dark": {"page": "#14181f", "text": "#e8ecf2", "quiet": "#a7b1c0", "line": "#323a47"},
}
_CODE: dict[Mode, dict[str, str]] = {
    "light": {"word": "#8a1a9b", "text": "#1e6b2f", "name": "#0b57d0", "number": "#a0480b"},
    "dark": {"word": "#d7a1f0", "text": "#9bd6a5", "name": "#8ab4ff", "number": "#f0b48a"},
}


def style_of(settings: SiteCustomizationSettings, scheme: str, cover_y: float = 0) -> str:
    """Write the stylesheet; `scheme` is `light`, `dark`, or `light dark` where the reader's system decides.

    `cover_y` is by how many pixels the cover of the page is moved.
    """
    light, dark = (palette_of(settings, mode) for mode in MODES)
    styling = settings.styling
    card, control = CORNERS[styling.corners]
    said = [f"color-scheme:{scheme}"]
    said += [f"--{name}:light-dark({light[name]},{dark[name]})" for name in light]
    said += [f"--corner:{card}", f"--corner-small:{control}"]
    said += [f"--font:{_font(styling)}", f"--monospace:{MONOSPACE}"]
    said.append(f"--shadow:{'0 4px 18px rgb(0 0 0/12%)' if styling.depth == 'subtle' else 'none'}")
    said.append(f"--backdrop:{_backdrop(styling)}")
    said += [f"--cover-y:{cover_y:.1f}px"] if cover_y else []
    return f":root{{{';'.join(said)}}}"


def source_of(style: str) -> str:
    """Give the source with which a policy allows exactly this stylesheet."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"


def palette_of(settings: SiteCustomizationSettings, mode: Mode) -> dict[str, Color]:
    """Compute the colors of a site in a mode, by the names that stylesheets have for them."""
    styling = settings.styling
    plain = {name: Color.read(value) for name, value in _PLAIN[mode].items()}
    primary = _chosen(styling.primary_color, mode)
    tint = _chosen(styling.tint.color, mode) if styling.tint is not MISSING else None
    page = plain["page"]
    if styling.background == "match":
        page = page.mixed(tint or primary, 0.06)
    if styling.theme == "muted":
        page = page.mixed(tint or plain["text"], 0.04)
    surface = page.mixed(tint or plain["text"], 0.05)
    glow = page.mixed(primary, 0.1) if styling.theme == "gradient" else page
    grounds = (page, surface, glow)
    accent = primary.readable_on(*grounds)
    wash, mark = page.mixed(accent, 0.12), page.mixed(accent, 0.25)
    text = plain["text"].readable_on(*grounds, wash, mark)
    colors = {
        "page": page,
        "surface": surface,
        "glow": glow,
        "wash": wash,
        "mark": mark,
        "text": text,
        "quiet": plain["quiet"].readable_on(*grounds, wash),
        "line": plain["line"].mixed(tint, 0.1) if tint else plain["line"],
        "accent": accent,
        "link": accent if styling.links == "default" else text,
        "primary": primary,
        "on-primary": text.readable_on(primary) if styling.theme == "muted" else _plainest_on(primary),
        **{f"code-{name}": Color.read(value).readable_on(page) for name, value in _CODE[mode].items()},
        **_header(settings.header, styling, mode, primary, page, glow, text),
    }
    for kind, chosen in zip(KINDS, _semantic(styling), strict=True):
        color = _chosen(chosen, mode)
        ground = page.mixed(color, 0.14)
        colors |= {kind: color, f"{kind}-ground": ground, f"{kind}-text": text.readable_on(ground)}
    return colors


def _header(
    header: Header, styling: Styling, mode: Mode, primary: Color, page: Color, glow: Color, text: Color
) -> dict[str, Color]:
    """Color the header; the preset is the older setting, and goes before the theme where it says anything."""
    ground, link = glow, text
    if header.preset == "custom":
        ground = _chosen(header.background_color, mode) if header.background_color is not MISSING else page
        link = _chosen(header.link_color, mode) if header.link_color is not MISSING else text
    elif header.preset == "contrast":
        ground, link = text, page
    elif header.preset == "bold" or (header.preset == "default" and styling.theme == "bold"):
        ground, link = primary, _plainest_on(primary)
    words = text if text.contrast(ground) >= READABLE else _plainest_on(ground)
    return {"header": ground, "header-text": words, "header-link": link.readable_on(ground)}


def _plainest_on(ground: Color) -> Color:
    return max(WHITE, BLACK, key=ground.contrast)


def _semantic(styling: Styling) -> tuple[ThemedColor, ...]:
    return styling.info_color, styling.success_color, styling.warning_color, styling.danger_color


def _chosen(color: ThemedColor, mode: Mode) -> Color:
    return Color.read(color.light if mode == "light" else color.dark)


def _font(styling: Styling) -> str:
    """Choose the fonts of the reader's system that are most like a font; none is loaded."""
    return SERIF if not isinstance(styling.font, OwnFont) and styling.font in SERIFS else SANS


def _backdrop(styling: Styling) -> str:
    return "linear-gradient(var(--glow),var(--page) 24rem)" if styling.theme == "gradient" else "none"
