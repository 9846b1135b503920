"""Validates and parses documents of requests."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from runtime.contract import errors
from runtime.contract.document_size import size_problem
from runtime.contract.json_parts import decode_json
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed, open_made
from runtime.services.markdown.patience import TakesTooLong
from runtime.services.markdown.reading import document_of
from runtime.services.markdown.writing import markdown_of

LONG = 200_000
"""Characters of Markdown that take half a second to parse; longer texts are parsed in a separate process."""
BRIEF = 1.0
"""Processor time, in seconds, in which a request thread must have parsed `LONG` characters."""
MOST_MADE = 32 * 1024 * 1024
"""Maximum bytes, as JSON, of all documents from long Markdown, which the host holds in memory: `# a` is a block in four
characters, and forty times as long as a document."""
RunSeparately = Callable[[Callable[[Path, Any], Any], Path, Any], Any]
"""Runs one of our functions on a folder, in a separate process."""
Lent = Callable[[], AbstractContextManager[Path]]
"""Provides a folder that is removed afterwards."""
_TEXT, _DOCUMENT = "{}.md", "{}.json"


def markdown_of_sent(document: dict[str, Any], field: str) -> str:
    """Return a sent document as Markdown; `field` is its place in the request.

    Raises BadRequest for one whose blocks lack what their types require, which `check_document` does not look at.
    """
    try:
        return markdown_of(document)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise errors.BadRequest(
            "a block lacks data or nodes that its type requires; see the schema of its type", field=field
        ) from None


def read_briefly(markdown: str, field: str) -> dict[str, Any]:
    """Parse Markdown in the request thread; `field` is its place in the request.

    Raises BadRequest for a text that takes much longer than others of its length, or makes too large a document.
    """
    try:
        document = document_of(markdown, seconds=seconds_for(len(markdown)))
    except TakesTooLong:
        raise errors.BadRequest(
            "the Markdown takes too long to parse; send a shorter or simpler text", field=field
        ) from None
    problem = size_problem(document)
    if problem is not None:
        raise errors.BadRequest(problem, field=field)
    return document


def seconds_for(size: int) -> float:
    """Return the processor time allowed for a text of that many characters."""
    return BRIEF * max(1.0, size / LONG)


def read_all(texts: Mapping[str, str], run_separately: RunSeparately, lent: Lent) -> list[Mapping[str, Any]]:
    """Parse Markdown, by fields of the request; long texts in a separate process, so that no other request is delayed.

    Raises BadRequest for texts that take too much time or memory, or make too large a document.
    """
    if sum(map(len, texts.values())) <= LONG:
        read = _read_here(texts)
        if read is not None:
            return read
    with lent() as folder:
        for number, text in enumerate(texts.values()):
            (folder / _TEXT.format(number)).write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            run_separately(read_files, folder, [*texts])
        except Refused as refused:
            if refused.part:
                raise errors.BadRequest(refused.message, field=refused.part) from refused
            raise errors.BadRequest(
                f"the Markdown {refused.message}; send fewer pages at once", field="changes"
            ) from refused
        except SeparateProcessFailed as error:
            most = "could not be read" if error.reason == "crashed" else f"takes too much {error.reason} to read"
            raise errors.BadRequest(
                f"the Markdown {most}; send fewer or shorter pages at once", field="changes"
            ) from error
        return [_made(folder, number) for number in range(len(texts))]


def _read_here(texts: Mapping[str, str]) -> list[Mapping[str, Any]] | None:
    """Parse texts in this thread; None if that takes too long for other requests."""
    until = time.thread_time() + BRIEF
    read: list[Mapping[str, Any]] = []
    try:
        for field, text in texts.items():
            made = document_of(text, seconds=until - time.thread_time())
            problem = size_problem(made)
            if problem is not None:
                raise errors.BadRequest(problem, field=field)
            read.append(made)
    except TakesTooLong:
        return None
    return read


def read_files(folder: Path, fields: Sequence[str]) -> None:
    """Parse the text of each field, which are numbered in a folder; runs in a separate process."""
    left = MOST_MADE
    for number, field in enumerate(fields):
        text = (folder / _TEXT.format(number)).read_text(encoding="utf-8", errors="surrogatepass")
        made = document_of(text)
        problem = size_problem(made)
        if problem is not None:
            raise Refused("page-too-large", problem, field)
        document = json.dumps(made, ensure_ascii=True, separators=(",", ":"))
        left -= len(document)
        if left < 0:
            raise Refused(
                "too-large", f"has so many blocks that it produces more than {MOST_MADE >> 20} MB of documents"
            )
        (folder / _DOCUMENT.format(number)).write_text(document, encoding="ascii")


def _made(folder: Path, number: int) -> Mapping[str, Any]:
    with open_made(folder, _DOCUMENT.format(number)) as file:
        document: Mapping[str, Any] = decode_json(file.read())
    return document
