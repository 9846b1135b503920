"""Documents of Word: text, headings, lists, tables and pictures; macros and what they refer to outside stay out."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mammoth

from runtime.engines.apart.answers import Refused
from runtime.services.importing import archives
from runtime.services.importing.handing_over import Writer, clean
from runtime.services.importing.links import PathLinks
from runtime.services.importing.page_texts import Text, html_page
from runtime.services.importing.tree import ImportedFile, ImportedPage
from runtime.services.markdown.reading import document_of

TEXT = "word/document.xml"
MAX_XML = 64 << 20
"""Bytes of a part in XML."""
MAX_PICTURES = 1000
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""How XML begins in which declarations would not be found."""
Keep = Callable[[bytes, str], str]
"""Takes the bytes of a picture and its extension, and gives where it is."""
_KINDS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/bmp": "bmp"}


def is_word(path: Path) -> bool:
    """Tell whether a file is a document of Word."""
    try:
        with zipfile.ZipFile(path) as zipped:
            return TEXT in zipped.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError):
        return False


def read(folder: Path, name: str, writer: Writer, called: str) -> dict[str, Any]:
    """Read a document as a page; returns the totals for `Writer.close`. Raises `Refused`."""
    pictures: list[str] = []

    def keep(content: bytes, kind: str) -> str:
        picture = f"picture-{len(pictures) + 1}.{kind}"
        (folder / picture).write_bytes(content)
        pictures.append(picture)
        return picture

    key = called or "document"
    text = text_of(folder / name, Path(called).stem.replace("-", " ") or "Imported page", keep)
    for picture in pictures:
        file_key = f"{key}/{picture}"
        writer.file(ImportedFile(file_key, picture, picture))
    links = PathLinks("", {}, lambda path: f"{key}/{path}" if path in pictures else None)
    writer.page(ImportedPage(key, text.title, document=document_of(text.markdown, links)))
    macros = ["The document has macros, which were left out."] if _has_macros(folder / name) else []
    return {"total": 1 + len(pictures), "problems": macros}


def text_of(path: Path, title: str, keep: Keep) -> Text:
    """Read a document as Markdown with a title; raises `Refused`."""
    _check(path)
    kept = 0

    def picture(image: Any) -> dict[str, str]:
        nonlocal kept
        kind = _KINDS.get(image.content_type)
        if kind is None or kept >= MAX_PICTURES:
            return {}
        kept += 1
        with image.open() as content:
            return {"src": keep(content.read(), kind)}

    try:
        with path.open("rb") as file:
            html = mammoth.convert_to_html(file, convert_image=mammoth.images.img_element(picture)).value
    except Refused:
        raise
    except Exception as error:  # whatever the library trips over lies in the document
        raise Refused("docx", "The document is damaged, or has something in it that cannot be read.") from error
    return html_page(html, clean(title))


def _check(path: Path) -> None:
    """Raise `Refused` for archives that are none, and for XML that declares anything: entities are an attack."""
    try:
        with zipfile.ZipFile(path) as zipped:
            archives.check_members(zipped.infolist(), path.stat().st_size)
            for member in zipped.infolist():
                if not member.filename.lower().endswith((".xml", ".rels")):
                    continue
                if member.file_size > MAX_XML:
                    raise Refused("too-large", f"The document has more than {MAX_XML >> 20} MB of text.")
                content = zipped.read(member)
                if b"<!DOCTYPE" in content or b"<!ENTITY" in content or content[:2] in UTF_16:
                    raise Refused(
                        "entities", "The document declares entities in its XML, which is taken for an attack."
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise Refused("docx", "The document is damaged, or no .docx file.") from error


def _has_macros(path: Path) -> bool:
    with zipfile.ZipFile(path) as zipped:
        return any(name.lower().endswith("vbaproject.bin") for name in zipped.namelist())
