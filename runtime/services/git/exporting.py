"""Exports the content of a space as a commit on a branch."""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from runtime.background.jobs import Job, JobFailed
from runtime.contract.batches import batched
from runtime.contract.json_parts import encode_in_pieces
from runtime.engines.git_http import ZERO, GitRemote, PushRefused, References
from runtime.engines.separate_process.answers import Refused
from runtime.engines.separate_process.runner import SeparateProcessFailed, open_made
from runtime.services import change_requests, content
from runtime.services.current_revision import set_current_revision
from runtime.services.folders.walking import MAX_FILE
from runtime.services.git import operations
from runtime.services.git.importing import MEMORY, NETWORK_SECONDS, SECONDS, find
from runtime.services.git.making_commit import (
    BEFORE,
    BYTES,
    DOCUMENTS,
    NEW_PACK,
    NOW,
    PATHS,
    make_commit,
    snapshot_to_json,
)
from runtime.services.git.reading_commit import PACK
from runtime.store import rows
from runtime.store.content import revisions
from runtime.store.content.entries import File, Page, ReusableContent
from runtime.store.content.pieces import unpack_within
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.reach import HOST
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.git import GitOperationRow, GitSyncRow

log = logging.getLogger(__name__)

AUTHOR = "docs-integration-runtime <noreply@localhost>"
MAX_TRIES = 5
"""How often a commit is made again because the branch has moved on."""
MAX_TOGETHER = 1 << 30
MAX_DOCUMENTS = 2 << 30
"""Bytes of all documents, as JSON."""
MAX_PATHS = 64 * 1024 * 1024
AT_ONCE = 100
ENTRIES, BLOCKS = 2, 2
"""Levels in a snapshot of its entries, and in a document of its blocks."""


class Made(NamedTuple):
    """A commit, written into a folder: its revision, and each entry's path and object id, by kind and id.

    If it was not made `alone`, others have changed the branch since the last operation and it contains their changes.
    """

    folder: Path
    revision_id: str
    commit: str
    paths: Mapping[str, Mapping[str, dict[str, str]]]
    alone: bool


def export_to_repository(job: Job, operation: GitOperationRow) -> None:
    """Push a commit of the space's current content; raises JobFailed, GitFailed, EgressRefused.

    If others pushed meanwhile, the commit is made again on top of theirs.
    """
    remote = GitRemote(job.tools.egress, operation.url, NETWORK_SECONDS, job.check)
    for _ in range(MAX_TRIES):
        there = remote.references("git-receive-pack")
        tip = there.oids.get(operation.ref)
        with job.tools.folders.lent() as own:
            folder = own / "first"
            folder.mkdir()
            if tip is not None:
                offered = remote.references("git-upload-pack")
                with (folder / PACK).open("wb") as pack:
                    remote.fetch(tip, offered.capabilities, pack, MAX_FILE)
            made = _make(job, folder, operation, tip)
            with job.tools.database.transaction(writes=True) as session:
                job.still_ours(session)
                space, row = find(session, operation)
                operations.started(session, space, row, made.revision_id, made.commit)
            if made.commit in (tip, operations.UNKNOWN) or _pushed(remote, operation, made, there, tip):
                _finish(job, operation, made)
                return
    raise JobFailed("The branch changed repeatedly during the export; try again in a moment.")


def _pushed(remote: GitRemote, operation: GitOperationRow, made: Made, there: References, tip: str | None) -> bool:
    """Push a commit; False if somebody else pushed first. Raises JobFailed if the server rejects it."""
    refused = None
    try:
        with open_made(made.folder, NEW_PACK) as file:
            size = os.fstat(file.fileno()).st_size
            remote.push(operation.ref, tip or ZERO, made.commit, there.capabilities, file, size)
    except PushRefused as error:
        refused = error
    # Not every server says so when it did not move a branch.
    now = remote.references("git-receive-pack").oids.get(operation.ref)
    if now != made.commit and now == tip:
        raise JobFailed(str(refused or "The server did not accept the commit, and gave no reason.")) from refused
    return now == made.commit


