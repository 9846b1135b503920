"""Inline rules of the parser: the platform's inline HTML, formulas, emoji, and footnote references."""

from __future__ import annotations

import re

from markdown_it.rules_inline import StateInline

from runtime.services.markdown.emoji import code_of

MARK_TAGS = {"strong": "bold", "b": "bold", "em": "italic", "i": "italic", "del": "strikethrough", "s": "strikethrough"}
MARK_TAGS |= {"strike": "strikethrough", "code": "code", "kbd": "keyboard", "mark": "color"}
MARK_TAGS |= {"sup": "superscript", "sub": "subscript", "tt": "code", "samp": "code"}
UNMARKED_TAGS = frozenset(("u", "ins", "small", "big", "font", "nobr", "abbr", "cite", "var", "dfn", "span"))
"""Elements for which documents have no mark: only their text is kept."""
TAG = re.compile(r"<(?:/(?P<closed>[A-Za-z]+)\s*|(?P<name>[A-Za-z]+)(?P<attributes>\s[^<>]*|/)?)>", re.DOTALL)
PICTURE = re.compile(r"<picture>\s*((?:<source\s[^<>]*>\s*){1,10})<img\s([^<>]*)>\s*</picture>", re.IGNORECASE)
SOURCE = re.compile(r"<source\s([^<>]*)>", re.IGNORECASE)
EMOJI = re.compile(r":([a-z0-9_+\-]{1,60}):")
FOOTNOTE = re.compile(r"\[\^([^\s\[\]]{1,99})\]")
ATOMS = (
    ("code", re.compile(r'\sclass="expression"', re.IGNORECASE), "expression"),
    ("i", re.compile(r'\sclass="fa-', re.IGNORECASE), "icon"),
    ("span", re.compile(r"\sdata-gb-custom-inline", re.IGNORECASE), "custom"),
    ("span", re.compile(r'\sclass="math"', re.IGNORECASE), "formula"),
    ("span", re.compile(r"\sdata-option[=\s]", re.IGNORECASE), "option"),
    ("a", re.compile(r'\sclass="button', re.IGNORECASE), "button"),
    ("a", re.compile(r"\sdata-(?:mention|footnote-ref)", re.IGNORECASE), "reference"),
)
"""Elements that are one thing: (tag, what its attributes hold, type of the token)."""


def html_tag(state: StateInline, silent: bool) -> bool:
    """Read one tag of the platform's HTML; of `ATOMS`, the element up to its closing tag."""
    if state.src[state.pos] != "<":
        return False
    match = TAG.match(state.src, state.pos, state.posMax)
    if match is None:
        picture = None
    else:
        picture = PICTURE.match(state.src, state.pos, state.posMax) if match["name"] == "picture" else None
    if picture is not None:
        if not silent:
            token = state.push("html_image", "img", 0)
            token.info, token.content, token.markup = picture[2], _dark(SOURCE.findall(picture[1])), picture[0]
        state.pos = picture.end()
        return True
    if match is None:
        return False
    name = (match["name"] or match["closed"]).lower()
    attributes = match["attributes"] or ""
    if match["closed"] is None:
        for tag, holds, kind in ATOMS:
            if tag == name and holds.search(attributes):
                return _atom(state, silent, match, kind)
    if name == "br" or (name == "img" and match["closed"] is None):
        kind, nesting = "html_break" if name == "br" else "html_image", 0
    elif name in MARK_TAGS or name in UNMARKED_TAGS or name == "a":
        kind, nesting = ("html_close", -1) if match["closed"] else ("html_open", 1)
    else:
        return False
    if not silent:
        # A level of its own would keep pairs of asterisks apart; tags are paired when all of a text is read.
        token = state.push(kind, name, 0)
        token.info, token.markup, token.meta = attributes.rstrip("/"), match[0], {"nesting": nesting}
    state.pos = match.end()
    return True


def _dark(sources: list[str]) -> str:
    """Choose a picture's source for dark mode: the one declared for it, or the only one."""
    return next((one for one in sources if "dark" in one), sources[0] if len(sources) == 1 else "")


def comment(state: StateInline, silent: bool) -> bool:
    """Leave out `<!-- ... -->`."""
    if not state.src.startswith("<!--", state.pos):
        return False
    known = state.env.get("last comment end")
    if known is None or known[0] is not state.src:
        known = state.env["last comment end"] = (state.src, state.src.rfind("-->"))
    if known[1] < state.pos + 4:
        return False
    close = state.src.find("-->", state.pos + 4)
    if close + 3 > state.posMax:
        return False
    state.pos = close + 3
    return True


def _atom(state: StateInline, silent: bool, match: re.Match[str], kind: str) -> bool:
    needle = f"</{match['name'].lower()}>"
    missing = state.env.setdefault("no closing", {})
    known = missing.get(needle)
    if known is not None and known[0] == state.src and match.end() >= known[1]:
        return False
    close = state.src.find(needle, match.end())
    if close < 0:
        missing[needle] = (state.src, match.end())
    if close < 0 or close > state.posMax:
        return False
    if not silent:
        token = state.push(kind, match["name"].lower(), 0)
        token.info, token.content = match["attributes"], state.src[match.end() : close]
        token.markup = state.src[state.pos : close + len(needle)]
    state.pos = close + len(needle)
    return True


def formula(state: StateInline, silent: bool) -> bool:
    """Read `$$formula$$` within one line."""
    start = state.pos
    if not state.src.startswith("$$", start):
        return False
    close = state.src.find("$$", start + 2, state.posMax)
    text = state.src[start + 2 : close] if close >= 0 else ""
    if not text or "\n" in text or text != text.strip():
        if not silent:
            state.append_pending("$$")
        state.pos += 2
        return True
    if not silent:
        token = state.push("formula", "", 0)
        token.content, token.markup = text, f"$${text}$$"
    state.pos = close + 2
    return True


def emoji(state: StateInline, silent: bool) -> bool:
    """Read `:name:` of a known emoji; others stay text."""
    match = EMOJI.match(state.src, state.pos, state.posMax) if state.src[state.pos] == ":" else None
    if match is None or code_of(match[1]) is None:
        return False
    if not silent:
        token = state.push("emoji", "", 0)
        token.content, token.markup = match[1], match[0]
    state.pos = match.end()
    return True


def lone_bracket(state: StateInline, silent: bool) -> bool:
    """Read `[` as text if no `]` follows, without searching again."""
    opens = "![" if state.src.startswith("![", state.pos) else "["
    if not state.src.startswith(opens, state.pos):
        return False
    known = state.env.get("last bracket")
    if known is None or known[0] is not state.src:
        known = state.env["last bracket"] = (state.src, state.src.rfind("]"))
    if state.pos < known[1]:
        return False
    if not silent:
        state.append_pending(opens)
    state.pos += len(opens)
    return True


def footnote(state: StateInline, silent: bool) -> bool:
    """Read `[^1]` if it is defined."""
    match = FOOTNOTE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "[" else None
    if match is None or match[1] not in state.env.get("definitions", ()):
        return False
    if not silent:
        token = state.push("footnote", "", 0)
        token.content, token.markup = match[1], match[0]
    state.pos = match.end()
    return True
