"""Creates a backup of a host, which may keep running."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect, select, union
from sqlalchemy.engine import make_url

from runtime.contract.batches import batched
from runtime.store.backups import postgresql_rows
from runtime.store.backups.archive import FORMAT, KEYS, SQLITE, BackupRefused, Manifest, Member, Writer, digest_of
from runtime.store.blobs.folder import FolderBackend
from runtime.store.blobs.store import NEEDED_BY, Blob, BlobStore
from runtime.store.database import Database, now, sqlite_url
from runtime.store.migrate import HEAD, revision
from runtime.store.secrets import Keyring
from runtime.store.tables.blobs import BlobRow
from runtime.version import VERSION

TOUCHED_AT_ONCE = 200


def make(database: Database, data: Path, blobs: Path | None, keyring: Keyring, target: Path) -> Manifest:
    """Write a backup atomically (mode 0600); `blobs` is None if they are in object storage.

    Rows are copied first, then the blobs they refer to. Before that, all blobs are touched, so that none is deleted
    meanwhile. Raises `BackupRefused`, SQLAlchemyError, OSError.
    """
    if target.exists():
        raise BackupRefused(f"{target} already exists; choose another name")
    found = revision(database)
    if found != HEAD:
        raise BackupRefused(
            f"the database has the schema {found or 'of no release'}, and this release has {HEAD}; make the backup "
            "with the release that the host runs"
        )
    with _beside(target) as folder:
        if blobs is not None:
            _touch(database, blobs)
        members, needed = _copy_sqlite(database, folder) if database.is_sqlite else _copy_postgresql(database, folder)
        for name in KEYS:
            if (file := data / Path(name).name).exists():
                shutil.copyfile(file, folder / Path(name).name)
                members[name] = digest_of(folder / Path(name).name)
        kept = {name: blobs / name[:2] / name for name in needed} if blobs is not None else {}
        missing = sorted(name for name, file in kept.items() if not file.is_file())
        manifest = Manifest(
            format=FORMAT,
            version=VERSION,
            revision=HEAD,
            database="sqlite" if database.is_sqlite else "postgresql",
            made_at=now().isoformat(),
            key=fingerprint(keyring),
            members=members,
            blobs=len(kept) - len(missing) if blobs is not None else None,
            missing=missing,
        )
        made = folder / "archive"
        with made.open("xb") as out:
            writer = Writer(out, manifest)
            for name in members:
                writer.add(name, folder / Path(name).name)
            for name in sorted(kept.keys() - set(missing)):
                writer.add(f"blobs/{name}", kept[name])
            writer.close()
            out.flush()
            os.fsync(out.fileno())
        made.chmod(0o600)
        made.rename(target)
    return manifest


def fingerprint(keyring: Keyring) -> str:
    """Return a text that tells whether a backup belongs to a host's key, and nothing else about the key."""
    return keyring.derive("which key a backup belongs to").hex()


def needed_blobs(connection: Connection) -> set[str]:
    """Return the blobs that rows refer to, in a schema that may be older and lack some tables."""
    tables = inspect(connection)
    columns = [
        column
        for column in NEEDED_BY
        if tables.has_table(column.class_.__tablename__)
        and column.key in {found["name"] for found in tables.get_columns(column.class_.__tablename__)}
    ]
    queries = [select(column).where(column.is_not(None)) for column in columns]
    return set(connection.scalars(union(*queries))) if queries else set()


def _touch(database: Database, blobs: Path) -> None:
    with database.transaction(writes=False) as session:
        rows = session.execute(select(BlobRow.name, BlobRow.size).order_by(BlobRow.name)).all()
        needed = needed_blobs(session.connection())
    store = BlobStore(database, FolderBackend(blobs))
    kept = [Blob(name, size) for name, size in rows if name in needed]
    for batch in batched(kept, TOUCHED_AT_ONCE):
        store.touch(batch)


def _copy_sqlite(database: Database, folder: Path) -> tuple[dict[str, Member], set[str]]:
    """Copy the file with SQLite's online backup: a consistent snapshot that does not block writers."""
    copy = folder / Path(SQLITE).name
    source = make_url(database.url).database or ""
    with closing(sqlite3.connect(source, timeout=30)) as live, closing(sqlite3.connect(copy)) as made:
        live.backup(made)
    with closing(Database(sqlite_url(str(copy)))) as copied, copied.engine.connect() as connection:
        needed = needed_blobs(connection)
    return {SQLITE: digest_of(copy)}, needed


def _copy_postgresql(database: Database, folder: Path) -> tuple[dict[str, Member], set[str]]:
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with database.engine.connect().execution_options(**options) as connection, connection.begin():
        columns = postgresql_rows.write_out(connection, folder)
        needed = needed_blobs(connection)
    members = {
        f"database/{table}.copy": digest_of(folder / f"{table}.copy").model_copy(update={"columns": names})
        for table, names in columns.items()
    }
    return members, needed


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give a folder on the same disk, which nobody else may look into and which goes at the end."""
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        yield Path(folder)
