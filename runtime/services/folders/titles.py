"""Titles in Markdown: a line of text, with an optional emoji before it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from runtime.services.markdown import nodes as make
from runtime.services.markdown.escaping import in_markdown, keep_ends
from runtime.services.markdown.reading import document_of

Node = dict[str, Any]
MAX_TITLE = 200
_SIGN = (
    "[\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff]"
)
_MORE = "[\ufe0f\u20e3\U0001f3fb-\U0001f3ff]*"
EMOJI = re.compile(f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|{_SIGN}{_MORE}(?:\u200d{_SIGN}{_MORE}){{0,6}})")
_PLAIN = re.compile(r"[^\\`*_\[\]<~&$:!{}#|()]+")


class Title(NamedTuple):
    """A title and its emoji, as hexadecimal code points."""

    text: str
    emoji: str | None


class _AsTheyStand:
    def read(self, target: str) -> Node:
        return {"kind": "url", "url": target}

    def write(self, ref: Node) -> str:
        return str(ref.get("url", ""))


def inlines_of(source: str) -> list[Node]:
    """Parse one line of Markdown; link targets are not resolved."""
    line = source.replace("\n", " ").strip()
    if not line:
        return []
    first: Node = document_of(f"# {line}", _AsTheyStand())["nodes"][0]
    nodes: list[Node] = first.get("nodes", [])
    return nodes


def read_title(source: str) -> Title:
    """Parse a title from Markdown."""
    source, emoji = source.strip(), None
    found = EMOJI.match(source)
    if found and source[found.end() : found.end() + 1] == " " and source[found.end() :].strip():
        emoji = "-".join(f"{ord(sign):x}" for sign in found[0])
        source = source[found.end() :].strip()
    text = source if _PLAIN.fullmatch(source) else "".join(make.texts_of(node) for node in inlines_of(source))
    return Title(text[:MAX_TITLE], emoji)


def without_closing(heading: str) -> str:
    """Return a heading's text, without surrounding spaces and closing signs as in `# Title #`."""
    said = heading.strip(" \t")
    opened = said.rstrip("#")
    return opened.rstrip(" \t") if not opened or opened[-1] in " \t" else said


def write_title(text: str, emoji: str | None) -> str:
    """Write a title as Markdown so that `read_title` reads the same; an invalid emoji is left out."""
    written = keep_ends(in_markdown(text, lines=False))
    written = re.sub(r"(^| )(#+)$", r"\1\\\2", written)
    if EMOJI.match(written):
        written = f"&#x{ord(written[0]):x};{written[1:]}"
    signs = signs_of(emoji)
    return f"{signs} {written}" if signs else written


def signs_of(emoji: str | None) -> str | None:
    """Return an emoji's characters for use in a title; None if it is invalid."""
    if not emoji or not re.fullmatch(r"[0-9a-f]{1,6}(?:-[0-9a-f]{1,6}){0,15}", emoji):
        return None
    codes = [int(code, 16) for code in emoji.split("-")]
    signs = "".join(map(chr, codes)) if all(code < 0x110000 for code in codes) else ""
    same = "-".join(f"{ord(sign):x}" for sign in signs) == emoji
    return signs if same and EMOJI.fullmatch(signs) else None