def _make(job: Job, folder: Path, operation: GitOperationRow, tip: str | None) -> Made:
    with job.tools.database.transaction(writes=False) as session:
        space, row = find(session, operation)
        revision = content.current(session, space)
        snapshot = snapshot_of(session, revision)
        sync = rows.find(session, HOST, GitSyncRow, space_id=space.id)
        known = sync if operations.is_same_place(sync, row) else None
        before = _last(session, known) if known is not None else Snapshot()
        alone = known is None or known.commit_id == tip
        _write_documents(job, session, space.id, snapshot, folder)
    for name, content_of in ((NOW, snapshot), (BEFORE, before)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(encode_in_pieces(snapshot_to_json(content_of), ENTRIES))
    arguments = {
        "tip": tip,
        "directory": operation.directory,
        "message": operation.values["message"],
        "author": AUTHOR,
        "seconds": int(operation.created_at.timestamp()),
        "force": operation.force,
    }
    try:
        said = _run(job, folder, arguments)
        if "missing" in said:
            # A folder that nobody else could write into, so that nothing in it leads elsewhere.
            fresh = folder.with_name("second")
            fresh.mkdir()
            for name in (PACK, NOW, BEFORE, DOCUMENTS):
                if os.path.lexists(folder / name):
                    (folder / name).rename(fresh / name)
            folder = fresh
            _write_files(job, [snapshot.file_by_id[one] for one in said["missing"]], folder / BYTES)
            said = _run(job, folder, arguments)
        with open_made(folder, PATHS) as file:
            text = file.read(MAX_PATHS + 1)
    except Refused as error:
        raise JobFailed(error.message) from error
    except SeparateProcessFailed as error:
        log.warning("a commit of space %s could not be made: %s", operation.space_id, error)
        raise JobFailed(f"Writing the repository takes too much {error.reason}.") from error
    if len(text) > MAX_PATHS:
        raise JobFailed("The space has too much content to be exported.")
    return Made(folder, revision.id, said["commit"] or tip or operations.UNKNOWN, json.loads(text), alone)


def _run(job: Job, folder: Path, arguments: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = job.tools.separate_process.run(
        make_commit, folder, arguments, memory=MEMORY, seconds=SECONDS, file_bytes=2 << 30, check=job.check
    )
    return said


def _last(session: Session, sync: GitSyncRow) -> Snapshot:
    if sync.revision_id is None:
        return Snapshot()
    row = rows.find(session, HOST, RevisionRow, id=sync.revision_id, space_id=sync.space_id)
    return snapshot_of(session, row) if row is not None else Snapshot()


def _write_documents(job: Job, session: Session, space_id: str, snapshot: Snapshot, folder: Path) -> None:
    """Write the documents in batches, one per line after its name."""
    names, written = sorted(snapshot.documents()), 0
    with (folder / DOCUMENTS).open("w", encoding="utf-8") as file:
        for batch in batched(names, AT_ONCE):
            job.check()
            packed = revisions.packed_documents(session, space_id, batch)
            for name, stored in packed.items():
                found = unpack_within(stored, MAX_DOCUMENTS - written)
                if found is None:
                    raise JobFailed("The space has too much text to be exported.")
                document, length = found
                written += length
                file.write(f"{name} ")
                file.writelines(encode_in_pieces(document, BLOCKS))
                file.write("\n")


def _write_files(job: Job, files: list[File], folder: Path) -> None:
    if sum(file.size for file in files) > MAX_TOGETHER:
        raise JobFailed(f"New files in the space have more than {MAX_TOGETHER >> 30} GB together.")
    folder.mkdir()
    for file in files:
        job.check()
        with job.tools.blobs.open(file.blob) as stream, (folder / file.id).open("wb") as copy:
            shutil.copyfileobj(stream, copy, 1 << 20)


def _finish(job: Job, operation: GitOperationRow, made: Made) -> None:
    """Record the commit of the current revision, unless the space has changed since."""
    with job.tools.database.transaction(writes=True) as session:
        job.still_ours(session)
        space, row = find(session, operation, pushed=True)
        change_requests.lock(session, space)
        revision_id = made.revision_id
        current = content.current(session, space)
        marked = current.git is not None and current.git.get("oid") == made.commit
        if current.id == made.revision_id and not marked and made.commit != operations.UNKNOWN:
            snapshot = _marked(snapshot_of(session, current), made.paths)
            values: dict[str, Any] = {
                "id": row.revision_id,
                "type": "edits",
                "parents": [current.id],
                "user_id": row.user_id,
            }
            values["git"] = operations.commit_of(row, made.commit, row.values["message"], ours=True)
            pushed = revisions.write(session, space.id, snapshot, before=current, **values)
            set_current_revision(session, job.tools.addresses, space, pushed)
            revision_id = row.revision_id
        operations.succeeded(session, space, row, revision_id, made.commit, [], same=made.alone)


def _marked(snapshot: Snapshot, paths: Mapping[str, Mapping[str, dict[str, str]]]) -> Snapshot:
    def marked(entries: Any, kind: str) -> Any:
        return [replace(entry, git=paths[kind].get(entry.id, entry.git)) for entry in entries]

    return Snapshot(
        marked(snapshot.pages, Page.kind),
        marked(snapshot.files, File.kind),
        marked(snapshot.reusable_contents, ReusableContent.kind),
        snapshot.variables,
    )
