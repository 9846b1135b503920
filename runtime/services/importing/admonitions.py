"""Rewrites admonitions and expandable sections of HTML from other products as `<hint>` and `<details>`."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from bs4.element import Tag

from runtime.services.importing.html_tree import classed, without

ADMONITIONS = ", ".join(
    (
        "div.theme-admonition",
        "div.admonition",
        "aside.admonition",
        "details.admonition",
        "div.markdown-alert",
        "div.custom-block",
        "aside.starlight-aside",
        "div.confluence-information-macro",
        "div.alert[role=alert]",
        "div.callout",
        "blockquote.callout",
    )
)
"""Those of Docusaurus, MkDocs and Sphinx, GitHub, VitePress, Starlight, Confluence, Bootstrap."""
ADMONITION_CLASSES = frozenset(re.findall(r"\.([\w-]+)", ADMONITIONS))
TITLE_ELEMENTS = (
    "[class*=admonitionHeading], .admonition-title, .markdown-alert-title, .custom-block-title,"
    " .starlight-aside__title, .callout-title"
)
STYLES = {
    "danger": ("danger", "error", "caution", "failure", "fail", "bug", "attention"),
    "warning": ("warning", "warn", "important"),
    "success": ("success", "tip", "hint", "check", "done"),
}
"""Styles of hints -> words in class names that mean them; without such a word the style is `info`."""
KNOWN_TITLES = frozenset(
    ["note", "tip", "info", "warning", "danger", "caution", "important", "hint", "success", "error", "attention"]
)
"""Titles that say no more than the style of a hint does."""


def style_of(names: str) -> str:
    """Return the style of the hint for an element with these class names."""
    words = set(re.split(r"[\s_-]+", names.lower()))
    return next((style for style, said in STYLES.items() if words & set(said)), "info")


def rewrite_admonitions(soup: Any, body: Any) -> None:
    """Turn admonitions into `<hint>`, each with its own title, if it has one, as the first paragraph."""
    for box in classed(body, ADMONITION_CLASSES):
        if not box.css.match(ADMONITIONS):
            continue
        names = " ".join(box.get("class") or ())
        if "confluence-information-macro" in names and "macro-note" in names:
            names = "warning"
        # Only the first elements: admonitions may be nested, and each would search everything inside it.
        first = list(islice((one for one in box.children if isinstance(one, Tag)), 3))
        titles = f"{TITLE_ELEMENTS}, p.title" if "confluence" in names else TITLE_ELEMENTS
        title = next((one for one in first if one.css.match(titles)), None)
        if box.name == "details":
            title = box.find("summary", recursive=False)
        said = title.get_text(" ", strip=True) if title is not None else ""
        if title is not None:
            title.decompose()
        for icon in first:
            if not icon.decomposed and icon.css.match(".confluence-information-macro-icon, .aui-icon"):
                icon.decompose()
        if said and said.lower() not in KNOWN_TITLES:
            above = soup.new_tag("p")
            strong = soup.new_tag("strong")
            strong.string = said
            above.append(strong)
            box.insert(0, above)
        box.name, box.attrs = "hint", {"data-style": style_of(names)}
    for content in classed(body, frozenset(("panelContent",))):  # Confluence
        panel = content.parent
        if panel.name == "div" and "panel" in (panel.get("class") or ()):
            panel.name, panel.attrs = "hint", {"data-style": "info"}


def rewrite_expandables(soup: Any, body: Any) -> None:
    """Turn the expandable sections of a Confluence export into `<details>`."""
    for box in classed(body, frozenset(("expand-container",))):
        said = box.find(class_="expand-control", recursive=False)
        content = box.find(class_="expand-content", recursive=False)
        if said is None or content is None:
            continue
        summary = soup.new_tag("summary")
        summary.string = said.get_text(" ", strip=True)
        inside = content.extract()
        box.clear()
        box.name, box.attrs = "details", {}
        box.append(summary)
        for child in list(inside.contents):
            box.append(child)
    without(classed(body, frozenset(("toc-macro",))))
