"""Searches spaces and shows what was found, page by page."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services.search_excerpts import Excerpt, Words, excerpts
from runtime.store.search_index import finding
from runtime.store.search_index.finding import Hit, Matches, PageRow, Scope
from runtime.store.search_index.writing import read_content

SECTIONS = 3
"""Sections of a page that are shown."""
PAGES, FEWEST_PAGES = 100, 3
"""Pages of all spaces in one answer, divided among them, and how many each has at least."""
T = TypeVar("T")


class FoundPage(NamedTuple):
    """A page that was found, with what is shown of it."""

    row: PageRow
    score: int
    excerpts: Sequence[Excerpt]


class FoundSpace(NamedTuple):
    """A space with the pages that were found in it, best first."""

    space_id: str
    pages: Sequence[FoundPage]


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """One page of a list of what was found, the number of all of it, and where to go on."""

    items: Sequence[T]
    count: int
    next: str | None


def pages(session: Session, scope: Scope, query: str, cursor: str | None, limit: int) -> Found[FoundPage]:
    """Find pages, best first; raises BadRequest for a foreign cursor."""
    place = _place(cursor, "pages")
    matches = finding.search(session, scope, query)
    shown, more = _window(session, matches, place, limit)
    items = shown_pages(session, [hit for hit, _ in shown], matches)
    last = shown[-1] if more and shown else None
    return Found(items, len(matches.scores), _cursor("pages", last[0].score, last[1]) if last is not None else None)


def spaces(session: Session, scope: Scope, query: str, cursor: str | None, limit: int) -> Found[FoundSpace]:
    """Find spaces with their best pages, the space of the best one first; raises BadRequest for a foreign cursor."""
    place = _place(cursor, "spaces")
    matches = finding.search(session, scope, query)
    by_space = matches.by_space()
    ranked = sorted((-max(found.scores.values()), space_id) for space_id, found in by_space.items())
    after = [one for one in ranked if place is None or one > (-place[0], place[1])]
    chosen = after[:limit]
    many = max(FEWEST_PAGES, PAGES // max(1, len(chosen)))
    best = {space_id: [hit for hit, _ in _window(session, by_space[space_id], None, many)[0]] for _, space_id in chosen}
    shown: dict[str, list[FoundPage]] = {}
    for page in shown_pages(session, [hit for hits in best.values() for hit in hits], matches):
        shown.setdefault(page.row.space_id, []).append(page)
    items = [FoundSpace(space_id, shown[space_id]) for _, space_id in chosen if space_id in shown]
    more = len(after) > len(chosen) and bool(chosen)
    return Found(items, len(ranked), _cursor("spaces", -chosen[-1][0], chosen[-1][1]) if more else None)


def shown_pages(session: Session, hits: Sequence[Hit], matches: Matches, many: int = SECTIONS) -> list[FoundPage]:
    """Read pages with the sections that have the words of the query; one that went a moment ago is left out."""
    rows, words = finding.pages_at(session, hits), Words(matches.words)
    found = []
    for hit in hits:
        row = rows.get((hit.space_id, hit.number))
        if row is not None:
            found.append(FoundPage(row, hit.score, excerpts(read_content(row.content)[1], words, many)))
    return found


def _window(
    session: Session, matches: Matches, place: tuple[int, str] | None, limit: int
) -> tuple[list[tuple[Hit, str]], bool]:
    """Return the best hits after a place, equal ones by the ids of their pages; tells whether more come."""
    chosen: list[tuple[Hit, str]] = []
    most = place[0] if place is not None else None
    while len(chosen) <= limit and (hits := matches.best(limit + 1 - len(chosen), most)):
        ids = finding.ids_of(session, hits)
        named = [(hit, ids[hit.space_id, hit.number]) for hit in hits if (hit.space_id, hit.number) in ids]
        named.sort(key=lambda one: (-one[0].score, one[1], one[0].space_id))
        chosen += [one for one in named if place is None or (-one[0].score, one[1]) > (-place[0], place[1])]
        most = hits[-1].score - 1
    return chosen[:limit], len(chosen) > limit


def _cursor(kind: str, score: int, key: str) -> str:
    text = json.dumps([f"search {kind}", score, key], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _place(cursor: str | None, kind: str) -> tuple[int, str] | None:
    if cursor is None:
        return None
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        name, score, key = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
        if name != f"search {kind}" or type(score) is not int or not isinstance(key, str):
            raise ValueError("the place of another list")
    except (ValueError, TypeError, binascii.Error, RecursionError):
        raise errors.BadRequest(
            "not a cursor of this list; send `next.page` of the page before", field="page"
        ) from None
    return score, key
