"""Colors of sites can be read, whatever a tenant chose."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as some

from runtime.contract.customizations import STANDARD, HeaderPreset, SiteCustomizationSettings, Theme
from runtime.web.sites.colors import BLACK, READABLE, WHITE, Color
from runtime.web.sites.stylesheet import KINDS, MODES, palette_of, style_of

COLORS = some.from_regex(r"\A#(?:[0-9a-fA-F]{3}){1,2}\Z")
PAIRS = some.builds(lambda light, dark: {"light": light, "dark": dark}, COLORS, COLORS)
READ = [
    *((text, ground) for text in ("text", "quiet", "accent", "link") for ground in ("page", "surface", "glow")),
    *((f"code-{name}", "page") for name in ("word", "text", "name", "number")),
    *((f"{kind}-text", f"{kind}-ground") for kind in KINDS),
    *(("text", ground) for ground in ("wash", "mark")),
    ("quiet", "wash"),
    ("on-primary", "primary"),
    ("header-text", "header"),
    ("header-link", "header"),
]


@given(
    some.fixed_dictionaries(
        {
            "theme": some.sampled_from(get_args(Theme)),
            "primaryColor": PAIRS,
            "dangerColor": PAIRS,
            "infoColor": PAIRS,
            "links": some.sampled_from(["default", "accent"]),
            "background": some.sampled_from(["plain", "match"]),
        },
        optional={"tint": some.builds(lambda color: {"color": color}, PAIRS)},
    ),
    some.fixed_dictionaries(
        {"preset": some.sampled_from(get_args(HeaderPreset))}, optional={"backgroundColor": PAIRS, "linkColor": PAIRS}
    ),
)
def test_text_of_a_site_can_be_read(styling: dict[str, Any], header: dict[str, Any]) -> None:
    chosen = deepcopy(STANDARD)
    chosen["styling"] |= styling
    chosen["header"] |= header
    settings = SiteCustomizationSettings.model_validate(chosen)
    for mode in MODES:
        colors = palette_of(settings, mode)
        for text, ground in READ:
            assert colors[text].contrast(colors[ground]) >= READABLE, (mode, text, ground)
    style = style_of(settings, "light dark")
    assert not set("<>&'\n\\") & set(style) and style.count("{") == style.count("}") == 1


@pytest.mark.parametrize(
    "text", ["", "red", "#12", "#12345", "#1234567", "#ggg", "#fff;", " #fff", "#fff\n", "#１２３"]
)
def test_only_colors_are_read(text: str) -> None:
    with pytest.raises(ValueError, match="color"):
        Color.read(text)


def test_colors_are_written_whole_and_measured_as_the_guidelines_do() -> None:
    assert str(Color.read("#aBc")) == "#aabbcc"
    assert BLACK.contrast(WHITE) == pytest.approx(21)
    assert Color.read("#767676").contrast(WHITE) == pytest.approx(4.54, abs=0.01)
    assert Color.read("#2563EB").readable_on(WHITE) == Color.read("#2563EB")
