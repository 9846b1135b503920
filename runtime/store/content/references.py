"""References and anchors of documents: written with each document, read for a whole revision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, and_, func, literal, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.contract.document_references import Reference
from runtime.store.content import sizes
from runtime.store.inserting import insert_into
from runtime.store.tables.content import DocumentReferencesRow

AT_ONCE = 500
"""Rows in one statement."""
BYTES = 4 << 20
"""References in memory at once, as they are stored: those of a whole space may be more than there is memory for."""

T = TypeVar("T")


class Found(NamedTuple):
    """What was found in a document."""

    references: Sequence[Reference]
    anchors: frozenset[str]


NOTHING = Found((), frozenset())


def keep(session: Session, space_id: str, found: Mapping[bytes, Mapping[str, Any]]) -> None:
    """Store what was found in documents, by their names, and count its bytes; existing rows stay."""
    _insert(session, space_id, found)


def copy(session: Session, space_id: str, to: str, names: Iterable[str]) -> None:
    """Copy the references of documents of this space to another one, within the database, and count their bytes."""
    row, added = DocumentReferencesRow, 0
    size = sizes.stored_bytes(session, row.found)  # what earlier releases wrote was not counted
    for some in _some(space_id, names):
        found = select(literal(to), row.name, row.found, size).where(some)
        columns = ["space_id", "name", "found", "size"]
        copied = insert_into(session, row).from_select(columns, found).on_conflict_do_nothing()
        added += sum(session.scalars(copied.returning(row.size)))
    sizes.note(session, to, added)


def size_of(session: Session, space_id: str, names: Iterable[str]) -> int:
    """Count the bytes of the references of documents, as they are stored."""
    total = func.coalesce(func.sum(sizes.stored_bytes(session, DocumentReferencesRow.found)), 0)
    return sum(session.scalar(select(total).where(some)) or 0 for some in _some(space_id, names))


def read(session: Session, space_id: str, names: Iterable[str]) -> dict[str, Found]:
    """Read the references of a few documents of a space; documents without any are left out."""
    return {
        name.hex(): Found([Reference(*one) for one in found["references"]], frozenset(found["anchors"]))
        for name, found in _rows(session, space_id, names).items()
    }


def each(session: Session, space_id: str, names: Iterable[str]) -> Iterator[tuple[str, Found]]:
    """Read the references of many documents as `read` does, of some at a time."""
    for _, found in portions(session, space_id, sorted(set(names)), lambda name: name):
        yield from found.items()


def portions(
    session: Session, space_id: str, items: Iterable[T], document_of: Callable[[T], str | None]
) -> Iterator[tuple[list[T], dict[str, Found]]]:
    """Read the references of the documents of many items, in their order: some items at a time, with what they need."""
    every = list(items)
    row, lengths = DocumentReferencesRow, dict[str, int]()
    for some in _some(space_id, filter(None, map(document_of, every))):
        query = select(row.name, sizes.stored_bytes(session, row.found)).where(some)
        lengths |= {name.hex(): length for name, length in session.execute(query)}
    portion, size = list[T](), 0
    for item in every:
        length = lengths.get(document_of(item) or "", 0)
        if portion and size + length > BYTES:
            yield portion, read(session, space_id, filter(None, map(document_of, portion)))
            portion, size = [], 0
        portion.append(item)
        size += length
    yield portion, read(session, space_id, filter(None, map(document_of, portion)))


def _rows(session: Session, space_id: str, names: Iterable[str]) -> dict[bytes, Any]:
    row = DocumentReferencesRow
    found: dict[bytes, Any] = {}
    for some in _some(space_id, names):
        found |= dict(session.execute(select(row.name, row.found).where(some)).all())
    return found


def _some(space_id: str, names: Iterable[str]) -> Iterator[ColumnElement[bool]]:
    """Match references of documents, as many at a time as a statement may name."""
    row = DocumentReferencesRow
    for batch in batched(sorted({bytes.fromhex(name) for name in names}), AT_ONCE):
        yield and_(row.space_id == space_id, row.name.in_(batch))


def _insert(session: Session, space_id: str, found: Mapping[bytes, Mapping[str, Any]]) -> None:
    values = [
        {"space_id": space_id, "name": name, "found": one, "size": sizes.json_bytes(one)}
        for name, one in sorted(found.items())
    ]
    added = 0
    for batch in batched(values, AT_ONCE):
        statement = insert_into(session, DocumentReferencesRow).values(batch).on_conflict_do_nothing()
        added += sum(session.scalars(statement.returning(DocumentReferencesRow.size)))
    sizes.note(session, space_id, added)
