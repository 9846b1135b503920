"""Stores what a reader wrote as one revision of a space or of a change request.

Documents are stored first, in batches, each in its own transaction. The last transaction writes the revision, and is
repeated if the content has changed meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobFailed
from runtime.contract import errors
from runtime.contract.timestamps import wire_time
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed
from runtime.services import change_requests, content_quota, organization_storage
from runtime.services.current_revision import set_current_revision
from runtime.services.files import MAX_FILE, file_of
from runtime.services.imported_tree import Imported
from runtime.services.importing import transfer
from runtime.services.importing.assembling import Assembly, Place
from runtime.store import rows
from runtime.store.blobs.store import BlobTooLarge
from runtime.store.content import collecting, revisions
from runtime.store.content.entries import File
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import now
from runtime.store.reach import HOST
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

MEMORY = 2 << 30
SECONDS = 300.0
FILE_BYTES = 1 << 30
"""Bounds of a process that reads what is imported, or makes documents of it."""
BATCH_ROWS = 200
BATCH_BYTES = 4 << 20
MAX_TRIES = 20
LOCKED = (
    "This space is locked: its content is edited in change requests. Import into one, or set its editMode to `live`."
)


@dataclass(frozen=True, slots=True)
class Target:
    """A space or change request that is imported into; `revision_id` is the new revision's id, chosen in advance."""

    space_id: str
    change_request_id: str | None
    revision_id: str
    user_id: str | None
    place: Place = field(default_factory=Place)
    obeys_lock: bool = True
    """Whether a space whose `editMode` is `locked` is refused."""
    shown: bool = True
    """Whether a space says then what the revision says; else it is there for whoever knows its id."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Other columns of the revision's row, as `git`."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The numbers of stored pages, files and reusable contents, and the problems."""

    entries: int
    problems: tuple[str, ...]


def store_import(
    job: Job,
    folder: Path,
    imported: Imported,
    target: Target,
    also: Callable[[Session, Stored], None] = lambda session, stored: None,
) -> Stored:
    """Store an import whose documents and files are in `folder` as `write_imported` leaves them.

    `imported` is the rest of it. `also` is called in the transaction that writes the revision.
    A revision that is there already was written by an attempt that died: nothing is done then. Raises JobFailed.
    """
    try:
        return _store_import(job, folder, imported, target, also)
    except errors.ApiError as error:
        raise JobFailed(error.message) from error
    except Refused as error:
        raise JobFailed(error.message) from error
    except SeparateProcessFailed as error:
        raise JobFailed(sentence_of(error)) from error


def sentence_of(error: SeparateProcessFailed) -> str:
    """Return a sentence about why reading failed."""
    if error.reason == "crashed":
        return "The import could not be parsed; the file may be damaged."
    return f"The import takes too much {error.reason} to parse; import it in smaller parts."


def _store_import(
    job: Job,
    folder: Path,
    imported: Imported,
    target: Target,
    also: Callable[[Session, Stored], None],
) -> Stored:
    database, moment = job.tools.database, wire_time(now())
    if imported.files:
        with database.transaction(writes=False) as session:
            organization_storage.enforce_for_files(session, job.organization_id)
    files, problems = _store_files(job, imported, folder)
    stored = Stored(len(imported.pages) + len(files) + len(imported.reusable_contents), tuple(problems))
    with database.transaction(writes=False) as session:
        if rows.find(session, HOST, RevisionRow, id=target.revision_id) is not None:
            return stored
        base_id, base = base_of(session, target)
    assembly = Assembly(imported, base, target.place, files, moment)
    assembly.snapshot({})
    transfer.write_ids(folder, assembly.ids)
    job.tools.separate_process.run(
        transfer.finish_documents, folder, {},
        memory=MEMORY, seconds=SECONDS, file_bytes=FILE_BYTES, check=job.check,
    )  # fmt: skip
    try:
        documents = _store_documents(job, folder, target.space_id)
        for _ in range(MAX_TRIES):
            snapshot = assembly.snapshot(documents)
            with database.transaction(writes=True) as session:
                whole = _are_there(session, target, documents)
                if whole and _write(session, job, target, base_id, snapshot, lambda session: also(session, stored)):
                    return stored
            if not whole:
                _store_documents(job, folder, target.space_id)
                continue
            with database.transaction(writes=False) as session:
                base_id, base = base_of(session, target)
            assembly = Assembly(imported, base, target.place, files, moment, assembly.ids)
        raise JobFailed("The content changed repeatedly during the import; try again in a moment.")
    except (JobFailed, errors.ApiError):
        collecting.sweep(database, target.space_id)  # what was stored for nothing would count for ever
        raise


