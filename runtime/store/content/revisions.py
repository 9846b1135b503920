"""Reads and writes revisions of a space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, and_, func, literal, select
from sqlalchemy.orm import Session

from runtime.contract.batches import batched
from runtime.contract.document_references import found_in
from runtime.store.blobs.store import Blob
from runtime.store.content import references, sizes
from runtime.store.content.entries import Entry, File, Page, ReusableContent
from runtime.store.content.pieces import AVERAGE_ENTRIES, NAME_BYTES, digest_of, names_of, pack, to_pieces, unpack
from runtime.store.content.snapshot import Snapshot
from runtime.store.content.space_files import need
from runtime.store.content.weights import weight_of
from runtime.store.fair_memory import FairMemory
from runtime.store.inserting import insert_into
from runtime.store.tables.content import ContentPieceRow, RevisionRow
from runtime.store.tables.spaces import SpaceRow

E = TypeVar("E", bound=Entry)

HEAVIEST = 100 * 1024 * 1024
"""Bytes of all snapshots that are kept in memory, about: a hundred thousand pages with little more than a title."""
LONG = 16_384
"""Bytes of a packed document above which reading it takes long: about the text of twenty printed pages."""
AT_ONCE = 500
"""Names in one statement."""


class SnapshotCache:
    """Keeps the snapshots that were used last; they never change, so none is ever out of date. Safe among threads.

    Of the organization that has most of them the oldest go first.
    """

    def __init__(self, heaviest: int = HEAVIEST) -> None:
        """Take how many bytes all of them have at most."""
        self._kept: FairMemory[str, Snapshot] = FairMemory(heaviest)

    def get(self, revision_id: str) -> Snapshot | None:
        """Find the snapshot of a revision."""
        return self._kept.use(revision_id)

    def put(self, revision_id: str, snapshot: Snapshot, owner: str) -> None:
        """Keep a snapshot for an organization, and let go of others where there is no room."""
        self._kept.keep(revision_id, snapshot, owner, weight_of(snapshot))

    def forget(self, revision_id: str) -> None:
        """Let go of the snapshot of a revision that is gone."""
        self._kept.drop(revision_id)


CACHE = SnapshotCache()


def snapshot_of(session: Session, row: RevisionRow) -> Snapshot:
    """Read the content of a revision.

    It may be cached before it is committed: the id of one that is rolled back is never used again.
    """
    cached = CACHE.get(row.id)
    if cached is not None:
        return cached
    names = [*names_of(row.pages), *names_of(row.files), *names_of(row.reusable_contents)]
    pieces = _read(session, row.space_id, names)
    snapshot = Snapshot(
        _entries(Page, row.pages, pieces),
        _entries(File, row.files, pieces),
        _entries(ReusableContent, row.reusable_contents, pieces),
        row.variables,
    )
    CACHE.put(row.id, snapshot, _owner(session, row.space_id))
    return snapshot


def size_of_variables(row: RevisionRow) -> int:
    """Count the bytes of the variables of a revision, which are stored with each."""
    return sizes.json_bytes(row.variables) if row.variables else 0


def entries_in(row: RevisionRow) -> int:
    """Estimate how many pages, files and reusable contents a revision has, without reading them."""
    return (len(row.pages) + len(row.files) + len(row.reusable_contents)) // NAME_BYTES * AVERAGE_ENTRIES


def snapshots_of(session: Session, rows: Sequence[RevisionRow]) -> list[Snapshot]:
    """Read the contents of several revisions, with the spaces they are of in one query."""
    unknown = {row.space_id for row in rows if CACHE.get(row.id) is None}
    spaces = session.scalars(select(SpaceRow).where(SpaceRow.id.in_(unknown))).all() if len(unknown) > 1 else ()
    snapshots = [snapshot_of(session, row) for row in rows]
    del spaces  # until here the session finds them without a query each
    return snapshots


def _owner(session: Session, space_id: str) -> str:
    """Give the organization of a space, which most often is loaded already."""
    space = session.get(SpaceRow, space_id)
    return space.organization_id if space is not None else ""


def write(
    session: Session,
    space_id: str,
    snapshot: Snapshot,
    documents: Iterable[Mapping[str, Any]] = (),
    *,
    before: RevisionRow | None = None,
    **values: Any,
) -> RevisionRow:
    """Write a revision with the documents that are new in it; `values` are the other columns of its row.

    `before` is a similar revision of the space, whose pieces are not written again.
    """
    known = snapshot_of(session, before) if before is not None else Snapshot()
    pieces: dict[bytes, bytes] = {}
    lists: dict[str, bytes] = {}
    for kind in (Page, File, ReusableContent):
        named = getattr(before, kind.kind) if before is not None else b""
        lists[kind.kind], new = to_pieces(getattr(snapshot, kind.kind), getattr(known, kind.kind), named)
        pieces |= new
    found: dict[bytes, Mapping[str, Any]] = {}
    for document in documents:  # one after the other: all of them may be more than there is memory for
        name, content = pack(document)
        pieces[name] = content
        in_it = found_in(document)
        if in_it is not None:
            found[name] = in_it
    _add(session, space_id, pieces)
    references.keep(session, space_id, found)
    kept = {file.blob for file in known.files}
    need(session, space_id, [Blob(file.blob, file.size) for file in snapshot.files if file.blob not in kept])
    row = RevisionRow(space_id=space_id, variables=dict(snapshot.variables), **lists, **values)
    session.add(row)
    session.flush()
    sizes.note(session, space_id, size_of_variables(row))
    CACHE.put(row.id, snapshot, _owner(session, space_id))
    return row


def keep(session: Session, space_id: str, packed: Mapping[bytes, bytes], found: Mapping[bytes, Any]) -> None:
    """Store documents that a revision to come will name: by their names, what `pack` gave, and what is in them.

    So a revision of very many documents is written in small transactions, of which the last one alone shows it.
    """
    _add(session, space_id, packed)
    references.keep(session, space_id, found)


def are_kept(session: Session, space_id: str, names: Iterable[str]) -> bool:
    """Return whether all these documents exist: those without a revision may have been deleted."""
    wanted = sorted({bytes.fromhex(name) for name in names})
    for some in batched(wanted, AT_ONCE):
        there = ContentPieceRow.space_id == space_id, ContentPieceRow.name.in_(some)
        if session.scalar(select(func.count()).select_from(ContentPieceRow).where(*there)) != len(some):
            return False
    return True


def copy(session: Session, row: RevisionRow, space_id: str, **values: Any) -> RevisionRow:
    """Write a revision with the same content to another space, with everything that it needs."""
    snapshot = snapshot_of(session, row)
    _copy(session, row.space_id, space_id, _all_of(session, row))
    need(session, space_id, [Blob(file.blob, file.size) for file in snapshot.files])
    references.copy(session, row.space_id, space_id, snapshot.documents())
    lists = {"pages": row.pages, "files": row.files, "reusable_contents": row.reusable_contents}
    copied = RevisionRow(space_id=space_id, variables=row.variables, **lists, **values)
    session.add(copied)
    session.flush()
    sizes.note(session, space_id, size_of_variables(copied))
    return copied


def packed_size(session: Session, row: RevisionRow) -> int:
    """Count the bytes of the content of a revision, as they are stored, with the references of its documents."""
    length = func.coalesce(func.sum(func.length(ContentPieceRow.content)), 0)
    pieces = (session.scalar(select(length).where(some)) or 0 for some in _some(row.space_id, _all_of(session, row)))
    return sum(pieces) + references.size_of(session, row.space_id, snapshot_of(session, row).documents())


def _all_of(session: Session, row: RevisionRow) -> list[bytes]:
    """Name all that the content of a revision is stored in."""
    names = {*names_of(row.pages), *names_of(row.files), *names_of(row.reusable_contents)}
    return sorted(names | {bytes.fromhex(name) for name in snapshot_of(session, row).documents()})


def name_of(document: Mapping[str, Any]) -> str:
    """Return the name under which a document is stored: the `documentId` of the contract."""
    return digest_of(document).hex()


def documents(session: Session, space_id: str, names: Iterable[str]) -> dict[str, Any]:
    """Read documents of a space by their names; missing ones are left out."""
    return {name: unpack(content) for name, content in packed_documents(session, space_id, names).items()}


def is_long(session: Session, space_id: str, name: str) -> bool:
    """Tell whether reading a document takes long, which the size says that it has as it is stored."""
    where = ContentPieceRow.space_id == space_id, ContentPieceRow.name == bytes.fromhex(name)
    return (session.scalar(select(func.length(ContentPieceRow.content)).where(*where)) or 0) > LONG


def packed_documents(session: Session, space_id: str, names: Iterable[str]) -> dict[str, bytes]:
    """Read documents as they are stored, for callers that process one at a time."""
    wanted = []
    for name in dict.fromkeys(names):
        try:
            wanted.append(bytes.fromhex(name))
        except ValueError:  # it is not a name of ours, so there is no such document
            continue
    return {name.hex(): content for name, content in _read(session, space_id, wanted).items()}


def _entries(kind: type[E], list_: bytes, pieces: Mapping[bytes, bytes]) -> Sequence[E]:
    return [kind.from_json(stored) for name in names_of(list_) for stored in unpack(pieces[name])]


def _read(session: Session, space_id: str, names: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for some in _some(space_id, names):
        found |= dict(session.execute(select(ContentPieceRow.name, ContentPieceRow.content).where(some)).all())
    return found


def _some(space_id: str, names: Sequence[bytes]) -> Iterator[ColumnElement[bool]]:
    """Match pieces of a space, as many at a time as a statement may name."""
    row = ContentPieceRow
    for batch in batched(names, AT_ONCE):
        yield and_(row.space_id == space_id, row.name.in_(batch))


def _copy(session: Session, space_id: str, to: str, names: Sequence[bytes]) -> None:
    """Copy pieces to another space within the database: all of them may be more than there is memory for."""
    row, added = ContentPieceRow, 0
    for some in _some(space_id, names):
        found = select(literal(to), row.name, row.content).where(some)
        copied = insert_into(session, row).from_select(["space_id", "name", "content"], found).on_conflict_do_nothing()
        added += sum(session.scalars(copied.returning(func.length(row.content))))
    sizes.note(session, to, added)


def _add(session: Session, space_id: str, pieces: Mapping[bytes, bytes]) -> None:
    """Store pieces, and count their bytes; existing ones stay."""
    values = [{"space_id": space_id, "name": name, "content": content} for name, content in sorted(pieces.items())]
    added = 0
    for batch in batched(values, AT_ONCE):
        statement = insert_into(session, ContentPieceRow).values(batch)
        new = session.scalars(statement.on_conflict_do_nothing().returning(ContentPieceRow.name))
        added += sum(len(pieces[name]) for name in new)
    sizes.note(session, space_id, added)
