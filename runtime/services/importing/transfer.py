"""Transfers content out of a separate process: documents in files, one per line, never all in memory.

The reader writes `write_imported` into its folder. When the host knows the ids, `finish_documents`, in a separate
process again, writes the documents as they are stored.
"""

from __future__ import annotations

import json
import math
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from runtime.contract.document_references import found_in
from runtime.contract.document_size import size_problem
from runtime.contract.documents import NotADocument, check_document
from runtime.engines.separate_process.answers import Refused, Telling
from runtime.engines.separate_process.runner import open_made
from runtime.services.imported_tree import Imported, ImportedFile, ImportedPage, ImportedReusableContent
from runtime.services.importing.references import Ids
from runtime.store.content.pieces import pack

INPUT, CRAWLED = "input", "crawled.json"
"""The file with what was sent, or the list of what was fetched of a website."""
IMPORTED, DOCUMENTS, IDS, FINISHED = "imported.jsonl", "documents.jsonl", "ids.json", "finished.jsonl"
MAX_DOCUMENT = 32 * 1024 * 1024
"""Bytes of a document as JSON."""
LONGEST_LINE = 2 * MAX_DOCUMENT
"""Bytes of a line: ids may be longer than the keys in whose places they are put."""
MAX_PROBLEMS = 100
LONGEST_PROBLEM = 300
LONGEST_TEXT = 1000
"""Characters of titles, names, descriptions and slugs that are handed over: no more of them is kept."""
MAX_LISTED = 64 << 20
"""Bytes of all that is handed over beside documents: the host holds it whole."""
MAX_ENTRIES = 40_000
"""Pages, files and reusable contents that are taken from a reader; a space may have fewer."""
_TEXTS = ("title", "name", "description", "slug", "emoji", "icon")
_KINDS: dict[str, Any] = {"page": ImportedPage, "file": ImportedFile, "reusable-content": ImportedReusableContent}


class Finished(NamedTuple):
    """A document in its stored form: its owner's id, name, bytes, and what it contains."""

    id: str
    name: str
    packed: bytes
    found: dict[str, Any] | None


class Writer:
    """Writes content as it is read: `imported.jsonl` and `documents.jsonl` in a folder."""

    def __init__(self, folder: Path) -> None:
        """Begin with nothing in it."""
        self._entries = (folder / IMPORTED).open("w", encoding="utf-8")
        self._documents = (folder / DOCUMENTS).open("w", encoding="utf-8")
        self._telling, self._expected = Telling(folder), 0
        self.pages = 0

    def expect(self, pages: int) -> None:
        """Report the expected number of pages, as progress."""
        self.report_progress(0, pages)

    def report_progress(self, done: int, pages: int) -> None:
        """Report how many pages were read, and how many there are."""
        self._expected = pages
        self._report(done)

    def _report(self, pages: int) -> None:
        self._telling.tell(min(pages, self._expected), self._expected)

    def page(self, page: ImportedPage) -> None:
        """Write a page; raises `Refused`, and writes nothing, for one whose document is too large."""
        self._entry("page", page, page.document)
        self.pages += 1
        self._report(self.pages)

    def file(self, file: ImportedFile) -> None:
        """Write a file's metadata; its bytes are in the folder."""
        self._entry("file", file, None)

    def reusable_content(self, content: ImportedReusableContent) -> None:
        """Write a reusable content."""
        self._entry("reusable-content", content, content.document)

    def whole(self, imported: Imported) -> list[str]:
        """Write a whole import; texts that are too large are left out, which is reported."""
        problems: list[str] = []
        every: tuple[tuple[Callable[[Any], None], Sequence[Any]], ...] = (
            (self.page, imported.pages),
            (self.reusable_content, imported.reusable_contents),
        )
        for write, entries in every:
            for entry in entries:
                try:
                    write(entry)
                except Refused as error:
                    problems.append(f"{clean(entry.key)[:150]}: {error.message}")
                    write(replace(entry, document=None, too_large=True))
        for file in imported.files:
            self.file(file)
        return problems

    def close(self, **rest: Any) -> None:
        """Write the rest: `variables`, `total` and `problems`."""
        problems = [clean(problem)[:LONGEST_PROBLEM] for problem in rest.pop("problems", ())]
        if rest.get("variables"):
            rest["variables"] = fit(rest["variables"])
        self._entries.write(_written(["rest", {**rest, "problems": problems[:MAX_PROBLEMS]}]))
        self._entries.close()
        self._documents.close()

    def _entry(self, kind: str, entry: Any, document: Any) -> None:
        if document is not None:
            line = _written([kind, entry.key, document])
            if len(line) > MAX_DOCUMENT:
                raise Refused("too-large", f"It produces a document of more than {MAX_DOCUMENT >> 20} MB; split it.")
            problem = size_problem(document)
            if problem is not None:
                raise Refused("too-large", f"Its document {problem}.")
            self._documents.write(line)
            entry = replace(entry, document=None)
        fields = {name: getattr(entry, name) for name in entry.__slots__}
        short = {name: fit(fields[name][:LONGEST_TEXT]) for name in _TEXTS if fields.get(name)}
        if fields.get("variables"):
            short["variables"] = fit(dict(fields["variables"]))
        if fields.get("former_paths"):
            short["former_paths"] = fit(list(fields["former_paths"]))
        self._entries.write(_written([kind, fields | short]))


