"""Finds the pages that have the words of a query, and orders them by how much these say of them.

The same rows give the same order on every database. The work is bounded by the words of a query that count, by the
words of the index that each of them may stand for, and by the pages of the spaces that are searched.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.store.reach import Reach
from runtime.store.rows import visible
from runtime.store.search_index import postings
from runtime.store.search_index.among import AT_ONCE, among, of_each
from runtime.store.search_index.words import FEWEST_FORGIVEN, one_apart, words_of
from runtime.store.tables.search import SearchPageRow, SearchPostingRow, SearchSpaceRow, SearchWordRow
from runtime.store.tables.spaces import SpaceRow

MAX_WORDS = 16
"""Words of a query that count: the first ones."""
MAX_MEANT = 48
"""Words of the index that a word of a query may stand for."""
MAX_COMPARED = 2000
"""Words of the index that one with a wrong letter is compared with, on either side of its middle."""
EXACT, BEGUN, FORGIVEN = 1.0, 0.7, 0.5
"""How well a word stands for one of a query: as it is, as its beginning, except for a letter."""
PAGE_BITS = 24
_NUMBERS = (1 << PAGE_BITS) - 1
_END = b"\xff"


class Scope(NamedTuple):
    """The spaces that are searched; with `listed` only pages that visitors of sites find."""

    spaces: Sequence[str]
    listed: bool = False


class Hit(NamedTuple):
    """A page that was found, by its number in its space, with its score: a whole number, so that equal ones are."""

    score: int
    space_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Matches:
    """All pages that match; `words` tells how much each word of the index counted for the query.

    `scores` holds numbers alone, since thousands of pages may match of which few are shown: by what a page is among
    `spaces`, the place of its space and its number there in one.
    """

    spaces: Sequence[str]
    scores: Mapping[int, int]
    words: Mapping[str, float]

    def by_space(self) -> dict[str, Matches]:
        """Return the matches of each space alone."""
        apart: dict[int, dict[int, int]] = {}
        for page, score in self.scores.items():
            apart.setdefault(page >> PAGE_BITS, {})[page] = score
        return {self.spaces[place]: Matches(self.spaces, scores, self.words) for place, scores in apart.items()}

    def best(self, many: int, most: int | None = None) -> list[Hit]:
        """Return the `many` best that score at most `most`, best first, with all that score as well as the last."""
        scores = self.scores
        if most is not None:
            scores = {page: score for page, score in scores.items() if score <= most}
        highest = heapq.nlargest(many, scores.values())
        least = highest[-1] if highest else 0
        chosen = [(-score, page) for page, score in scores.items() if score >= least]
        return [self._hit(page, -score) for score, page in sorted(chosen)] if many > 0 else []

    def _hit(self, page: int, score: int) -> Hit:
        return Hit(score, self.spaces[page >> PAGE_BITS], page & _NUMBERS)


class PageRow(NamedTuple):
    """A page in the index."""

    space_id: str
    number: int
    page_id: str
    title: str
    path: str
    content: bytes
    revision: str | None


NOTHING = Matches((), {}, {})


def search(session: Session, scope: Scope, query: str, *, some: bool = False) -> Matches:
    """Find the pages that have all words of a query; with `some`, or where no page has all, those that have some."""
    asked = list(dict.fromkeys(words_of(query)))[:MAX_WORDS]
    if not asked or not scope.spaces:
        return NOTHING
    meant = [_meant(session, scope, word) for word in asked]
    weights = _weights(session, scope, sorted({word for one in meant for word in one}))
    total = max(1, _pages_in(session, scope))
    found: list[tuple[float, dict[int, float]]] = []
    counted: dict[str, float] = {}
    for one in meant:
        scores = _scores(one, weights)
        rare = math.log(1 + (total - len(scores) + 0.5) / (len(scores) + 0.5)) if total >= len(scores) else 0.01
        found.append((rare, scores))
        for word, quality in one.items():
            counted[word.decode()] = max(counted.get(word.decode(), 0.0), rare * quality)
    pages = _in_all(found) if not some else set()
    if not pages:
        pages = set().union(*(scores for _, scores in found))
    pages -= _unlisted(session, scope)
    return Matches(scope.spaces, _scored(found, pages), counted)


def spaces_seen(session: Session, reach: Reach, organization_id: str) -> list[str]:
    """List the spaces of an organization that an actor sees and that have anything to be found in them."""
    query = (
        select(SpaceRow.id)
        .join(SearchSpaceRow, SearchSpaceRow.space_id == SpaceRow.id)
        .where(SpaceRow.organization_id == organization_id, visible(SpaceRow, reach), SearchSpaceRow.pages > 0)
        .order_by(SpaceRow.id)
    )
    return list(session.scalars(query))


def pages_at(session: Session, hits: Sequence[Hit]) -> dict[tuple[str, int], PageRow]:
    """Read pages by space and number."""
    row, found = SearchPageRow, {}
    for space_id, numbers in _by_space(hits).items():
        for batch in batched(numbers, AT_ONCE):
            query = (
                select(
                    row.space_id, row.number, row.page_id, row.title, row.path, row.content, SearchSpaceRow.revision_id
                )
                .join(SearchSpaceRow, SearchSpaceRow.space_id == row.space_id)
                .where(row.space_id == space_id, among(session, row.number, batch))
            )
            for values in session.execute(query):
                found[values[0], values[1]] = PageRow(*values)
    return found


def ids_of(session: Session, hits: Sequence[Hit]) -> dict[tuple[str, int], str]:
    """Read the ids of pages by space and number."""
    row, found = SearchPageRow, {}
    for space_id, numbers in _by_space(hits).items():
        for batch in batched(numbers, AT_ONCE):
            here = (row.space_id == space_id, among(session, row.number, batch))
            for number, page_id in session.execute(select(row.number, row.page_id).where(*here)):
                found[space_id, number] = page_id
    return found


def _by_space(hits: Sequence[Hit]) -> dict[str, list[int]]:
    by_space: dict[str, list[int]] = {}
    for hit in hits:
        by_space.setdefault(hit.space_id, []).append(hit.number)
    return by_space


def _meant(session: Session, scope: Scope, word: str) -> dict[bytes, float]:
    """Return the words of the index that a word of a query stands for, and how well each does."""
    written = word.encode()
    row = SearchWordRow
    least = 1 if len(scope.spaces) <= 20 else 2
    here = among(session, row.space_id, scope.spaces)
    if len(word) <= least and word.isascii():
        query = select(row.word).where(here, row.word == written).limit(1)
    else:
        query = (
            select(row.word)
            .where(here, row.word >= written, row.word < written + _END)
            .group_by(row.word)
            .order_by(func.length(row.word), row.word)
            .limit(MAX_MEANT)
        )
    found = {one: EXACT if one == written else BEGUN for one in session.scalars(query)}
    strict = len(word) < FEWEST_FORGIVEN or any(letter.isdigit() for letter in word)
    return found if found or strict else _forgiven(session, scope, word)


def _forgiven(session: Session, scope: Scope, word: str) -> dict[bytes, float]:
    """Find what a word with one wrong letter stands for: the letters before its middle are right, or those after."""
    row, middle = SearchWordRow, len(word) // 2
    here = among(session, row.space_id, scope.spaces)
    begin, end = word[:middle].encode(), word[middle:][::-1].encode()
    exchanged = (word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]).encode()
    near = func.length(row.word).between(len(word.encode()) - 4, len(word.encode()) + 4)
    ways = (
        (row.word >= begin, row.word < begin + _END),
        (row.backward >= end, row.backward < end + _END),
        (row.word == exchanged,),
    )
    found: dict[bytes, float] = {}
    for way in ways:
        query = select(row.word).where(here, near, *way).group_by(row.word).order_by(row.word).limit(MAX_COMPARED)
        found |= {one: FORGIVEN for one in session.scalars(query) if one_apart(word, one.decode())}
    return dict(sorted(found.items())[:MAX_MEANT])


def _weights(session: Session, scope: Scope, words: Sequence[bytes]) -> dict[bytes, list[tuple[int, bytes]]]:
    """Read what words weigh: for each chunk of pages that has one, the number it begins with, and its row."""
    places = {space_id: place << PAGE_BITS for place, space_id in enumerate(scope.spaces)}
    row = SearchPostingRow
    found: dict[bytes, list[tuple[int, bytes]]] = {}
    query = select(row.space_id, row.word, row.chunk, row.entries).where(among(session, row.space_id, scope.spaces))
    for space_id, word, chunk, entries in of_each(session, query, row.word, words):
        found.setdefault(word, []).append((places[space_id] + chunk * postings.PLACES, entries))
    return found


def _scores(meant: Mapping[bytes, float], weights: Mapping[bytes, list[tuple[int, bytes]]]) -> dict[int, float]:
    """Add up what the words that one stands for weigh in each page; what is meant exactly counts by itself."""
    scores: dict[int, float] = {}
    heaviest = postings.HEAVIEST
    for quality in sorted(set(meant.values()), reverse=True):
        chunks: dict[int, list[bytes]] = {}
        for word in (word for word, other in meant.items() if other == quality):
            for begin, entries in weights.get(word, ()):
                chunks.setdefault(begin, []).append(entries)
        # Sorted, what weighs most of a page comes last and stays: to compare word by word would take longer.
        most = {
            begin + (entry >> 9): entry & heaviest
            for begin, parts in chunks.items()
            for entry in sorted(postings.unpack(b"".join(parts)))
        }
        for page, weight in most.items():
            if quality * weight > scores.get(page, 0.0):
                scores[page] = quality * weight
    return scores


def _in_all(found: Sequence[tuple[float, Mapping[int, float]]]) -> set[int]:
    ordered = sorted((scores for _, scores in found), key=len)
    pages = set(ordered[0])
    for scores in ordered[1:]:
        pages &= scores.keys()
    return pages


def _scored(found: Sequence[tuple[float, Mapping[int, float]]], pages: set[int]) -> dict[int, int]:
    """Score pages: what rare words weigh counts more, and having few of the words counts less."""
    if len(found) == 1:
        ((rare, scores),) = found
        return {page: round(rare * scores[page] * 1000) for page in pages}
    totals = dict.fromkeys(pages, 0.0)
    covered = dict.fromkeys(pages, 0.0)
    whole = sum(rare for rare, _ in found) or 1.0
    for rare, scores in found:
        for page in pages if len(pages) < len(scores) else scores.keys() & pages:
            weight = scores.get(page)
            if weight is not None:
                totals[page] += rare * weight
                covered[page] += rare
    return {page: round(total * (covered[page] / whole) * 1000) for page, total in totals.items()}


def _pages_in(session: Session, scope: Scope) -> int:
    query = select(func.sum(SearchSpaceRow.pages)).where(among(session, SearchSpaceRow.space_id, scope.spaces))
    return int(session.scalar(query) or 0)


def _unlisted(session: Session, scope: Scope) -> set[int]:
    if not scope.listed:
        return set()
    places = {space_id: place << PAGE_BITS for place, space_id in enumerate(scope.spaces)}
    row = SearchPageRow
    query = select(row.space_id, row.number).where(among(session, row.space_id, scope.spaces), text("NOT listed"))
    return {places[space_id] + number for space_id, number in session.execute(query)}
