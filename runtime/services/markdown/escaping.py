"""Escapes text for Markdown and HTML."""

from __future__ import annotations

import re

from markdown_it.common.utils import MD_TRIM_CHARS

from runtime.services.markdown.attributes import clean

HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "<br>", "\t": "&#x9;"})
HTML_RAW = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#xa;", "\t": "&#x9;"})
SPECIAL = re.compile(
    r"[\\`*_\[\]<~]"
    r"|^[:$]|\$(?=\$|$)|(?<=\$)\$|!$"
    r"|:(?=[a-z0-9_+\-]*(?::|$))"
    r"|&(?=#?[A-Za-z0-9]+(?:;|$))|&$"
    r"|\{(?=[%#]|$)"
)
"""What stands for something else where it stands, or would with what may come behind it."""
LINE_START = re.compile(r"[-+=>#|]|[0-9]{1,9}(?=[.)])")
PLAIN_TARGET = re.compile(r"[^\s<>()\\\"'`\[\]&|]+(?:&(?!#?[A-Za-z0-9]+;)[^\s<>()\\\"'`\[\]&|]*)*")
IN_TARGET = re.compile(r"[\\<>]|&(?=#?[A-Za-z0-9]+;)")


def in_markdown(text: str, lines: bool) -> str:
    """Escape text for Markdown; a line feed becomes `<br>`, or, with `lines` and before a letter, a hard line break."""
    text = SPECIAL.sub(_backslash, clean(text)).replace("\t", "&#x9;")
    written, *others = text.split("\n")
    before = written
    for line in others:
        broken = lines and before and line[:1].isascii() and line[:1].isalpha()
        written += ("\\\n" if broken else "<br>") + line
        before = line
    return written


def in_alternative(text: str) -> str:
    """Escape the alternative text of a picture, in one line."""
    return "&#xa;".join(in_markdown(line, False) for line in clean(text).split("\n"))


def _backslash(match: re.Match[str]) -> str:
    return "\\" + match[0]


def in_html(text: str) -> str:
    """Escape text for HTML; line feeds become `<br>`."""
    return clean(text).translate(HTML)


def raw_in_html(text: str) -> str:
    """Escape text for HTML elements that keep their whitespace."""
    return clean(text).translate(HTML_RAW)


def whole(line: str) -> str:
    """Escape leading and trailing spaces of a line, and everything that would begin a block."""
    line = keep_ends(line)
    start = LINE_START.match(line)
    if start is None:
        return line
    return f"{start[0]}\\{line[start.end() :]}" if start[0].isdigit() else f"\\{line}"


def keep_ends(line: str) -> str:
    """Escape leading and trailing spaces."""
    # Not by an expression: one that looks for spaces before the end goes through every run of them again and again.
    end = len(line.rstrip(MD_TRIM_CHARS))
    start = end - len(line[:end].lstrip(MD_TRIM_CHARS))
    return _referenced(line[:start]) + line[start:end] + _referenced(line[end:])


def _referenced(text: str) -> str:
    return "".join(f"&#x{ord(character):x};" for character in text)


def target(text: str) -> str:
    """Write a link target, between `<` and `>` if necessary."""
    text = clean(text)
    if PLAIN_TARGET.fullmatch(text):
        return text
    return "<" + IN_TARGET.sub(_backslash, text).replace("\n", "&#xa;").replace("\t", "&#x9;") + ">"


def code_span(text: str) -> str:
    """Write a code span with as many backticks as it needs; the text has no line feeds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * (longest + 1)
    padded = text.strip(" ") and (text[0] in " `" or text[-1] in " `")
    return f"{ticks} {text} {ticks}" if padded else f"{ticks}{text}{ticks}"
