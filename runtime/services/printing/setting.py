"""Sets a book as PDF, in a process of its own: no network, and no file but those beside the book."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import escape

from runtime.contract.inclusions import Inclusions
from runtime.contract.url_parts import split_url
from runtime.engines.separate_process.answers import Refused
from runtime.services.html.coloring import Coloring
from runtime.services.html.targets import Ref
from runtime.services.html.writing import html_of
from runtime.services.printing.drawings import Drawings
from runtime.services.printing.formulas import DrawnFormulas

BOOK, PDF = "book.json", "made.pdf"
HERE = Path(__file__).parent
PICTURES = f"picture:{secrets.token_hex(8)}:"
"""How the addresses of pictures begin: each process has its own, so that no drawing can name another picture."""
SECONDS_OF_COLORS = 30.0
"""For the codes of a whole book: one process makes it, and ends with it."""


class BookTargets:
    """Where references lead within a book: to a page of it, or to an address; nowhere else."""

    def __init__(
        self,
        book: Mapping[str, Any],
        page_id: str,
        formulas: DrawnFormulas,
        coloring: Coloring,
        drawings: Drawings,
    ) -> None:
        """Take the book, the page that is being written, and what draws and colors all its pages."""
        self._book, self._page, self._formulas, self._coloring = book, page_id, formulas, coloring
        self._drawings = drawings
        self._inclusions = Inclusions()
        self._here = {page["id"] for page in book["pages"]}

    def href(self, ref: Ref) -> str | None:
        """Lead to a page of the book, or to an address of the web."""
        kind = ref.get("kind")
        if kind == "url":
            url = ref.get("url")
            return url if isinstance(url, str) and _leads_out(url) else None
        page_id = ref.get("page", self._page if kind == "anchor" else None)
        if kind not in ("page", "anchor") or "space" in ref or page_id not in self._here:
            return None
        return f"#{_anchor(page_id, str(ref.get('anchor') or ''))}"

    def image(self, ref: Ref) -> str | None:
        """Show a picture that lies beside the book, if there is time to print it."""
        named = self._book["pictures"].get(_picture_key(ref))
        url = f"{PICTURES}{named}"
        return url if named and self._drawings.take(named, url) else None

    def title(self, ref: Ref) -> str | None:
        """Say what a page, file or person is called."""
        kind = ref.get("kind")
        if kind == "user":
            person: str | None = self._book["people"].get(ref.get("user"))
            return person
        if kind == "file":
            file = self._book["files"].get(ref.get("file"))
            return file["name"] if file else None
        title: str | None = self._book["titles"].get(ref.get("page"))
        return title

    def icon(self, name: str) -> str:
        """Return that no icon is drawn."""
        return ""

    def leaves(self, href: str) -> bool:
        """Return that no link does: there are no tabs."""
        return False

    def anchor(self, name: str) -> str:
        """Return the id of an element that is of one page alone."""
        return _anchor(self._page, name)

    def formula(self, tex: str, *, display: bool) -> str | None:
        """Draw a formula."""
        return self._formulas.svg(tex, display=display)

    def colored(self, code: str, syntax: str) -> str:
        """Color code while there is time."""
        return self._coloring.html(code, syntax)

    def block(self, node: Mapping[str, Any]) -> str | None:
        """Include a content; a block of an integration is said to be there."""
        data = node.get("data")
        data = data if isinstance(data, dict) else {}
        if node.get("type") == "reusable-content":
            ref = data.get("ref")
            named = ref.get("reusableContent") if isinstance(ref, dict) else None
            document = self._book["contents"].get(named)
            with self._inclusions.of(str(named)) as allowed:
                if document is None or not allowed:
                    return ""
                return self._inclusions.fits(html_of(document, self))
        if node.get("type") == "integration":
            name = f"{data.get('integration')}/{data.get('block')}"
            url = data.get("url")
            link = (
                f' <a href="{escape(url)}">{escape(url)}</a>' if url and self.href({"kind": "url", "url": url}) else ""
            )
            return f'<p class="embed">{escape(name)}{link}</p>'
        return None


def set_book(folder: Path, arguments: Mapping[str, Any]) -> dict[str, int]:
    """Set `book.json` of a folder as `made.pdf`; raises `Refused` where the machine has no fonts."""
    try:
        from weasyprint import CSS, HTML
        from weasyprint.text.fonts import FontConfiguration
        from weasyprint.urls import URLFetcher, URLFetcherResponse
    except (ImportError, OSError) as error:
        raise Refused("no-library", f"PDF needs WeasyPrint with Pango: {str(error).splitlines()[0]}") from None
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    logging.getLogger("fontTools").setLevel(logging.CRITICAL)
    book = json.loads((folder / BOOK).read_text(encoding="utf-8"))

    class BesideTheBook(URLFetcher):  # type: ignore[misc]  # the library has no types
        """Gives pictures that lie beside the book; nothing else is ever read."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            name = url.removeprefix(PICTURES)
            if not url.startswith(PICTURES) or name not in book["picture_types"] or Path(name).name != name:
                raise ValueError(f"not part of the book: {url[:100]}")
            content = (folder / name).read_bytes()
            return URLFetcherResponse(url, content, {"Content-Type": book["picture_types"][name]})

    fonts, fetcher = FontConfiguration(), BesideTheBook()
    style = CSS(string=(HERE / "book.css").read_text(encoding="utf-8"), font_config=fonts, url_fetcher=fetcher)
    html = HTML(string=_whole(book, Drawings(folder)), url_fetcher=fetcher, base_url=None)
    document = html.render(stylesheets=[style], font_config=fonts)
    document.write_pdf(folder / PDF)
    return {"pages": len(document.pages)}


def picture_key(ref: Ref) -> str:
    """Name a picture among those of a book."""
    return _picture_key(ref)


def _leads_out(url: str) -> bool:
    try:
        return split_url(url).scheme in ("http", "https", "mailto", "tel")
    except ValueError:  # an author may write anything there
        return False


def _picture_key(ref: Ref) -> str:
    return f"{ref.get('kind')} {ref.get('file') or ref.get('url')}"


def _anchor(page_id: str, name: str) -> str:
    return f"page-{page_id}" + (f"--{name}" if name else "")


def _whole(book: Mapping[str, Any], drawings: Drawings) -> str:
    title = escape(book["title"])
    parts = [f"<html lang=en><head><title>{title}</title></head><body>"]
    if len(book["pages"]) > 1:
        parts.append(f'<header class="cover"><h1>{title}</h1></header>{_contents(book["pages"])}')
    formulas, coloring = DrawnFormulas(), Coloring(SECONDS_OF_COLORS)
    for page in book["pages"]:
        rank = min(6, page["depth"] + 1)
        head = f'<h{rank} class="title" id="{escape(_anchor(page["id"], ""))}">{escape(page["title"])}</h{rank}>'
        lead = f'<p class="lead">{escape(page["description"])}</p>' if page["description"] else ""
        targets = BookTargets(book, page["id"], formulas, coloring, drawings)
        text = html_of(page["document"], targets, heading=rank + 1)
        parts.append(f'<article class="{page["type"]}">{head}{lead}{text}</article>')
    return "".join((*parts, "</body></html>"))


def _contents(pages: list[dict[str, Any]]) -> str:
    lines = [
        f'<li class="depth-{min(6, page["depth"])}"><a href="#{escape(_anchor(page["id"], ""))}">'
        f"{escape(page['title'])}</a></li>"
        for page in pages
    ]
    return f'<nav class="contents"><h2>Contents</h2><ul>{"".join(lines)}</ul></nav>'