def _are_there(session: Session, target: Target, documents: Mapping[str, str]) -> bool:
    """Lock the content, and return whether its new documents still exist: those without a revision may be purged."""
    change_requests.lock(session, _rows(session, target)[0])
    return revisions.are_kept(session, target.space_id, documents.values())


def base_of(session: Session, target: Target) -> tuple[str, Snapshot]:
    """Find the parent of the new revision; raises ApiError if the content cannot be changed."""
    space, row = _rows(session, target)
    check(space, row, target)
    revision_id = row.revision_id if row is not None else space.revision_id
    revision = rows.find(session, HOST, RevisionRow, id=revision_id, space_id=space.id)
    if revision is None:
        raise LookupError(f"the space {space.id} has no revision {revision_id}")
    return revision_id, snapshot_of(session, revision)


def check(space: SpaceRow, row: ChangeRequestRow | None, target: Target) -> None:
    """Raise ApiError if the space is locked or the change request is closed."""
    if row is None and target.obeys_lock and space.edit_mode == "locked":
        raise errors.PreconditionFailed(LOCKED)
    if row is not None:
        change_requests.check_open(row)


def _rows(session: Session, target: Target) -> tuple[SpaceRow, ChangeRequestRow | None]:
    space = rows.find(session, HOST, SpaceRow, id=target.space_id)
    if space is None or space.deleted_at is not None:
        raise errors.NotFound("The space was deleted a moment ago.")
    if target.change_request_id is None:
        return space, None
    row = rows.find(session, HOST, ChangeRequestRow, id=target.change_request_id, space_id=space.id)
    if row is None:
        raise errors.NotFound("The change request was deleted a moment ago.")
    return space, row


def _write(
    session: Session, job: Job, target: Target, base_id: str, snapshot: Snapshot, also: Callable[[Session], None]
) -> bool:
    """Write the revision; False if the content has changed since the base."""
    space, row = _rows(session, target)
    change_requests.lock(session, space)
    if row is not None:
        change_requests.refresh_open(session, row)
    check(space, row, target)
    if (row.revision_id if row is not None else space.revision_id) != base_id:
        return False
    job.still_ours(session)
    before = rows.find(session, HOST, RevisionRow, id=base_id, space_id=space.id)
    assert before is not None, "revisions stay as long as their space"
    known = {file.blob for file in snapshot_of(session, before).files}
    new = {file.blob: file.size for file in snapshot.files if file.blob not in known}
    if new:
        content_quota.for_files(session, space.id, new)
    values = {**target.values, "id": target.revision_id}
    if row is not None:
        assert target.user_id is not None, "people alone change change requests"
        change_requests.write_revision(session, row, target.user_id, snapshot, (), "edits", [base_id], **values)
    else:
        content_quota.for_revisions(session, space.id)
        values = {"type": "edits", "parents": [base_id], "user_id": target.user_id, **values}
        made = revisions.write(session, space.id, snapshot, before=before, **values)
        if target.shown:
            set_current_revision(session, job.tools.addresses, space, made)
    also(session)
    return True


def _store_files(job: Job, imported: Imported, folder: Path) -> tuple[dict[str, File], list[str]]:
    """Store every readable file; returns files by key, and problems."""
    stored: dict[str, File] = {}
    problems: list[str] = []
    for one in imported.files:
        job.check()
        try:
            with transfer.open_inside(folder, one.path) as stream:
                blob = job.tools.blobs.put(stream, MAX_FILE, job.organization_id)
        except BlobTooLarge:
            problems.append(f"The file {one.name} has more than {MAX_FILE >> 20} MB.")
        except OSError:
            problems.append(f"The file {one.name} could not be read.")
        else:
            stored[one.key] = file_of(job.tools.blobs, blob, one.name, one.content_type)
    return stored, problems


def _store_documents(job: Job, folder: Path, space_id: str) -> dict[str, str]:
    """Store the documents and what they contain; returns their names by owner id."""
    names: dict[str, str] = {}
    for batch in _batches(transfer.finished_documents(folder)):
        job.check()
        packed = {bytes.fromhex(one.name): one.packed for one in batch}
        found = {bytes.fromhex(one.name): one.found for one in batch if one.found is not None}
        with job.tools.database.transaction(writes=True) as session:
            content_quota.for_documents(session, space_id)
            revisions.keep(session, space_id, packed, found)
        names |= {one.id: one.name for one in batch}
    return names


def _batches(documents: Iterator[transfer.Finished]) -> Iterator[list[transfer.Finished]]:
    batch: list[transfer.Finished] = []
    size = 0
    for one in documents:
        batch.append(one)
        # What is found is not compressed: a page of links may hold a hundred times more of it than it has bytes.
        size += len(one.packed) + (len(json.dumps(one.found)) if one.found is not None else 0)
        if len(batch) == BATCH_ROWS or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
