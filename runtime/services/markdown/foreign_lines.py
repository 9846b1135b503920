"""Normalizes Markdown from other tools to the platform's form, before it is parsed."""

from __future__ import annotations

import re
from bisect import bisect_right

from runtime.services.markdown.block_lines import CodeFence, behind_markers

WRAPPERS = "div|center|section|article|main|header|footer|nav|aside"
"""Elements that only lay out their content."""
WRAPPER = re.compile(rf"</?(?:{WRAPPERS})(?:\s[^<>]*)?>", re.IGNORECASE)
PARAGRAPH = re.compile(r"<p(?:\s[^<>]*)?>", re.IGNORECASE)
RULE = re.compile(r"<hr(?:\s[^<>]*|/)?>", re.IGNORECASE)
LEADING = re.compile(r"[ \t>]*")
TAG_START = re.compile(r"<[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?$")
QUOTE = re.compile(r'"[^"]*"?')
OF_FIGURES = ("<figure", "</figure", "<figcaption", "</figcaption", "<img", "<picture", "</picture", "<source")
MAX_LINES = 1000
"""Lines that one tag may span."""


def normalized_lines(text: str) -> str:
    """Normalize a text in one pass; code is not changed.

    - A tag over several lines is joined: `{% name a="first\\nsecond" %}` keeps its breaks, `<img ...>` needs none.
    - A comment that fills its lines is left out.
    - A line with nothing but `<div>`, `</div>` or another of `WRAPPERS` becomes empty; the lines behind it, up to the
      next empty one, are not code even if they are indented.
    - `<hr>` becomes a divider.
    """
    return text if "<" not in text and "{%" not in text else "\n".join(_Tidier(text.split("\n")).lines())


class _Tidier:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._comment_ends = [number for number, line in enumerate(lines) if "-->" in line]

    def lines(self) -> list[str]:
        written: list[str] = []
        fence = CodeFence()
        place, preformatted = 0, False
        within: str | None = None  # the indentation and quotation marks for the lines that follow a wrapper's line
        while place < len(self._lines):
            line = self._lines[place]
            before = LEADING.match(line)[0]  # type: ignore[index]  # it matches anything
            text = line[len(before) :]
            if preformatted or fence.holds(line):
                preformatted = preformatted and "</pre>" not in line.lower()
                written.append(line)
                place += 1
                continue
            if not text:
                within = None
            is_code = within is None and _width(before) >= 4
            if within is not None and behind_markers(text) == text:
                before = within
            if text[:1] not in ("<", "{") or is_code:
                written.append(before + text)
                place += 1
                continue
            pictures = self._pictures_end(text, place)
            if pictures is not None:
                written += self._lines[place:pictures]
                place, within = pictures, None
                continue
            text, stop = self._whole(text, place)
            ended = self._comment_end(text, place) if stop == place + 1 else None
            if ended is not None:
                text, stop = "", ended
            elif self._is_wrapper(text, place, written):
                within, text = before, ""
            elif RULE.fullmatch(text.rstrip()):
                text = "***"
                written.append(before.rstrip())
            preformatted = text[:4].lower() == "<pre" and "</pre>" not in text.lower()
            written.append(before + text if text else before.rstrip())
            place = stop
        return written

    def _whole(self, text: str, place: int) -> tuple[str, int]:
        """Join the lines of the tag that begins here; returns it, and the number of the next line."""
        if text.startswith("{%"):
            if "%}" in text:
                return text, place + 1
            end, following = "%}", "{%"
        elif TAG_START.match(text):
            end, following = ">", "<"
        else:
            return text, place + 1
        parts = [text]
        for stop in range(place + 1, min(place + MAX_LINES, len(self._lines))):
            line = self._lines[stop]
            # No line is searched twice: the next tag that is left open begins behind these.
            found, other = line.find(end), line.find(following)
            if (other >= 0 and (found < 0 or other < found)) or (end == ">" and not line.strip()):
                break
            parts.append(line)
            if found >= 0:
                return (_in_one_line("\n".join(parts)) if end == "%}" else " ".join(map(str.strip, parts))), stop + 1
        return text, place + 1

    def _pictures_end(self, text: str, place: int) -> int | None:
        """Return the line after a `<div>` that contains only figures, as the platform writes it; None for any other."""
        if not WRAPPER.fullmatch(text.rstrip()) or text[:4].lower() != "<div":
            return None
        found = False
        # The search ends at the next `<div>` at the latest, so no line is searched for two of them.
        for stop in range(place + 1, len(self._lines)):
            line = self._lines[stop].strip(" \t>").lower()
            if line.startswith("</div"):
                return stop + 1 if found and line == "</div" else None
            if line and not line.startswith(OF_FIGURES):
                return None
            found = found or bool(line)
        return None

    def _comment_end(self, text: str, place: int) -> int | None:
        """Return the line after a comment that fills whole lines; None for any other."""
        if not text.startswith("<!--"):
            return None
        rest = text[4:]
        if "-->" not in rest:
            following = bisect_right(self._comment_ends, place)
            if following == len(self._comment_ends):
                return None
            place = self._comment_ends[following]
            rest = self._lines[place]
        return place + 1 if rest.rstrip().endswith("-->") and rest.count("-->") == 1 else None

    def _is_wrapper(self, text: str, place: int, written: list[str]) -> bool:
        text = text.rstrip()
        if WRAPPER.fullmatch(text):
            return True
        if text.lower() == "</p>":
            return not written or not written[-1].strip(" \t>")
        following = self._lines[place + 1 : place + 2]
        return bool(PARAGRAPH.fullmatch(text)) and bool(following) and not following[0].strip(" \t>")


def _width(before: str) -> int:
    """Count the columns of a line's indentation, after its quote markers."""
    return len(before.rpartition(">")[2].expandtabs(4))


def _in_one_line(tag: str) -> str:
    """Join a tag's lines: line breaks in values become character references, others spaces."""
    inside, end, rest = tag.partition("%}")
    inside = QUOTE.sub(lambda found: found[0].replace("\n", "&#xa;"), inside)
    return inside.replace("\n", " ") + end + rest
