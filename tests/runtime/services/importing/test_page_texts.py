"""Files of others are read as text, whatever they are written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.engines.separate_process.answers import Refused
from runtime.services.importing.page_texts import markdown_page, text_of

TEXT = "Café – naïve"


def written(folder: Path, content: bytes) -> Path:
    (folder / "page").write_bytes(content)
    return folder / "page"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_a_text_is_read_in_what_it_is_written_in(tmp_path: Path, encoding: str) -> None:
    assert text_of(written(tmp_path, TEXT.encode(encoding))) == TEXT


@pytest.mark.parametrize(
    ("said", "encoding", "text"),
    [
        ("iso-8859-1", "windows-1252", TEXT),
        ("ISO-8859-2", "iso-8859-2", "Zażółć"),
        ("windows-1251", "windows-1251", "Привет"),
        ("Shift_JIS", "cp932", "日本語①"),
        ("gb2312", "gb18030", "简体中文"),
        ("unicode_escape", "windows-1252", TEXT),
        ("iso-8859-99", "windows-1252", TEXT),
        ("utf-8", "windows-1252", TEXT),
    ],
)
def test_a_page_says_what_it_is_written_in(tmp_path: Path, said: str, encoding: str, text: str) -> None:
    page = f'<html><head><meta charset="{said}"></head><body>{text}</body></html>'
    assert text in text_of(written(tmp_path, page.encode(encoding)))


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0", b"%PDF-1.7"])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(Refused):
        text_of(written(tmp_path, content))


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("title: Named", "Named"),
        ("title: 0", "0"),
        ("title: 2026", "2026"),
        ("title: [a, b]", "Heading"),
        ("title: {a: b}", "Heading"),
        ("title: ''", "Heading"),
        ("title: '  '", "Heading"),
        ("title: No", "Heading"),
        ("title:", "Heading"),
        ("- title", "Heading"),
        ("title: [", "Heading"),
    ],
)
def test_titles_in_front_matter_are_texts_or_numbers(front: str, title: str) -> None:
    text = markdown_page(f"---\n{front}\n---\n\n# Heading\n\nText\n", "file")
    left = "Text" if title == "Heading" else "# Heading\n\nText"
    assert (text.title, text.markdown.strip()) == (title, left)


@pytest.mark.parametrize(
    ("heading", "left"),
    [("# Named", ""), ("#  `named` #", ""), ("# Something else", "# Something else"), ("## Named", "## Named")],
)
def test_a_heading_that_says_something_else_than_the_title_stays(heading: str, left: str) -> None:
    page = markdown_page(f"---\ntitle: Named\n---\n\n{heading}\n\nText.", "Otherwise")
    assert (page.title, page.markdown.strip()) == ("Named", f"{left}\n\nText.".strip())
