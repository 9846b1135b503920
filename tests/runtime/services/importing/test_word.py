"""Documents of Word that somebody means harm with: what they declare, and how much they make of little."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from runtime.engines.separate_process.answers import Refused
from runtime.services.importing import folders, word
from runtime.services.importing.transfer import Writer
from tests.scenarios.elsewhere import PICTURE, PIXEL, packed, paragraph, word_document

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TEXT = f"<w:document {NAMES}><w:body>{paragraph('&b;')}</w:body></w:document>"
ROOT = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="word/other.bin"/></Relationships>'
)


def read(path: Path, content: bytes) -> tuple[str, list[bytes]]:
    """Read a document; gives its Markdown and the pictures that were kept."""
    kept: list[bytes] = []

    def keep(picture: bytes, kind: str) -> str:
        kept.append(picture)
        return f"{len(kept)}.{kind}"

    path.write_bytes(content)
    return word.text_of(path, "Title", keep).markdown, kept


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["word/other.bin", "word/media/image2.png", "word/drawing.svg", "word/other.xml"])
def test_declarations_are_refused_in_whichever_part_they_are(name: str, encoding: str, tmp_path: Path) -> None:
    """A relationship may name any part as the text of the document."""
    root = ROOT.replace("word/other.bin", name)
    document = word_document(paragraph("Hi"), **{"_rels/.rels": root, name: (ENTITIES + TEXT).encode(encoding)})
    with pytest.raises(Refused, match="declares entities"):
        read(tmp_path / "a.docx", document)


def test_a_drawing_that_declares_nothing_is_no_attack(tmp_path: Path) -> None:
    svg = '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd"><svg/>'
    assert read(tmp_path / "a.docx", word_document(paragraph("Hi"), **{"word/media/a.svg": svg}))[0] == "Hi\n"


def test_a_picture_that_is_shown_often_is_kept_once(tmp_path: Path) -> None:
    markdown, kept = read(tmp_path / "a.docx", word_document(PICTURE * 500))
    assert kept == [PIXEL] and markdown.count("1.png") == 500


def test_no_more_pictures_are_read_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word, "MAX_PICTURE_BYTES", 10 * len(PIXEL))
    assert read(tmp_path / "a.docx", word_document(PICTURE * 50))[0].count("1.png") == 10
    monkeypatch.setattr(word, "MAX_PICTURE", len(PIXEL) - 1)
    assert read(tmp_path / "a.docx", word_document(PICTURE))[1] == []


def test_what_is_called_a_picture_and_is_none_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path / "a.docx", word_document(PICTURE, **{"word/media/image1.png": b"\0" * 1000}))[1] == []


def test_documents_in_an_archive_unpack_no_more_pictures_than_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of twenty thousand documents may make of twenty kilobytes sixteen megabytes."""
    monkeypatch.setattr(folders, "MAX_PICTURES", 100_000)
    for number in range(10):
        picture = PIXEL + hashlib.sha256(str(number).encode()).digest() + b"\0" * 30_000
        content = word_document(PICTURE, **{"word/media/image1.png": picture})
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{number}.docx").write_bytes(content)
    (tmp_path / "in" / "last.md").write_text("# Last")
    writer = Writer(tmp_path)
    told = folders.read(tmp_path, writer, "in")
    writer.close(**told)
    assert writer.pages == 4, "three documents, and the last page"
    assert sum("the pictures" in one.lower() for one in told["problems"]) == 7
    assert sum(one.stat().st_size for one in (tmp_path / "in").glob("*.png")) < 100_000


def test_an_archive_of_nothing_but_a_name_is_no_document(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        read(tmp_path / "a.docx", packed({word.TEXT: "<x/>"}))


def test_a_document_with_too_many_tags_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty paragraphs of four megabytes, which are a few kilobytes packed, took most of a minute."""
    content = word_document(paragraph("One."), **{"word/more.xml": "<a/>" * 50, "word/more.txt": "<" * 1000})
    with zipfile.ZipFile(io.BytesIO(content)) as zipped:
        xml = [name for name in zipped.namelist() if name.endswith((".xml", ".rels"))]
        tags = sum(zipped.read(name).count(b"<") for name in xml)
    monkeypatch.setattr(word, "MAX_TAGS", tags)
    assert read(tmp_path / "a.docx", content)[0].strip() == "One."
    monkeypatch.setattr(word, "MAX_TAGS", tags - 1)
    with pytest.raises(Refused, match=f"has more than {tags - 1:,} XML tags; split it"):
        read(tmp_path / "a.docx", content)
