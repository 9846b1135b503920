"""Summaries of integrations, which their authors write in Markdown."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markupsafe import Markup

NESTING = 20
_HEADINGS = {"h1": "h2", "h2": "h3", "h3": "h4", "h4": "h5", "h5": "h6", "h6": "h6"}
_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING}).enable("table").disable("image")


def in_html(summary: str) -> Markup:
    """Write a summary in HTML, below the one heading of a page: without HTML of its author, and without pictures."""
    tokens = _PARSER.parse(summary)
    for token in tokens:
        token.tag = _HEADINGS.get(token.tag, token.tag)
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("rel", "noopener noreferrer nofollow")
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, {}))
