"""Reads one file as text, and as a title with Markdown."""

from __future__ import annotations

import codecs
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from bs4.dammit import EncodingDetector

from runtime.engines.separate_process.answers import Refused
from runtime.services.folders.titles import without_closing
from runtime.services.importing.html_markdown import read_html
from runtime.services.importing.pictures_in_html import Keep
from runtime.services.importing.transfer import clean

MAX_PAGE = 16 << 20
"""Bytes of a page."""
FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
TOML_FRONT = re.compile(r"\A\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
MODULE = re.compile(r"\s*(?:import|export) ")
PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n")
COMPONENT = re.compile(r"^ {0,3}<[A-Z][A-Za-z0-9.]{0,100}[\s/>]", re.MULTILINE)
TITLE = re.compile(r"\A\s*#[ \t]+(\S[^\n]*)(?:\n|\Z)")
CHARSET = re.compile(
    r"(?:iso-?8859-|windows-|koi8-)[a-z0-9]{1,6}|shift[-_]jis|euc-(?:jp|kr)|big5|gbk|gb2312|gb18030", re.IGNORECASE
)
"""Encodings that a page may declare; Python has others, which are not meant for text."""
USUAL = "windows-1252"
WIDER = {"iso8859-1": USUAL, "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932"}
"""Declared encodings -> the larger ones that browsers read instead."""
LONGEST_READ = 2000
"""Characters of a heading that are read for a title, which has fewer."""
FLAGS = {"hidden": "hidden", "noIndex": "no_index", "noRobotsIndex": "no_robots_index"}
"""Key of front matter -> the field that it sets."""
HIDES = {"draft": True, "unlisted": True, "published": False}
"""Key of front matter of Hugo, Docusaurus and Jekyll -> its value on pages that are not for everybody."""
MARKS = re.compile(r"[*_`\\]|!?\[([^\]]*)\]\([^)]*\)")


class Text(NamedTuple):
    """A page: its title, Markdown, and front matter."""

    title: str
    markdown: str
    description: str | None = None
    hidden: bool | None = None
    no_index: bool | None = None
    no_robots_index: bool | None = None
    slug: str | None = None


def text_of(path: Path) -> str:
    """Read a file as text; raises `Refused` if it is not text or too large."""
    content = path.read_bytes() if path.stat().st_size <= MAX_PAGE else None
    if content is None:
        raise Refused("too-large", f"A page is larger than {MAX_PAGE >> 20} MB; split it.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:8192] or content.startswith(b"%PDF"):
        raise Refused("type", "This is not text, regardless of the declared type.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode(_charset_in(content), "replace")


def _charset_in(content: bytes) -> str:
    """Return the encoding of text that is not UTF-8: the one its HTML declares, else `USUAL`, as in browsers."""
    said = EncodingDetector.find_declared_encoding(content, is_html=True)
    if said is None or not CHARSET.fullmatch(said):
        return USUAL
    try:
        name = codecs.lookup(said).name
    except LookupError:
        return USUAL
    return WIDER.get(name, name)


def markdown_page(source: str, title: str, *, mdx: bool = False) -> Text:
    """Extract the title of Markdown from its front matter, else its first heading, else use `title`.

    The heading leaves the text where the title says the same. Of MDX, imports and exports before the text are dropped.
    """
    description, slug, flags = None, None, dict[str, bool]()
    said, source = _front_matter(source)
    source = _without_modules(source) if mdx else source
    named = False
    if isinstance(said, dict):
        given = said.get("title")
        named = isinstance(given, str | int | float) and not isinstance(given, bool) and str(given).strip() != ""
        title = str(said["title"]) if named else title
        description = said["description"] if isinstance(said.get("description"), str) else None
        if isinstance(said.get("slug"), str):  # some name a whole path
            slug = clean(said["slug"]).strip("/").rpartition("/")[2] or None
        flags = {field: said[key] for key, field in FLAGS.items() if isinstance(said.get(key), bool)}
        if any(said.get(key) is value for key, value in HIDES.items()):
            flags["hidden"] = True
    heading = TITLE.match(source)
    if heading is not None:
        written = MARKS.sub(lambda found: found[1] or "", without_closing(heading[1])[:LONGEST_READ])
        if not named:
            title = written or title
        if not named or _words(written).casefold() == _words(title).casefold():
            source = source[heading.end() :]
    return Text(
        _words(title),
        source,
        clean(description) if description else None,
        hidden=flags.get("hidden"),
        no_index=flags.get("no_index"),
        no_robots_index=flags.get("no_robots_index"),
        slug=slug,
    )


def _front_matter(source: str) -> tuple[Any, str]:
    """Split front matter, in YAML or (Hugo) in TOML, from the text; what cannot be read is left out."""
    for pattern, load in ((FRONT, yaml.safe_load), (TOML_FRONT, tomllib.loads)):
        front = pattern.match(source)
        if front is None:
            continue
        said: Any = {}
        if len(front[1]) < 20_000:
            try:
                said = load(front[1])
            except (yaml.YAMLError, RecursionError, ValueError):
                said = {}
        return said, source[front.end() :]
    return {}, source


def _without_modules(source: str) -> str:
    """Drop the paragraphs that begin an MDX page and import or export something."""
    at = 0
    while (start := MODULE.match(source, at)) is not None:
        end = PARAGRAPH_END.search(source, start.end())
        at = end.end() if end is not None else len(source)
    return source[at:]


def _words(title: str) -> str:
    return " ".join(clean(title).split())


def html_page(
    source: str, title: str, main: str | None = None, keep: Keep | None = None, *, title_from_head: bool = False
) -> Text:
    """Read HTML as Markdown with a title, as `read_html` does. Raises `Refused`."""
    page = read_html(source, alone=True, title=title, main=main, keep=keep, title_from_head=title_from_head)
    return Text(page.title, page.markdown, page.description)
