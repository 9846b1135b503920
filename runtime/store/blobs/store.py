"""Blobs and their rows: blobs that are referenced are never deleted, unreferenced ones are.

Storing a blob first touches its row, then checks whether the bytes exist, and has `GRACE` to commit a row that refers
to it. Deleting one locks its row, which nobody touched for longer than that or refers to, until the bytes are gone.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, cast

from sqlalchemy import exists, select
from sqlalchemy.orm import InstrumentedAttribute

from runtime.store.blobs.backend import Backend
from runtime.store.blobs.folder import FolderBackend
from runtime.store.blobs.s3 import S3Backend
from runtime.store.database import Database, now
from runtime.store.inserting import insert_into
from runtime.store.locks import acquire
from runtime.store.tables.blobs import BlobRow, SpaceBlobRow
from runtime.store.tables.imports import ImportRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow
from runtime.store.tables.pdfs import PdfRow

GRACE = timedelta(hours=24)
PIECE = 1 << 20
IN_MEMORY = 1 << 20
"""Bytes of a stream that are held in memory; longer streams go to a temporary file."""

NEEDED_BY: tuple[InstrumentedAttribute[Any], ...] = (
    SpaceBlobRow.name,
    OpenApiSpecRow.source_blob,
    OpenApiVersionRow.blob,
    PdfRow.blob,
    ImportRow.blob,
)
"""Every column that refers to a blob."""
NEEDLESS = tuple(~exists().where(column == BlobRow.name) for column in NEEDED_BY)


class BlobTooLarge(ValueError):
    """A stream has too many bytes."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A blob: the SHA-256 of its bytes in hexadecimal, how many there are, and, if it is new, when it was stored."""

    name: str
    size: int
    came_at: datetime | None = field(default=None, compare=False)


class BlobStore:
    """All blobs of a host; safe to use from many threads and processes."""

    def __init__(self, database: Database, backend: Backend) -> None:
        """Take where the bytes are kept."""
        self._database, self._backend = database, backend

    def put(self, stream: BinaryIO, max_bytes: int, organization_id: str) -> Blob:
        """Store a stream for an organization, a chunk at a time; no transaction may be open.

        Raises `BlobTooLarge`, `BlobsUnavailable`.
        """
        digest, size = hashlib.sha256(), 0
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as spool:
            while piece := stream.read(PIECE):
                size += len(piece)
                if size > max_bytes:
                    raise BlobTooLarge
                digest.update(piece)
                spool.write(piece)
            blob = Blob(digest.hexdigest(), size)
            blob = replace(blob, came_at=self.touch([blob], organization_id).get(blob.name))
            if not self._backend.has(blob.name, size):
                spool.seek(0)
                self._backend.write(blob.name, cast(BinaryIO, spool))
        return blob

    def touch(self, blobs: Iterable[Blob], organization_id: str | None = None) -> dict[str, datetime]:
        """Record that blobs are about to be referenced, and by which organization, where one stores them.

        Returns since when those are known that were not.
        """
        ordered = sorted(set(blobs), key=lambda blob: blob.name)
        new: dict[str, datetime] = {}
        if not ordered:
            return new
        with self._database.transaction(writes=True) as session:
            for blob in ordered:
                acquire(session, f"blob:{blob.name}")
                moment = now()
                if session.get(BlobRow, blob.name) is None:
                    new[blob.name] = moment
                sent = {"organization_id": organization_id, "sent_at": moment} if organization_id is not None else {}
                touched = {"touched_at": moment, **sent}
                statement = insert_into(session, BlobRow).values(name=blob.name, size=blob.size, **touched)
                session.execute(statement.on_conflict_do_update(index_elements=["name"], set_=touched))
        return new

    def discard(self, blob: Blob) -> None:
        """Delete a blob that was stored for nothing, unless it was there before, or somebody else stored it, too."""
        if blob.came_at is None:
            return
        with self._database.transaction(writes=True) as session:
            acquire(session, f"blob:{blob.name}")
            same = BlobRow.name == blob.name, BlobRow.touched_at == blob.came_at
            row = session.scalar(select(BlobRow).where(*same, *NEEDLESS))
            if row is not None:
                self._backend.delete(blob.name)
                session.delete(row)

    def open(self, name: str, start: int = 0) -> BinaryIO:
        """Read a blob from a byte on; raises `BlobMissing`, `BlobsUnavailable`."""
        return self._backend.open(name, start)

    def read(self, name: str) -> bytes:
        """Read a whole blob that is known to be small."""
        with self.open(name) as stream:
            return stream.read()

    def sweep(self, limit: int) -> int:
        """Delete some unreferenced blobs, and what killed processes left; returns how many blobs."""
        before = now() - GRACE
        with self._database.transaction(writes=False) as session:
            query = select(BlobRow.name).where(BlobRow.touched_at < before, *NEEDLESS).limit(limit)
            names = session.scalars(query).all()
        gone = 0
        for name in names:
            with self._database.transaction(writes=True) as session:
                acquire(session, f"blob:{name}")
                row = session.scalar(
                    select(BlobRow).where(BlobRow.name == name, BlobRow.touched_at < before, *NEEDLESS)
                )
                if row is not None:
                    self._backend.delete(name)
                    session.delete(row)
                    gone += 1
        self._backend.sweep(before.timestamp())
        return gone


def open_blobs(database: Database, address: str) -> BlobStore:
    """Open the blobs of a host: at `s3://…`, else in a folder. Raises `BadBlobAddress`."""
    backend = S3Backend(address) if "://" in address else FolderBackend(Path(address))
    return BlobStore(database, backend)
