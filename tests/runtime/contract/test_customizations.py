"""Looks are laid over each other, and taken back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from runtime.contract.customization_overrides import OverrideCustomization
from runtime.contract.customizations import STANDARD, SiteCustomizationSettings, changed, merged, written

CHANGES: list[dict[str, Any]] = [
    {"title": "Mine"},
    {"styling": {"theme": "bold", "sidebar": {"list": "pill"}}},
    {"styling": {"sidebar": {"background": "filled"}, "tint": {"color": {"light": "#fff", "dark": "#000000"}}}},
    {"header": {"logo": {"light": "https://a.example/l.png", "dark": "https://a.example/d.png"}}},
    {"favicon": {"emoji": "1f4d8"}},
    {"favicon": {"icon": {"light": "https://a.example/l.png", "dark": "https://a.example/d.png"}}},
    {"footer": {"copyright": "", "groups": [{"title": "More", "links": []}]}},
    {"themes": {"default": "dark"}, "pdf": {"enabled": False}},
    {"styling": {"theme": None}},
    {"title": None, "header": {"logo": None}},
    {"privacyPolicy": {"url": "https://a.example/privacy"}},
    {},
]


@given(steps=st.lists(st.sampled_from(CHANGES), max_size=8))
def test_whatever_is_laid_over_settings_gives_settings(steps: list[dict[str, Any]]) -> None:
    overrides: dict[str, Any] = {}
    for step in steps:
        overrides = changed(overrides, written(OverrideCustomization.model_validate(step)))
        looks = merged(STANDARD, overrides)
        assert written(SiteCustomizationSettings.model_validate(looks)) == looks
        if step.get("title"):
            assert looks["title"] == step["title"]
    assert merged(STANDARD, {}) == STANDARD


@given(step=st.sampled_from(CHANGES[:8]))
def test_what_is_taken_back_leaves_nothing(step: dict[str, Any]) -> None:
    def nulls(value: dict[str, Any], depth: int = 0) -> dict[str, Any]:
        inner = ("styling", "sidebar", "header", "footer", "themes", "pdf")
        return {name: nulls(one) if name in inner else None for name, one in value.items()}

    overrides = changed({}, step)
    assert overrides == step
    assert changed(overrides, nulls(step)) == {}


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        " https://a.example",
        "https://a.example/\n",
        "java\tscript:x",
        "data:text/html,x",
        "//",
        "https://",
        "https://[",
        "vbscript:x",
        "http:",
    ],
)
def test_pictures_come_from_the_web(url: str) -> None:
    with pytest.raises(ValidationError):
        OverrideCustomization.model_validate({"header": {"logo": {"light": url, "dark": "https://a.example/"}}})


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "JavaScript:x", "java\nscript:x", "data:,x", "\x01javascript:x", "a:b"]
)
def test_links_run_nothing(url: str) -> None:
    link = {"title": "x", "to": {"kind": "url", "url": url}, "links": []}
    with pytest.raises(ValidationError):
        OverrideCustomization.model_validate({"header": {"links": [link]}})


@pytest.mark.parametrize("url", ["https://a.example/x?y#z", "mailto:a@example.com", "tel:+41", "/here", "here/there:x"])
def test_links_lead_elsewhere(url: str) -> None:
    link = {"title": "x", "to": {"kind": "url", "url": url}, "links": []}
    OverrideCustomization.model_validate({"header": {"links": [link]}})
