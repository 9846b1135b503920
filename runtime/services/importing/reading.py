"""Reads a source in a separate process: converts the bytes in its folder to pages, files and documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from runtime.engines.separate_process.answers import Refused
from runtime.services.importing import archives, confluence, folders, notion, websites, word
from runtime.services.importing.transfer import INPUT, Writer

UNPACKED = "unpacked"
"""The folder into which an archive is unpacked."""
ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"

NESTED_ARCHIVES = ("notion",)
"""Sources whose exports are archives of archives."""

Reader = Callable[[Path, Writer, str], dict[str, Any]]


def read(folder: Path, arguments: Any) -> dict[str, int]:
    """Read `input` in the format named by `source`, or crawled pages; writes `imported.jsonl` and `documents.jsonl`.

    `name` is what the file is called. Raises `Refused`. Returns how many pages there are.
    """
    source, name = arguments["source"], arguments.get("name", "")
    writer = Writer(folder)
    if arguments.get("crawled"):
        rest = websites.read_pages(folder, writer)
    elif is_zip(folder / INPUT) and not word.is_word(folder / INPUT):
        problems = archives.unpack(folder / INPUT, folder / UNPACKED, nested=source in NESTED_ARCHIVES)
        (folder / INPUT).unlink()
        reader = _ARCHIVES.get(source)
        if reader is None:
            raise Refused("type", f"This is an archive; import it as `zip`, not as `{source}`.")
        rest = reader(folder, writer, UNPACKED)
        rest["problems"] = [*problems, *rest.get("problems", ())]
    else:
        reader = _FILES.get(source)
        if reader is None:
            raise Refused("type", f"This is not a zip file, which an import from `{source}` needs.")
        rest = reader(folder, writer, name)
    if not writer.pages:
        raise Refused("nothing", "It has no page that could be imported.")
    writer.close(**rest)
    return {"pages": writer.pages}


def is_zip(path: Path) -> bool:
    """Return whether a file is an archive by its first bytes."""
    with path.open("rb") as file:
        return file.read(4) in (ZIP, EMPTY_ZIP)


def _word(folder: Path, writer: Writer, name: str) -> dict[str, Any]:
    if not word.is_word(folder / INPUT):
        raise Refused("type", "This is not a .docx file.")
    return word.read(folder, INPUT, writer, name)


def _google(folder: Path, writer: Writer, name: str) -> dict[str, Any]:
    if word.is_word(folder / INPUT):
        return word.read(folder, INPUT, writer, name)
    return folders.read_one(folder, INPUT, writer, name, "html", title_from_head=True)


def _markdown(folder: Path, writer: Writer, name: str) -> dict[str, Any]:
    return folders.read_one(folder, INPUT, writer, name, "markdown")


def _html(folder: Path, writer: Writer, name: str) -> dict[str, Any]:
    return folders.read_one(folder, INPUT, writer, name, "html")


_ARCHIVES: dict[str, Reader] = {
    "zip": folders.read,
    "markdown": folders.read,
    "html": folders.read,
    "google-docs": folders.read_google,
    "github-wiki": folders.read_wiki,
    "notion": notion.read,
    "confluence": confluence.read,
}
_FILES: dict[str, Reader] = {
    "markdown": _markdown,
    "github-wiki": _markdown,
    "notion": _markdown,
    "html": _html,
    "confluence": _html,
    "website": _html,
    "docx": _word,
    "google-docs": _google,
}
