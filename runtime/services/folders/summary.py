"""SUMMARY.md: the list of pages, their order, their groups and their nesting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from runtime.services.folders.titles import Title, inlines_of, read_title, without_closing, write_title
from runtime.services.markdown import nodes as make
from runtime.services.markdown.attributes import read_attributes
from runtime.services.markdown.escaping import target as markdown_target

MAX_ENTRIES = 19_999
"""One fewer than the pages of a space: README.md may come before them."""
MAX_SUMMARY = 8_000_000
"""Characters."""
MAX_DEPTH = 30
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](.*)")
_ITEM = re.compile(r"([ \t]*)(?:[*+-]|[0-9]{1,9}[.)])[ \t]+(\S.*)")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_PLAIN = re.compile(r"\[([^\\`*_\[\]<~&$:!{}#]*)\]\(([^\s()<>\"'\\&]+)\)")
_ANCHOR = re.compile(r"<a\s([^<>]*)>")
_CLOSED = "</a>"


@dataclass(slots=True)
class Entry:
    """An entry of the list, or a group, which has no target; `target` is unparsed, None for plain text.

    `file` is the path of the page that the entry stands for, once it is known.
    """

    title: Title
    target: str | None = None
    file: str | None = None
    group: bool = False
    slug: str | None = None
    inside: list[Entry] = field(default_factory=list)


def read_summary(text: str, problems: list[str]) -> list[Entry]:
    """Read entries and groups, with their children; unreadable lines are reported as problems and left out."""
    top: list[Entry] = []
    group: Entry | None = None
    above: list[tuple[int, Entry]] = []
    count = begun = 0
    for number, line in enumerate(text[:MAX_SUMMARY].splitlines(), 1):
        if count >= MAX_ENTRIES:
            problems.append(
                f"SUMMARY.md has more than {MAX_ENTRIES} entries; those from line {number} on are left out."
            )
            break
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        if _RULE.fullmatch(line):
            group, above = None, []
        elif heading is not None:
            begun += 1
            if len(heading[1]) > 1 or (begun > 1 or count):
                group = _group(without_closing(heading[2]))
                top.append(group)
                count += 1
            above = []
        elif item is not None:
            entry = _entry(item[2])
            count += 1
            indent = len(item[1].expandtabs(4))
            while above and above[-1][0] >= indent:
                above.pop()
            siblings = above[-1][1].inside if above else group.inside if group is not None else top
            siblings.append(entry)
            if len(above) < MAX_DEPTH:
                above.append((indent, entry))
    if len(text) > MAX_SUMMARY:
        problems.append(f"SUMMARY.md has more than {MAX_SUMMARY} characters; the rest is left out.")
    return top


def _group(source: str) -> Entry:
    slug = _id_at_end(source)
    if slug is not None:
        source = source[: source.rindex("<", 0, -len(_CLOSED))]
    return Entry(read_title(source), group=True, slug=unquote(slug) if slug is not None else None)


def _id_at_end(source: str) -> str | None:
    """Find the id of the empty anchor at the end of a heading; searches from the end, so that it takes linear time."""
    if not source.endswith(_CLOSED) or "<" not in source[: -len(_CLOSED)]:
        return None
    opening = _ANCHOR.fullmatch(source, source.rindex("<", 0, -len(_CLOSED)), len(source) - len(_CLOSED))
    return read_attributes(opening[1]).get("id") if opening is not None else None


def _entry(source: str) -> Entry:
    source = source.strip()
    plain = _PLAIN.fullmatch(source)
    if plain is not None:
        return Entry(read_title(plain[1]), plain[2])
    link = next((node for node in inlines_of(source) if node.get("type") == "link"), None)
    if link is None:
        return Entry(read_title(source))
    text = _text_in_brackets(source)
    title = read_title(text) if text is not None else Title(make.texts_of(link), None)
    return Entry(title, link["data"]["ref"].get("url", ""))


def _text_in_brackets(source: str) -> str | None:
    """Return the unparsed text between `[` and its matching `]`."""
    depth, place = 0, 0
    while place < len(source):
        sign = source[place]
        if sign == "\\":
            place += 1
        elif sign == "[":
            depth += 1
        elif sign == "]":
            depth -= 1
            if depth == 0:
                return source[1:place] if source.startswith("[") and source[place + 1 : place + 2] == "(" else None
        place += 1
    return None


def write_summary(entries: Sequence[Entry]) -> str:
    """Write entries in the format that `read_summary` reads."""
    lines = ["# Table of contents"]
    grouped = False
    last_was_item = False
    for entry in entries:
        if entry.group:
            slug = quote(entry.slug or "", safe="")
            anchor = f' <a href="#{slug}" id="{slug}"></a>' if slug else ""
            lines += ["", f"## {write_title(*entry.title)}{anchor}"]
            if entry.inside:
                lines += ["", *_items(entry.inside)]
            grouped, last_was_item = True, False
            continue
        if grouped:
            lines += ["", "***"]
            grouped = False
        if not last_was_item:
            lines.append("")
        lines += _items([entry])
        last_was_item = True
    return "\n".join(lines) + "\n"


def every(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Iterate over entries and all their descendants, in document order."""
    todo = [*reversed(entries)]
    while todo:
        entry = todo.pop()
        yield entry
        todo += reversed(entry.inside)


def _items(entries: Sequence[Entry]) -> Iterator[str]:
    todo = [(entry, 0) for entry in reversed(entries)]
    while todo:
        entry, level = todo.pop()
        title = write_title(*entry.title)
        said = f"[{title}]({markdown_target(entry.target)})" if entry.target is not None else title
        yield f"{'  ' * level}* {said}"
        todo += [(one, level + 1) for one in reversed(entry.inside)]
