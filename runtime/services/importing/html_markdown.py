"""Converts untrusted HTML to Markdown: the main text of a page, without scripts, navigation and the like."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from markdownify import ATX, MarkdownConverter

from runtime.engines.separate_process.answers import Refused
from runtime.services.importing.admonitions import ADMONITIONS
from runtime.services.importing.foreign_html import CHECKED, UNCHECKED, classes_of, language_of, tidy
from runtime.services.importing.html_tables import inner_of, table_of
from runtime.services.importing.html_tree import every, parsed, without
from runtime.services.importing.iframes import rewrite_iframes
from runtime.services.importing.pictures_in_html import Keep
from runtime.services.importing.transfer import clean
from runtime.services.markdown.attributes import write_attributes
from runtime.services.markdown.links import is_safe

NEVER = (
    "script", "style", "template", "iframe", "object", "embed", "applet", "svg", "math", "canvas", "form",
    "button", "select", "textarea", "link", "meta", "base", "frame", "frameset", "audio", "video", "dialog",
)  # fmt: skip
AROUND = ("nav", "header", "footer", "aside")
"""What stands around the text of a page of a website."""
MAINS = ("main", "[role=main]", "article", "#main-content", "#content", ".markdown-body")


class HtmlPage(NamedTuple):
    """A page: title, Markdown, and the addresses of its links and pictures, in document order."""

    title: str
    markdown: str
    links: list[str]
    pictures: list[str]
    description: str | None = None


def read_html(
    source: str,
    *,
    alone: bool,
    title: str = "",
    main: str | None = None,
    keep: Keep | None = None,
    title_from_head: bool = False,
) -> HtmlPage:
    """Convert a page; without `alone`, everything around the main text is dropped.

    `title` is the fallback title, `main` selects the main text, `keep` stores embedded pictures. With `title_from_head`
    the title comes from the head, and all headings stay. Raises `Refused`.
    """
    soup = parsed(source)
    links = [str(link["href"]) for link in every(soup, "a") if link.get("href")]
    classes = classes_of(soup)
    rewrite_iframes(soup)
    without(every(soup, *NEVER))
    called = soup.title.get_text(" ", strip=True) if soup.title is not None else ""
    if soup.head is not None:
        _without_head(soup, soup.head)
    body: Any = soup.select_one(main) if main is not None else None
    if body is None and not alone:
        body = next((found for name in MAINS if (found := soup.select_one(name)) is not None), None)
        without([element for element in every(body or soup, *AROUND) if not element.css.match(ADMONITIONS)])
    body = body or soup.body or soup
    description = None
    heading = body.find("p", class_="title", recursive=False) if alone else None
    under = body.find("p", class_="subtitle", recursive=False) if heading is not None else None
    if heading is None:
        heading = body.find("h1")
        if title_from_head and called and heading is not None and heading.get_text(" ", strip=True) != called:
            heading = None
    if heading is not None and heading.get_text(strip=True):
        called = heading.get_text(" ", strip=True)
        called = called.rstrip("¶#\u200b ") or called
        heading.decompose()
    if under is not None and under.get_text(strip=True):
        description = " ".join(clean(under.get_text(" ", strip=True)).split())
        under.decompose()
    tidy(soup, body, classes, keep)
    pictures = [str(image["src"]) for image in every(body, "img")]
    try:
        text = _Converter(heading_style=ATX, bullets="*", code_language_callback=language_of).convert_soup(body)
    except RecursionError:  # a few hundred nested elements, which the library goes through by recursion
        raise Refused("html", "A page has elements that are nested too deeply.") from None
    return HtmlPage(" ".join(clean(called or title).split()), text.strip() + "\n", links, pictures, description)


def _without_head(soup: Any, head: Any) -> None:
    """Remove the head, but keep unknown elements that the parser puts into a head that is not closed."""
    for name in head.find_all("title"):
        name.decompose()
    if head.find(True) is not None and soup.body is not None:
        for child in reversed(list(head.contents)):
            soup.body.insert(0, child)
    if head.find(True) is not None:
        head.name = "body"
    else:
        head.decompose()


SIZE = re.compile(r"[0-9]{1,5}%?")
IN_ALT = re.compile(r"[\[\]\\<]")


class _Converter(MarkdownConverter):
    """Converts HTML to Markdown and escapes everything that Markdown would interpret."""

    def escape(self, text: str, parent_tags: Any) -> str:
        """Escape what the library escapes, and tags of HTML and of the platform."""
        escaped: str = super().escape(text, parent_tags)  # type: ignore[misc]  # its stubs are behind
        escaped = re.sub(r"(?<!\\)([<{$`])", r"\\\1", escaped)
        return escaped.replace(CHECKED, "[x] ").replace(UNCHECKED, "[ ] ")

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
        """Write a picture, as HTML if it has a size, which Markdown cannot express."""
        src = _target(el.get("src"))
        if src is None or not is_safe({"kind": "url", "url": el.get("src")}):
            return ""
        alt = " ".join(clean(str(el.get("alt") or "")).split())
        sizes = {side: str(el.get(side) or "").removesuffix("px") for side in ("width", "height")}
        sizes = {side: size for side, size in sizes.items() if SIZE.fullmatch(size)}
        if sizes and "_noformat" not in parent_tags:
            return f"<img{write_attributes({'src': str(el['src']).strip(), 'alt': alt, **sizes})}>"
        return f"![{re.sub(IN_ALT, _escaped, alt)}]({src})"

    def convert_figure(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write a picture with its caption in one line."""
        # A figure in another figure becomes text, as each would search everything inside it.
        plain = "figure" in parent_tags or "_inline" in parent_tags or el.find(("pre", "table")) is not None
        image, caption = (None, None) if plain else (el.find("img"), el.find("figcaption"))
        if image is None:
            return f"\n\n{text.strip()}\n\n" if text.strip() else ""
        if not is_safe({"kind": "url", "url": image.get("src")}):
            return ""
        said = {"src": str(image["src"]).strip(), "alt": " ".join(clean(str(image.get("alt") or "")).split())}
        for side in ("width", "height"):
            size = str(image.get(side) or "").removesuffix("px")
            said |= {side: size} if SIZE.fullmatch(size) else {}
        inner = inner_of(caption) if caption is not None else ""
        under = f"<figcaption><p>{inner}</p></figcaption>" if inner else ""
        return f"\n\n<figure><img{write_attributes(said)}>{under}</figure>\n\n"

    def convert_table(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write a table as HTML, whose cells may hold more than those of Markdown."""
        return f"\n\n{table_of(el)}\n\n"

    def convert_hint(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write a hint of the platform."""
        return f'\n\n{{% hint style="{el["data-style"]}" %}}\n{text.strip()}\n{{% endhint %}}\n\n'

    def convert_details(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write an expandable section; one in the title of another becomes text."""
        if "summary" in parent_tags:
            return text
        summary = el.find("summary", recursive=False)
        title = inner_of(summary) if summary is not None else ""
        return f"\n\n<details>\n\n<summary>{title}</summary>\n\n{text.strip()}\n\n</details>\n\n"

    def convert_summary(self, el: Any, text: str, parent_tags: Any) -> str:
        """Leave out a title that `convert_details` writes."""
        return "" if el.parent is not None and el.parent.name == "details" else text

    def convert_note(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write a footnote."""
        inner = text.strip().replace("\n", "\n    ")
        return f"\n\n[^{el['label']}]: {inner}\n\n"

    def convert_sup(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write superscript."""
        return f"<sup>{text}</sup>" if text.strip() and "_noformat" not in parent_tags else text

    def convert_sub(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write subscript."""
        return f"<sub>{text}</sub>" if text.strip() and "_noformat" not in parent_tags else text

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:
        """Write code between fences longer than any in it; code inside code is a part of it."""
        if "pre" in parent_tags:
            return text
        code = el.get_text().removeprefix("\n").rstrip("\n")
        longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
        fence = "`" * (longest + 1)
        written = f"{fence}{language_of(el)}\n{code}\n{fence}"
        title = el.get("data-title")
        if title:
            written = f"{{% code{write_attributes({'title': str(title)})} %}}\n{written}\n{{% endcode %}}"
        return f"\n\n{written}\n\n"

    def get_conv_fn(self, tag_name: str) -> Any:
        """Return the function that converts an element; a name with a hyphen cannot be that of a method."""
        return HYPHENATED.get(tag_name) or super().get_conv_fn(tag_name)  # type: ignore[misc]  # its stubs are behind

    def convert_hN(self, n: int, el: Any, text: str, parent_tags: Any) -> str:
        """Write a heading with its id."""
        if not text.strip():
            return ""
        written: str = super().convert_hN(n, el, text, parent_tags)  # type: ignore[misc]
        name = el.get("id")
        if not name or "_inline" in parent_tags or not written.strip().startswith("#"):
            return written
        return f'\n\n{written.strip()} <a href="#{name}" id="{name}"></a>\n\n'


def _note_ref(el: Any, text: str, parent_tags: Any) -> str:
    return f"[^{el['label']}]"


def _shown_page(el: Any, text: str, parent_tags: Any) -> str:
    return f"\n\n{{% embed{write_attributes({'url': str(el['data-url'])})} %}}\n\n"


HYPHENATED = {"note-ref": _note_ref, "shown-page": _shown_page}


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def _target(value: Any) -> str | None:
    target = re.sub(r"[\x00-\x20]+", " ", str(value or "")).strip()
    return "<" + re.sub(r"([<>\\])", lambda sign: f"%{ord(sign[1]):02X}", target) + ">" if target else None
