"""References and anchors of documents: written with each document, read for a whole revision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.contract.document_references import Reference
from runtime.store.content import sizes
from runtime.store.inserting import insert_into
from runtime.store.tables.content import DocumentReferencesRow

AT_ONCE = 500
"""Rows in one statement."""


class Found(NamedTuple):
    """What was found in a document."""

    references: Sequence[Reference]
    anchors: frozenset[str]


NOTHING = Found((), frozenset())


def keep(session: Session, space_id: str, found: Mapping[bytes, Mapping[str, Any]]) -> None:
    """Store what was found in documents, by their names, and count its bytes; existing rows stay."""
    _insert(session, space_id, found)


def copy(session: Session, space_id: str, to: str, names: Iterable[str]) -> None:
    """Copy the references of documents of this space to another one."""
    rows = _rows(session, space_id, names)
    _insert(session, to, rows)


def read(session: Session, space_id: str, names: Iterable[str]) -> dict[str, Found]:
    """Read the references of documents of a space; documents without any are left out."""
    return {
        name.hex(): Found([Reference(*one) for one in found["references"]], frozenset(found["anchors"]))
        for name, found in _rows(session, space_id, names).items()
    }


def _rows(session: Session, space_id: str, names: Iterable[str]) -> dict[bytes, Any]:
    wanted = sorted({bytes.fromhex(name) for name in names})
    found: dict[bytes, Any] = {}
    for batch in batched(wanted, AT_ONCE):
        query = select(DocumentReferencesRow.name, DocumentReferencesRow.found).where(
            DocumentReferencesRow.space_id == space_id, DocumentReferencesRow.name.in_(batch)
        )
        found |= dict(session.execute(query).all())
    return found


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
