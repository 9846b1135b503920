"""What was found, as the contract shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol
from urllib.parse import quote

from runtime.contract.addresses import Addresses
from runtime.contract.document_sections import Section
from runtime.contract.search import FoundUrls, Highlight, SearchPageResult, SearchSectionResult
from runtime.store.search_index.finding import PageRow


class Shown(Protocol):
    """The part of a section that is shown, and where in it the words are."""

    @property
    def section(self) -> Section: ...
    @property
    def body(self) -> str: ...
    @property
    def found(self) -> Sequence[tuple[int, int]]: ...


def page(at: Addresses, row: PageRow, sections: Iterable[Shown]) -> SearchPageResult:
    """Show a page; what stands before its first heading has the id, the title and the path of the page."""
    address = at.app("spaces", row.space_id, "pages", row.page_id)
    return SearchPageResult(
        id=row.page_id,
        title=row.title,
        path=row.path,
        sections=[
            SearchSectionResult(
                id=one.section.anchor or row.page_id,
                title=one.section.title or row.title,
                path=row.path + _fragment(one.section),
                body=one.body,
                highlights=_highlights(one),
                urls=FoundUrls(app=address + _fragment(one.section)),
            )
            for one in sections
        ],
        urls=FoundUrls(app=address),
    )


def _fragment(section: Section) -> str:
    return f"#{quote(section.anchor, safe='')}" if section.anchor else ""


def _highlights(one: Shown) -> list[Highlight]:
    if one.body.isascii():
        return [Highlight(offset=begin, length=end - begin) for begin, end in one.found]
    return [Highlight(offset=_units(one.body[:begin]), length=_units(one.body[begin:end])) for begin, end in one.found]


def _units(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
