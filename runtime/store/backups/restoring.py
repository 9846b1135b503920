"""Makes a host of a backup, if there is none."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from runtime.store.backups import postgresql_rows
from runtime.store.backups.archive import KEYS, SQLITE, BackupRefused, Manifest, Reader
from runtime.store.backups.making import fingerprint, needed_blobs
from runtime.store.database import Database, sqlite_url
from runtime.store.migrate import HEAD, upgrade
from runtime.store.secrets import Keyring

STAGE = ".restoring"
UNUSUAL = "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'"
"""Our schema has only plain tables and indexes; a trigger would be executed when the host writes."""
LoadKeys = Callable[[Path], Keyring]
"""Returns the secret key of a host, from a folder with its key file or from elsewhere."""


def restore(archive: Path, address: str, data: Path, blobs: Path | None, load_keys: LoadKeys) -> Manifest:
    """Fill an existing, empty data folder and an empty database, or leave both unchanged.

    `blobs` is None where object storage has them. Raises `BackupRefused`, SQLAlchemyError, OSError, and what
    `load_keys` does.
    """
    url = make_url(address)
    with archive.open("rb") as file:
        reader = Reader(file)
        manifest = reader.manifest
        _check_fits(manifest, url.get_backend_name(), blobs)
        if found := sorted(path.name for path in data.iterdir()):
            raise BackupRefused(f"{data} is not empty: it has `{found[0]}`; choose another folder")
        if shutil.disk_usage(data).free < reader.bytes:
            raise BackupRefused(f"{data} does not have enough space for the {reader.bytes} bytes of the backup")
        with _made_or_gone() as place:
            stage = place(data / STAGE)
            stage.mkdir(0o700)
            for name in manifest.members:
                reader.unpack(name, stage / Path(name).name)
            if fingerprint(load_keys(stage)) != manifest.key:
                raise BackupRefused(
                    "the secret key is not that of the host that was backed up; set DEVKIT_SECRET_KEY to "
                    "the value that it used, or leave it unset if it had none"
                )
            if blobs is not None:
                _unpack_blobs(reader, place(blobs))
            for name in KEYS:
                if name in manifest.members:
                    (stage / Path(name).name).rename(place(data / Path(name).name))
            if manifest.database == "sqlite":
                _move_sqlite(stage / Path(SQLITE).name, Path(url.database or ""), reader, place)
            else:
                _load_postgresql(address, stage, reader)
        shutil.rmtree(data / STAGE)
    return manifest


def _check_fits(manifest: Manifest, kind: str, blobs: Path | None) -> None:
    if manifest.revision > HEAD:
        raise BackupRefused(
            f"the backup has the schema {manifest.revision} of release {manifest.version}, and this one knows {HEAD} "
            "and those before it; restore it with that release or a newer one"
        )
    if manifest.database != kind:
        raise BackupRefused(
            f"the backup is of a host on {manifest.database}, and cannot be restored on {kind}; "
            + ("leave out --database-url" if manifest.database == "sqlite" else "give an empty one with --database-url")
        )
    if manifest.blobs is None and blobs is not None:
        raise BackupRefused(
            "the files of this host are in object storage; set DEVKIT_BLOB_URL to the value that it used"
        )
    if manifest.blobs is not None and blobs is None:
        raise BackupRefused("the backup has files for a data folder; restore it without DEVKIT_BLOB_URL")


def _unpack_blobs(reader: Reader, folder: Path) -> None:
    for name in reader.blobs:
        (folder / name[:2]).mkdir(0o700, parents=True, exist_ok=True)
        reader.unpack(f"blobs/{name}", folder / name[:2] / name)


def _check_blobs(connection: Connection, reader: Reader) -> None:
    """Refuse rows that refer to a blob which is neither in the archive nor listed as missing."""
    if reader.manifest.blobs is None:
        return
    lacking = needed_blobs(connection) - set(reader.blobs) - set(reader.manifest.missing)
    if lacking:
        raise BackupRefused(f"the archive lacks {len(lacking)} files that its rows refer to; use another backup")


def _move_sqlite(copy: Path, target: Path, reader: Reader, place: Callable[[Path], Path]) -> None:
    try:
        with closing(sqlite3.connect(copy)) as made:
            made.execute("PRAGMA trusted_schema=OFF")
            whole = made.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            unusual = made.execute(UNUSUAL).fetchone()[0]
            found = made.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise BackupRefused(f"the database of the archive cannot be read ({error}); use another backup") from error
    if not whole or unusual or found != (reader.manifest.revision,):
        raise BackupRefused("the database in the archive does not match its manifest; use another backup")
    with closing(Database(sqlite_url(str(copy)))) as database, database.engine.connect() as connection:
        _check_blobs(connection, reader)
    if target.exists():
        raise BackupRefused(f"{target} already exists; choose another place with --data")
    shutil.move(copy, place(target))


def _load_postgresql(address: str, stage: Path, reader: Reader) -> None:
    """Create the original schema and fill it, in one transaction."""
    with closing(Database(address)) as database, database.engine.connect() as connection, connection.begin():
        if not postgresql_rows.is_empty(connection):
            raise BackupRefused("the database is not empty; create a new one, and give it with --database-url")
        upgrade(connection, reader.manifest.revision)
        files = {table: stage / f"{table}.copy" for table in reader.tables}
        columns = {table: reader.manifest.members[name].columns for table, name in reader.tables.items()}
        postgresql_rows.read_in(connection, files, columns)
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
        if found != [reader.manifest.revision]:
            raise BackupRefused("the database in the archive does not match its manifest; use another backup")
        _check_blobs(connection, reader)


@contextmanager
def _made_or_gone() -> Iterator[Callable[[Path], Path]]:
    """Record created files, and remove them on failure."""
    made: list[Path] = []

    def place(path: Path) -> Path:
        made.append(path)
        return path

    try:
        yield place
    except BaseException:
        for path in made:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        raise
