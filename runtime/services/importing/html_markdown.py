"""HTML of others -> Markdown: what is to be read of a page, without what runs, and without what is around it."""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

from bs4 import BeautifulSoup, Comment, Doctype, ProcessingInstruction, XMLParsedAsHTMLWarning
from bs4.element import Tag
from markdownify import ATX, MarkdownConverter

from runtime.engines.apart.answers import Refused
from runtime.services.importing.handing_over import clean
from runtime.services.markdown.links import is_safe

NEVER = (
    "script", "style", "template", "noscript", "iframe", "object", "embed", "applet", "svg", "math", "canvas", "form",
    "button", "select", "textarea", "link", "meta", "base", "frame", "frameset", "audio", "video", "dialog",
)  # fmt: skip
AROUND = ("nav", "header", "footer", "aside")
"""What stands around the text of a page of a website."""
MAINS = ("main", "[role=main]", "article", "#main-content", "#content", ".markdown-body")
MAX_ELEMENTS = 200_000
DEEPEST = 400
LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|brush:)-?\s*([\w+#.-]{1,40})")


class HtmlPage(NamedTuple):
    """A page: its title, its text as Markdown, and where its links lead, in their order, and where its pictures are."""

    title: str
    markdown: str
    links: list[str]
    pictures: list[str]


def read_html(source: str, *, alone: bool, title: str = "", main: str | None = None) -> HtmlPage:
    """Read a page; with `alone` all of it is text, else what stands around its text is left out.

    `title` is used where it has none, `main` selects its text. Raises `Refused`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)
        soup = BeautifulSoup(source, "html.parser")
    check_size(soup)
    links = [str(link["href"]) for link in soup.find_all("a", href=True)]
    for element in soup.find_all(NEVER):
        element.decompose()
    for comment in soup.find_all(string=lambda one: isinstance(one, (Comment, Doctype, ProcessingInstruction))):
        comment.extract()
    named = soup.title.get_text(" ", strip=True) if soup.title is not None else ""
    if soup.head is not None:
        soup.head.decompose()
    body: Any = soup.select_one(main) if main is not None else None
    if body is None and not alone:
        body = next((found for name in MAINS if (found := soup.select_one(name)) is not None), None)
        for element in (body or soup).find_all(AROUND):
            element.decompose()
    body = body or soup.body or soup
    heading = body.find("h1")
    if heading is not None and heading.get_text(strip=True):
        named = heading.get_text(" ", strip=True)
        heading.decompose()
    _prepare(soup, body)
    pictures = [str(image["src"]) for image in body.find_all("img")]
    text = _Converter(heading_style=ATX, bullets="*", code_language_callback=_language).convert_soup(body)
    return HtmlPage(" ".join(clean(named or title).split()), text.strip() + "\n", links, pictures)


def check_size(soup: BeautifulSoup) -> None:
    """Raise `Refused` for more elements, or deeper ones, than anybody writes."""
    waiting: list[tuple[Any, int]] = [(soup, 0)]
    count = 0
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if depth > DEEPEST or count > MAX_ELEMENTS:
            raise Refused("html", f"A page has more than {MAX_ELEMENTS} elements, or {DEEPEST} in each other.")
        waiting += [(child, depth + 1) for child in node.children if isinstance(child, Tag)]


def _prepare(soup: BeautifulSoup, body: Any) -> None:
    for box in body.find_all("input"):
        item = box.find_parent("li")
        if box.get("type") == "checkbox" and item is not None:
            box.replace_with("\ue000" if box.has_attr("checked") else "\ue001")
        else:
            box.decompose()
    for item in body.find_all("li", class_=re.compile("checked|task")):  # lists of tasks as Confluence has them
        if item.find_parent(class_="inline-task-list") is not None:
            item.insert(0, "\ue000" if "checked" in item.get("class", []) else "\ue001")
    for image in body.find_all("img"):
        if not image.get("src") or str(image["src"]).startswith("data:"):
            image.decompose()


def _language(element: Any) -> str:
    for one in (element, element.find("code"), element.parent):
        if one is None:
            continue
        names = " ".join(one.get("class") or [])
        found = LANGUAGE.search(names)
        if found:
            return found[1]
    return ""


class _Converter(MarkdownConverter):
    """Writes text so that Markdown finds nothing in it that HTML did not say."""

    def escape(self, text: str, parent_tags: Any) -> str:
        """Escape what the library does, tags in angle brackets and those of the platform."""
        escaped: str = super().escape(text, parent_tags)  # type: ignore[misc]  # its stubs are behind
        escaped = re.sub(r"(?<!\\)([<{$`])", r"\\\1", escaped)
        return escaped.replace("\ue000", "[x] ").replace("\ue001", "[ ] ")

    def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write a link, its target in angle brackets."""
        href, said = _target(el.get("href")), text.strip()
        if (
            "_noformat" in parent_tags
            or href is None
            or not said
            or not is_safe({"kind": "url", "url": el.get("href")})
        ):
            return text
        return f"[{said}]({href})"

    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write a picture."""
        src = _target(el.get("src"))
        alt = re.sub(r"([\[\]\\<])", r"\\\1", " ".join(clean(str(el.get("alt") or "")).split()))
        return f"![{alt}]({src})" if src is not None and is_safe({"kind": "url", "url": el.get("src")}) else ""


def _target(value: Any) -> str | None:
    target = re.sub(r"[\x00-\x20]+", " ", str(value or "")).strip()
    return "<" + re.sub(r"([<>\\])", lambda sign: f"%{ord(sign[1]):02X}", target) + ">" if target else None
