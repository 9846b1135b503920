"""Text and media elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.sdk.elements.making import buttons_of, children_of, one_of, text_of, wire_action
from runtime.sdk.elements.shapes import (
    Action,
    Button,
    Children,
    CodeBlock,
    Image,
    InlinePart,
    Layout,
    Link,
    Text,
    TextOrBinding,
    TextPart,
    TextStyle,
    Url,
    Wire,
)


def text(*children: TextPart, style: TextStyle | None = None) -> Text:
    """Show text; parts may be text, numbers, other texts and links."""
    node: Wire = {"type": "text"}
    if style is not None:
        node["style"] = one_of("ui.text: style", style, ("bold", "italic", "code", "strikethrough"))
    node["children"] = text_of("ui.text", children)
    return Text(node)


def link(*children: str, url: str | Url) -> Link:
    """Show a link to an address."""
    return Link({"type": "link", "target": {"url": url}, "children": text_of("ui.link", children)})


def hint(*children: InlinePart) -> Layout:
    """Show a hint, set apart from the rest."""
    return Layout({"type": "hint", "children": children_of("ui.hint", children)})


def markdown(content: TextOrBinding) -> Layout:
    """Show Markdown, given as text or as a binding."""
    return Layout({"type": "markdown", "content": content})


def image(url: str, *, aspect_ratio: float, alt: str | None = None) -> Image:
    """Show an image; `aspect_ratio` is its width divided by its height.

    `alt` says what it shows to somebody who cannot see it; "" for an image that only decorates.
    """
    node: Wire = {"type": "image", "source": {"url": url}, "aspectRatio": aspect_ratio}
    if alt is not None:
        node["alt"] = alt
    return Image(node)


def codeblock(
    content: TextOrBinding = "",
    *,
    syntax: str | None = None,
    line_numbers: bool | int | None = None,
    buttons: Sequence[Button | None] | None = None,
    state: str | None = None,
    on_content_change: Action | None = None,
    header: Children = None,
    footer: Children = None,
) -> CodeBlock:
    """Show code; with `state`, the key its text is kept in, it can be edited.

    `line_numbers` is True, or the number of the first line.
    """
    node: Wire = {"type": "codeblock", "content": content}
    if syntax is not None:
        node["syntax"] = syntax
    if line_numbers is not None:
        node["lineNumbers"] = line_numbers
    if buttons is not None:
        node["buttons"] = buttons_of("ui.codeblock: buttons", buttons)
    if state is not None:
        node["state"] = state
    if on_content_change is not None:
        node["onContentChange"] = wire_action("ui.codeblock: on_content_change", on_content_change)
    if header is not None:
        node["header"] = children_of("ui.codeblock: header", [header])
    if footer is not None:
        node["footer"] = children_of("ui.codeblock: footer", [footer])
    return CodeBlock(node)


def webframe(
    url: str,
    *,
    aspect_ratio: float | None = None,
    buttons: Sequence[Button | None] | None = None,
    data: Mapping[str, Any] | None = None,
) -> Layout:
    """Show a page of the integration in a frame; `data` (text or bindings) is posted to it on every change."""
    node: Wire = {"type": "webframe", "source": {"url": url}}
    if aspect_ratio is not None:
        node["aspectRatio"] = aspect_ratio
    if buttons is not None:
        node["buttons"] = buttons_of("ui.webframe: buttons", buttons)
    if data is not None:
        node["data"] = {key: value for key, value in data.items() if value is not None}
    return Layout(node)