def _written(value: Any) -> str:
    return f"{json.dumps(value, separators=(',', ':'))}\n"  # in ASCII, so that no text breaks a line


def write_imported(folder: Path, imported: Imported) -> None:
    """Write a whole import into the folder, for `read_imported` and `finish_documents`."""
    writer = Writer(folder)
    problems = [*imported.problems, *writer.whole(imported)]
    writer.close(variables=dict(imported.variables), total=imported.total, problems=problems)


def read_imported(folder: Path) -> Imported:
    """Read what `write_imported` wrote, without the documents; raises `Refused` if it is too large."""
    entries: dict[str, list[Any]] = {kind: [] for kind in _KINDS}
    rest: dict[str, Any] = {}
    with open_made(folder, IMPORTED) as file:
        for count, (kind, value) in enumerate(_lines(file, MAX_LISTED)):
            if kind == "rest":
                rest = value
            elif count >= MAX_ENTRIES:
                raise Refused("too-much", f"The import has more than {MAX_ENTRIES} pages and files.")
            else:
                entries[kind].append(_KINDS[kind](**value))
    return Imported(entries["page"], entries["file"], entries["reusable-content"], **rest)


def write_ids(folder: Path, ids: Ids) -> None:
    """Write the ids for `finish_documents`."""
    put_inside(folder, IDS, json.dumps(ids.to_json()).encode())


def finish_documents(folder: Path, arguments: Any) -> dict[str, int]:
    """Replace keys by ids in every document and write its stored form; runs in a separate process."""
    given = json.loads((folder / IDS).read_text(encoding="utf-8"))
    ids = Ids(given["pages"], given["files"], given["reusable"])
    count = 0
    with (folder / DOCUMENTS).open("rb") as documents, (folder / FINISHED).open("w", encoding="utf-8") as finished:
        for kind, key, document in _lines(documents):
            named = (ids.pages if kind == "page" else ids.reusable_contents).get(key)
            if named is None:
                continue
            done = ids.document(document)
            try:
                check_document(done)
            except NotADocument as error:  # a reader of ours is wrong
                raise ValueError(f"{key}: {error}") from error
            name, packed = pack(done)
            finished.write(json.dumps([named, name.hex(), b64encode(packed).decode(), found_in(done)]) + "\n")
            count += 1
    return {"documents": count}


def finished_documents(folder: Path) -> Iterator[Finished]:
    """Read the documents that `finish_documents` wrote."""
    with open_made(folder, FINISHED) as file:
        for named, name, packed, found in _lines(file):
            yield Finished(named, name, b64decode(packed), found)


def open_inside(folder: Path, path: str) -> BinaryIO:
    """Open a regular file below a folder; raises `OSError`, also for links and `..` in its path."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        raise OSError(f"{path} is not inside")
    at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            os.close(at)
            at = inner
        descriptor = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    finally:
        os.close(at)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb")


def put_inside(folder: Path, name: str, content: bytes) -> None:
    """Write a file into a folder that an untrusted process can write to; follows no links."""
    place = folder / Path(name).name
    place.unlink(missing_ok=True)
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def clean(text: str) -> str:
    """Remove control characters and lone surrogates from text."""
    return "".join(sign for sign in text if sign >= " " and not "\ud800" <= sign <= "\udfff")


def fit(value: Any) -> Any:
    """Remove lone surrogates and control characters, except line breaks, from all strings."""
    if isinstance(value, str):
        return "\n".join(clean(line) for line in value.replace("\t", " ").split("\n"))
    if isinstance(value, dict):
        return {fit(name): fit(inner) for name, inner in value.items()}
    return [fit(inner) for inner in value] if isinstance(value, list) else value


def _lines(file: BinaryIO, most: float = math.inf) -> Iterator[Any]:
    length = 0
    while line := file.readline(LONGEST_LINE + 1):
        length += len(line)
        if length > most:
            said = "Titles, descriptions, variables and links of its pages, and the names of its files,"
            raise Refused("too-much", f"{said} take more than {MAX_LISTED >> 20} MB in all; import it in parts.")
        if len(line) > LONGEST_LINE:
            raise Refused("too-large", f"A page produces a document of more than {MAX_DOCUMENT >> 20} MB; split it.")
        yield json.loads(line)
