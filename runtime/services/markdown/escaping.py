"""Text that means nothing in Markdown or HTML but itself."""

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
    """Write text; where lines may be broken, a line feed before a letter breaks one."""
    text = SPECIAL.sub(_backslash, clean(text)).replace("\t", "&#x9;")
    written, *others = text.split("\n")
    before = written
    for line in others:
        broken = lines and before and line[:1].isascii() and line[:1].isalpha()
        written += ("\\\n" if broken else "<br>") + line
        before = line
    return written


def in_alternative(text: str) -> str:
    """Write what stands for a picture, which has no lines: a break in it would be read as a space."""
    return "&#xa;".join(in_markdown(line, False) for line in clean(text).split("\n"))


def _backslash(match: re.Match[str]) -> str:
    return "\\" + match[0]


def in_html(text: str) -> str:
    """Write text between tags, where a line feed is a `<br>`."""
    return clean(text).translate(HTML)


def raw_in_html(text: str) -> str:
    """Write text between tags that is read as it stands."""
    return clean(text).translate(HTML_RAW)


def whole(line: str) -> str:
    """Keep the spaces at the ends of a line, and all that would begin a block there."""
    line = keep_ends(line)
    start = LINE_START.match(line)
    if start is None:
        return line
    return f"{start[0]}\\{line[start.end() :]}" if start[0].isdigit() else f"\\{line}"


def keep_ends(line: str) -> str:
    """Write the spaces at both ends as character references."""
    # Not by an expression: one that looks for spaces before the end goes through every run of them again and again.
    end = len(line.rstrip(MD_TRIM_CHARS))
    start = end - len(line[:end].lstrip(MD_TRIM_CHARS))
    return _referenced(line[:start]) + line[start:end] + _referenced(line[end:])


def _referenced(text: str) -> str:
    return "".join(f"&#x{ord(character):x};" for character in text)


def target(text: str) -> str:
    """Write the target of a link: plainly, or between `<` and `>`."""
    text = clean(text)
    if PLAIN_TARGET.fullmatch(text):
        return text
    return "<" + IN_TARGET.sub(_backslash, text).replace("\n", "&#xa;").replace("\t", "&#x9;") + ">"


def code_span(text: str) -> str:
    """Write a text without line feeds between as many backticks as it needs."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * (longest + 1)
    padded = text.strip(" ") and (text[0] in " `" or text[-1] in " `")
    return f"{ticks} {text} {ticks}" if padded else f"{ticks}{text}{ticks}"
