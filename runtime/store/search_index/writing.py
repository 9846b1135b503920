"""Updates the index of a space, a few pages at a time.

What a change takes is read before its transaction opens. The space's generation tells then whether anything else was
written meanwhile: of two processes that change one index at the same time, one begins again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import and_, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.contract.document_sections import Section
from runtime.store.database import Table, now
from runtime.store.inserting import insert_into
from runtime.store.search_index import postings
from runtime.store.search_index.among import of_each
from runtime.store.tables.search import SearchPageRow, SearchPostingRow, SearchSpaceRow, SearchWordRow
from runtime.store.tables.spaces import SpaceRow

VERSION = 3
"""Of the form of the index: what another release wrote is made again."""
AT_ONCE = 500
"""Values in one statement."""
CLEARED = 4000
"""Rows of a kind that are removed in one transaction."""


class IndexedPage(NamedTuple):
    """A page as the index holds it."""

    page_id: str
    fingerprint: bytes
    drawn: bytes | None
    listed: bool
    title: str
    path: str
    description: str
    sections: Sequence[Section]

    @property
    def weights(self) -> dict[str, int]:
        """What each word says of the page."""
        return postings.weights_of(self.title, self.description, self.sections)


class Known(NamedTuple):
    """What tells whether a page is in the index as it should be, and its number there."""

    number: int
    fingerprint: bytes
    drawn: bytes | None


class State(NamedTuple):
    """How far the index of a space is, and what the space shows now; `wanted` is None for a deleted one."""

    organization_id: str
    wanted: str | None
    revision: str | None
    version: int
    generation: int | None


@dataclass
class Change:
    """What one transaction writes, made for one generation of the index."""

    space_id: str
    generation: int
    pages: list[dict[str, Any]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    words: list[dict[str, Any]] = field(default_factory=list)
    emptied: list[tuple[bytes, int]] = field(default_factory=list)


def outdated(session: Session, since: datetime | None, limit: int) -> list[tuple[str, str]]:
    """List spaces whose index says something else than they do, with their organizations; the last changed first.

    With `since` only among those that changed after a moment. What another process works on is left out.
    """
    other = or_(SearchSpaceRow.revision_id.is_distinct_from(SpaceRow.revision_id), SearchSpaceRow.version != VERSION)
    missing = and_(SpaceRow.deleted_at.is_(None), or_(SearchSpaceRow.space_id.is_(None), other))
    left_over = and_(SpaceRow.deleted_at.is_not(None), SearchSpaceRow.space_id.is_not(None))
    free = or_(SearchSpaceRow.leased_until.is_(None), SearchSpaceRow.leased_until < now())
    query = (
        select(SpaceRow.id, SpaceRow.organization_id)
        .outerjoin(SearchSpaceRow, SearchSpaceRow.space_id == SpaceRow.id)
        .where(or_(missing, left_over), free)
        .order_by(SpaceRow.updated_at.desc())
        .limit(limit)
    )
    if since is not None:
        query = query.where(SpaceRow.updated_at >= since)
    return [(space, organization) for space, organization in session.execute(query)]


def state_of(session: Session, space_id: str) -> State | None:
    """Read how far the index of a space is; None for a space that is gone."""
    query = (
        select(
            SpaceRow.organization_id,
            SpaceRow.revision_id,
            SpaceRow.deleted_at,
            SearchSpaceRow.revision_id,
            SearchSpaceRow.version,
            SearchSpaceRow.generation,
        )
        .outerjoin(SearchSpaceRow, SearchSpaceRow.space_id == SpaceRow.id)
        .where(SpaceRow.id == space_id)
    )
    row = session.execute(query).first()
    if row is None:
        return None
    return State(row[0], None if row[2] is not None else row[1], row[3], row[4] or 0, row[5])


def begin(session: Session, space_id: str) -> None:
    """Give a space an index with nothing in it, unless it has one."""
    values = {"space_id": space_id, "version": VERSION, "generation": 0, "pages": 0}
    session.execute(_insert(session, SearchSpaceRow).values(values).on_conflict_do_nothing())


def known(session: Session, space_id: str) -> dict[str, Known]:
    """Read what is known of the pages of a space, by their ids."""
    row = SearchPageRow
    query = select(row.page_id, row.number, row.fingerprint, row.drawn).where(row.space_id == space_id)
    return {one.page_id: Known(one.number, one.fingerprint, one.drawn) for one in session.execute(query)}


def prepare(
    session: Session, space_id: str, generation: int, pages: Iterable[IndexedPage], gone: Iterable[str]
) -> Change:
    """Make a change of the index: these pages as they are now, and without those that are gone."""
    change = Change(space_id, generation, gone=list(gone))
    new = {page.page_id: page for page in pages}
    before = _stored(session, space_id, [*new, *change.gone])
    numbers = {page_id: number for page_id, (number, _) in before.items()}
    free = _free_numbers(session, space_id, len(new))
    deltas: dict[int, dict[str, dict[int, int]]] = {}
    for number, old in before.values():
        chunk = deltas.setdefault(number // postings.PLACES, {})
        for word in old.weights:
            chunk.setdefault(word, {})[number % postings.PLACES] = 0
    for page_id, page in new.items():
        number = numbers[page_id] if page_id in numbers else next(free)
        change.pages.append(_row(space_id, number, page))
        chunk = deltas.setdefault(number // postings.PLACES, {})
        for word, weight in page.weights.items():
            chunk.setdefault(word, {})[number % postings.PLACES] = weight
    for number, changed in sorted(deltas.items()):
        _merge(session, change, number, changed)
    return change


def write(session: Session, change: Change, revision: str | None, leased_until: datetime | None) -> bool:
    """Write a change; returns whether it still applied. `revision` is what the index says whole then, if anything."""
    space_id = change.space_id
    same = (SearchSpaceRow.space_id == space_id, SearchSpaceRow.generation == change.generation)
    values: dict[str, Any] = {"generation": change.generation + 1, "leased_until": leased_until}
    if revision is not None:
        values["revision_id"] = revision
    if session.execute(_unfetched(update(SearchSpaceRow).where(*same).values(values))).rowcount != 1:  # type: ignore[attr-defined]
        return False
    for some in batched(change.gone, AT_ONCE):
        _delete(session, SearchPageRow, space_id, SearchPageRow.page_id.in_(some))
    _put(session, SearchPageRow, ("space_id", "page_id"), change.pages)
    _put(session, SearchPostingRow, ("space_id", "word", "chunk"), change.rows)
    if change.words:
        _add(session, _insert(session, SearchWordRow).on_conflict_do_nothing(), change.words)
    if change.emptied:
        _remove_words(session, space_id, change.emptied)
    count = select(func.count()).select_from(SearchPageRow).where(SearchPageRow.space_id == space_id)
    counted = update(SearchSpaceRow).where(SearchSpaceRow.space_id == space_id).values(pages=count.scalar_subquery())
    session.execute(_unfetched(counted))
    return True


def _remove_words(session: Session, space_id: str, emptied: Sequence[tuple[bytes, int]]) -> None:
    """Remove rows that no page is left in, and words that no row is left of."""
    row = SearchPostingRow
    word: Any = bindparam("gone")
    here = delete(row).where(row.space_id == space_id, row.word == word, row.chunk == bindparam("of"))
    _many(session, here, [{"gone": one, "of": chunk} for one, chunk in emptied])
    used = exists().where(row.space_id == space_id, row.word == SearchWordRow.word)
    unused = delete(SearchWordRow).where(SearchWordRow.space_id == space_id, SearchWordRow.word == word, ~used)
    _many(session, unused, [{"gone": one} for one in sorted({one for one, _ in emptied})])


def lease(session: Session, space_id: str, generation: int, until: datetime) -> bool:
    """Keep other processes from a space for a while; tells whether nobody else has it."""
    row = SearchSpaceRow
    free = or_(row.leased_until.is_(None), row.leased_until < now())
    query = update(row).where(row.space_id == space_id, row.generation == generation, free)
    taken = session.execute(_unfetched(query.values(leased_until=until, generation=generation + 1)))
    return bool(taken.rowcount == 1)  # type: ignore[attr-defined]


def make_anew(session: Session, space_ids: Sequence[str] | None = None) -> None:
    """Have the index of some spaces, or of all of them, made again: it is cleared first."""
    query = update(SearchSpaceRow).values(
        version=0, revision_id=None, generation=SearchSpaceRow.generation + 1, leased_until=None
    )
    if space_ids is not None:
        query = query.where(SearchSpaceRow.space_id.in_(space_ids))
    session.execute(_unfetched(query))


def titles(session: Session) -> dict[str, str]:
    """Map the ids of all spaces to their titles, oldest first."""
    query = select(SpaceRow.id, SpaceRow.title).where(SpaceRow.deleted_at.is_(None))
    return dict(session.execute(query.order_by(SpaceRow.created_at, SpaceRow.id)).all())


def progress(session: Session, space_ids: Sequence[str] | None = None) -> tuple[int, int, int]:
    """Count the spaces with an index, its pages, and the spaces that wait for theirs; of all spaces without ids."""
    query = select(func.count(), func.sum(SearchSpaceRow.pages))
    if space_ids is not None:
        query = query.where(SearchSpaceRow.space_id.in_(space_ids))
    spaces, pages = session.execute(query).one()
    left = [one for one, _ in outdated(session, None, 1000) if space_ids is None or one in space_ids]
    return spaces, pages or 0, len(left)


def clear(session: Session, space_id: str, *, forget: bool) -> bool:
    """Remove a part of the index of a space; tells whether it is empty now.

    One that is empty begins again, or with `forget` goes too.
    """
    session.execute(
        _unfetched(
            update(SearchSpaceRow)
            .where(SearchSpaceRow.space_id == space_id)
            .values(generation=SearchSpaceRow.generation + 1, revision_id=None, version=0)
        )
    )
    for table, key in ((SearchPostingRow, "word"), (SearchWordRow, "word"), (SearchPageRow, "page_id")):
        column = getattr(table, key)
        last = select(column).where(table.space_id == space_id).order_by(column).offset(CLEARED).limit(1)
        end = session.scalar(last)
        _delete(session, table, space_id, *(() if end is None else (column <= end,)))
        if end is not None:
            return False
    if forget:
        _delete(session, SearchSpaceRow, space_id)
    else:
        fresh = update(SearchSpaceRow).where(SearchSpaceRow.space_id == space_id)
        session.execute(_unfetched(fresh.values(version=VERSION, pages=0, leased_until=None)))
    return True


def read_content(content: bytes) -> tuple[str, list[Section]]:
    """Read the description and the sections of a page as they are stored."""
    description, sections = json.loads(zlib.decompress(content))
    return description, [Section(*section) for section in sections]


def _row(space_id: str, number: int, page: IndexedPage) -> dict[str, Any]:
    content = json.dumps([page.description, page.sections], separators=(",", ":"), ensure_ascii=False)
    return {
        "space_id": space_id,
        "page_id": page.page_id,
        "number": number,
        "fingerprint": page.fingerprint,
        "drawn": page.drawn,
        "listed": page.listed,
        "title": page.title,
        "path": page.path,
        "content": zlib.compress(content.encode(), 6),
    }


def _stored(session: Session, space_id: str, ids: Sequence[str]) -> dict[str, tuple[int, IndexedPage]]:
    found: dict[str, tuple[int, IndexedPage]] = {}
    for some in batched(ids, AT_ONCE):
        query = select(SearchPageRow).where(SearchPageRow.space_id == space_id, SearchPageRow.page_id.in_(some))
        for row in session.scalars(query):
            content = read_content(row.content)
            page = IndexedPage(row.page_id, row.fingerprint, row.drawn, row.listed, row.title, row.path, *content)
            found[row.page_id] = (row.number, page)
            session.expunge(row)
    return found


def _free_numbers(session: Session, space_id: str, many: int) -> Any:
    """Return the lowest numbers that no page of a space has."""
    query = select(SearchPageRow.number).where(SearchPageRow.space_id == space_id)
    taken = set(session.scalars(query))
    free: list[int] = []
    number = 0
    while len(free) < many:
        if number not in taken:
            free.append(number)
        number += 1
    return iter(free)


def _merge(session: Session, change: Change, chunk: int, deltas: Mapping[str, Mapping[int, int]]) -> None:
    """Put what changed in one chunk into the rows of its words."""
    by_word = {word.encode(): delta for word, delta in deltas.items()}
    row = SearchPostingRow
    here = select(row.word, row.entries).where(row.space_id == change.space_id, row.chunk == chunk)
    stored = dict(of_each(session, here, row.word, sorted(by_word)))
    for word, delta in sorted(by_word.items()):
        entries = stored.get(word)
        held = postings.unpacked(entries) if entries is not None else {}
        held.update(delta)
        packed = postings.pack({place: weight for place, weight in held.items() if weight})
        if packed == (entries or b""):
            continue
        if not packed:
            change.emptied.append((word, chunk))
            continue
        change.rows.append({"space_id": change.space_id, "word": word, "chunk": chunk, "entries": packed})
        if entries is None:
            backward = word.decode()[::-1].encode()
            change.words.append({"space_id": change.space_id, "word": word, "backward": backward})


def _put(session: Session, table: type[Table], key: Sequence[str], values: Sequence[Mapping[str, Any]]) -> None:
    if not values:
        return
    insert = _insert(session, table)
    changed = {name: insert.excluded[name] for name in values[0] if name not in key}
    _add(session, insert.on_conflict_do_update(index_elements=list(key), set_=changed), values)


def _add(session: Session, insert: Any, values: Sequence[Mapping[str, Any]]) -> None:
    """Insert thousands of rows."""
    if session.get_bind().dialect.name != "postgresql":
        _many(session, insert, values)
        return
    # Column by column: a statement for each row costs the host ten times as much, all of it in its interpreter.
    names = list(values[0])
    columns = [insert.table.c[name] for name in names]
    for some in batched(values, AT_ONCE):
        arrays = [bindparam(None, [one[column.name] for one in some], type_=ARRAY(column.type)) for column in columns]
        rows = func.unnest(*arrays).table_valued(*names).render_derived()
        session.execute(insert.from_select(columns, select(*rows.c)))


def _many(session: Session, statement: Any, values: Sequence[Mapping[str, Any]]) -> None:
    """Execute a statement with thousands of rows; by the usual way a transaction would last several times as long."""
    connection = session.connection()
    names = list(values[0]) if statement.is_insert else None
    compiled = statement.compile(dialect=connection.dialect, column_keys=names)
    fixed = {name: value for name, value in compiled.params.items() if name not in values[0]}
    order = compiled.positiontup
    rows: Any = [{**fixed, **one} for one in values]
    if order is not None:
        rows = [tuple(one[name] for name in order) for one in rows]
    connection.exec_driver_sql(str(compiled), rows)


def _insert(session: Session, table: type[Table]) -> Any:
    return insert_into(session, cast(SqlTable, table.__table__))


def _delete(session: Session, table: Any, space_id: str, *conditions: Any) -> None:
    session.execute(_unfetched(delete(table).where(table.space_id == space_id, *conditions)))


def _unfetched(statement: Any) -> Any:
    return statement.execution_options(synchronize_session=False)
