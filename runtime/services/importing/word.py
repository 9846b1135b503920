"""Word documents: text, headings, lists, tables and pictures, without macros and external references."""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from pathlib import Path
from typing import Any

import mammoth

from runtime.contract.pictures import type_of_picture
from runtime.engines.separate_process.answers import Refused
from runtime.services.imported_tree import ImportedPage
from runtime.services.importing import archives
from runtime.services.importing.links import PathLinks
from runtime.services.importing.page_texts import Text, html_page
from runtime.services.importing.pictures import Pictures
from runtime.services.importing.pictures_in_html import Keep
from runtime.services.importing.transfer import Writer, clean
from runtime.services.markdown.reading import document_of

TEXT = "word/document.xml"
MAX_XML = 64 << 20
"""Bytes of a part in XML."""
MAX_TAGS = 1_000_000
"""Tags of all parts in XML; each takes about 0.1 ms to read."""
MAX_PICTURES = 1000
MAX_PICTURE, MAX_PICTURE_BYTES = 64 << 20, 1 << 30
"""Bytes of a picture, and of all that are read: a document may show the same one as often as it likes."""
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""How XML begins in which declarations would not be found."""
DECLARED = tuple(
    said.encode(encoding) for said in ("<!DOCTYPE", "<!ENTITY") for encoding in ("utf-8", "utf-16-le", "utf-16-be")
)
"""How declarations of XML begin: each part may be named as a text of the document, whatever it is called."""
PLAIN_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[\]]{0,1000}>")
"""A declaration of a drawing (SVG) that declares nothing else."""
STYLES = """
p[style-name='Title'] => p.title:fresh
p[style-name='Subtitle'] => p.subtitle:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
p[style-name='Quotations'] => blockquote > p:fresh
p[style-name='HTML Preformatted'] => pre:separator('\\n')
p[style-name='Preformatted Text'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
r[style-name='HTML Code'] => code
r[style-name='Verbatim Char'] => code
r[style-name='Source Text'] => code
"""
"""Styles of Word and LibreOffice -> elements of HTML, in addition to those the library knows."""
EMU = 9525
"""English Metric Units, in which Word measures, in a pixel."""
DRAWING = re.compile(rb"<wp:extent\b([^<>]{0,200})/?>|<a:blip\b[^<>]{0,500}\br:(?:embed|link)=|</wp:(?:inline|anchor)>")
WIDTH = re.compile(rb'\bcx="([0-9]{1,9})"')
_KINDS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/bmp": "bmp"}


def is_word(path: Path) -> bool:
    """Return whether a file is a Word document."""
    try:
        with zipfile.ZipFile(path) as zipped:
            return TEXT in zipped.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, EOFError):
        return False


def read(folder: Path, name: str, writer: Writer, called: str) -> dict[str, Any]:
    """Read a document as a page; returns the totals for `Writer.close`. Raises `Refused`."""
    key = called or "document"
    pictures = Pictures(folder, key, writer)
    text = text_of(folder / name, Path(called).stem.replace("-", " ") or "Imported page", pictures.keep)
    document = document_of(text.markdown, PathLinks("", {}, pictures.keys.get), top=None)
    writer.page(ImportedPage(key, text.title, document=document, description=text.description))
    macros = ["The document has macros, which were left out."] if _has_macros(folder / name) else []
    return {"total": 1 + len(pictures.keys), "problems": macros}


def text_of(path: Path, title: str, keep: Keep) -> Text:
    """Read a document as Markdown with a title; raises `Refused`."""
    _check(path)
    kept: dict[bytes, str] = {}  # a picture that is shown in many places is one
    left = MAX_PICTURE_BYTES
    widths = iter(_widths(path))

    def picture(image: Any) -> dict[str, str]:
        nonlocal left
        width = next(widths, None)
        kind = _KINDS.get(image.content_type)
        if kind is None or left <= 0:
            return {}
        with image.open() as opened:
            content = opened.read(MAX_PICTURE + 1)
        left -= len(content)
        digest = hashlib.sha256(content).digest()
        if digest not in kept:
            if len(kept) >= MAX_PICTURES or len(content) > MAX_PICTURE or not _is_picture(content):
                return {}
            kept[digest] = keep(content, kind)
        shown = {"src": kept[digest]}
        return shown if width is None else {**shown, "width": str(width)}

    try:
        with path.open("rb") as file:
            converted = mammoth.convert_to_html(
                file, style_map=STYLES, convert_image=mammoth.images.img_element(picture)
            )
    except Refused:
        raise
    except Exception as error:  # whatever the library trips over lies in the document
        raise Refused("docx", "The document is damaged, or contains something that cannot be read.") from error
    return html_page(converted.value, clean(title))


def _widths(path: Path) -> list[int | None]:
    """List the widths of pictures in pixels, in document order; None if a picture has none."""
    try:
        with zipfile.ZipFile(path) as zipped:
            content = zipped.read(TEXT)
    except KeyError:
        return []
    widths: list[int | None] = []
    width: int | None = None
    for found in DRAWING.finditer(content):
        if found[1] is not None:
            said = WIDTH.search(found[1])
            width = max(int(said[1]) // EMU, 1) if said else None
        elif found[0].startswith(b"<a:blip"):
            widths.append(width)
        else:
            width = None
    return widths


def _check(path: Path) -> None:
    """Raise `Refused` for malformed archives, and for XML with declarations: entities are an attack."""
    tags = 0
    try:
        with zipfile.ZipFile(path) as zipped:
            archives.check_members(zipped.infolist(), path.stat().st_size)
            for member in zipped.infolist():
                name = member.filename.lower()
                if name.endswith((".xml", ".rels")) and member.file_size > MAX_XML:
                    raise Refused("too-large", f"The document has more than {MAX_XML >> 20} MB of text.")
                content = zipped.read(member)
                tags += content.count(b"<") if name.endswith((".xml", ".rels")) else 0
                if tags > MAX_TAGS:
                    raise Refused("too-large", f"The document has more than {MAX_TAGS:,} XML tags; split it.")
                hidden = name.endswith((".xml", ".rels")) and content[:2] in UTF_16
                if name.endswith(".svg"):
                    content = PLAIN_DOCTYPE.sub(b"", content, count=1)
                if hidden or any(said in content for said in DECLARED):
                    raise Refused(
                        "entities", "The document declares entities in its XML, which is treated as an attack."
                    )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise Refused("docx", "The document is damaged, or not a .docx file.") from error


def _is_picture(content: bytes) -> bool:
    """Return whether this is a picture of any known kind, whatever the document declares."""
    return type_of_picture(content) is not None or content.startswith(b"BM")


def _has_macros(path: Path) -> bool:
    with zipfile.ZipFile(path) as zipped:
        return any(name.lower().endswith("vbaproject.bin") for name in zipped.namelist())
