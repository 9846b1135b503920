"""Reads files of a project, which somebody else may have written: no more of one than it may have."""

from __future__ import annotations

from pathlib import Path

from devkit.terminal.output import Problem

MOST_TEXT = 10 * 1024 * 1024
"""Bytes of a source, as of a whole script."""


def content_of(file: Path, most: int, what: str) -> bytes:
    """Read a file; raises OSError, and Problem for no plain file and for more bytes than `what` it is may have.

    Who opens a pipe waits for somebody to write into it, and a repository holds gigabytes of zeros in a few kilobytes:
    neither is read at all.
    """
    if file.exists() and not file.is_file():
        raise Problem(f"{file} is not a regular file", hint="replace it with one, or remove it")
    with file.open("rb") as opened:
        content = opened.read(most + 1)
        if len(content) <= most:
            return content
    raise Problem(f"{file} has {file.stat().st_size:,} bytes; {what} has at most {most:,}")


def text_of(file: Path, most: int, what: str) -> str:
    """Read a text as `content_of` does, with line ends as Python has them; raises UnicodeDecodeError, too."""
    text = content_of(file, most, what).decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")
