"""The parsers: one for Markdown with the platform's syntax, one for the text of HTML elements."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_core import StateCore

from runtime.services.markdown import block_rules, inline_rules, patience
from runtime.services.markdown.links import is_safe

NESTING = block_rules.LEVELS + 20
"""Where the library itself would drop what is deeper; `too_deep` comes first."""
BRACKETS = 10
PARAGRAPH: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}


@cache
def markdown_parser() -> MarkdownIt:
    """Return the Markdown parser; it is stateless."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": NESTING}).enable(["table", "strikethrough"])
    parser.normalizeLink = _same  # type: ignore[method-assign]  # targets are read by `Links`
    parser.validateLink = _is_safe  # type: ignore[method-assign]
    blocks = parser.block.ruler
    blocks.disable("html_block")
    blocks.at("table", block_rules.bounded_table, {"alt": ["paragraph", "reference"]})
    blocks.before("table", "too_deep", block_rules.too_deep)
    blocks.before("too_deep", "line_in_time", patience.line_in_time, PARAGRAPH)
    blocks.before("line_in_time", "end_of_quotes", patience.end_of_quotes, {"alt": ["blockquote"]})
    blocks.after("code", "tag_block", block_rules.tag_block, PARAGRAPH)
    blocks.after("tag_block", "element_block", block_rules.element_block, PARAGRAPH)
    blocks.after("element_block", "formula_block", block_rules.formula_block, PARAGRAPH)
    blocks.before("reference", "footnote_block", block_rules.footnote_block, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.at("inline", _lines)
    return parser


@cache
def _line_parser() -> MarkdownIt:
    """Return the parser of inline text; nested brackets are scanned once per level."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": BRACKETS}).enable("strikethrough")
    parser.normalizeLink = _same  # type: ignore[method-assign]  # targets are read by `Links`
    parser.validateLink = _is_safe  # type: ignore[method-assign]
    inlines = parser.inline.ruler
    inlines.before("text", "token_in_time", patience.token_in_time)
    inlines.disable("html_inline")
    inlines.before("link", "footnote", inline_rules.footnote)
    inlines.before("link", "lone_bracket", inline_rules.lone_bracket)
    inlines.before("autolink", "html_tag", inline_rules.html_tag)
    inlines.before("html_tag", "comment", inline_rules.comment)
    inlines.push("formula", inline_rules.formula)
    inlines.push("emoji", inline_rules.emoji)
    return parser


def _lines(state: StateCore) -> None:
    parser = _line_parser()
    for token in state.tokens:
        if token.type == "inline":
            token.children = []
            parser.inline.parse(token.content, parser, state.env, token.children)


@cache
def html_parser() -> MarkdownIt:
    """Return the parser of text in HTML elements, which knows only tags and character references."""
    parser = MarkdownIt("zero", {"html": False, "maxNesting": NESTING}).enable(["entity"])
    parser.inline.ruler.before("entity", "html_tag", inline_rules.html_tag)
    parser.inline.ruler.before("html_tag", "comment", inline_rules.comment)
    return parser


def _same(url: str) -> str:
    return url


def _is_safe(url: str) -> bool:
    return is_safe({"kind": "url", "url": url})
