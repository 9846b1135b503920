"""`devkit backup`: all of a host in one file."""

from __future__ import annotations

import os
from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError

from devkit.local_host import private_files
from devkit.terminal.output import Problem, answer, json_option, warn
from runtime.settings import BadSetting, read_settings
from runtime.store.backups.archive import BackupRefused
from runtime.store.backups.making import make
from runtime.store.database import Database
from runtime.store.secrets import KeyMissing, load_keyring


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--data", required=True, type=click.Path(file_okay=False, exists=True), help="Folder of the host.")
@click.option("--database-url", help="A database elsewhere, for example PostgreSQL.")
@json_option
def command(file: Path, data: str, database_url: str | None, as_json: bool) -> None:
    """Write database, keys and files of a host into FILE; the host may run meanwhile.

    Whoever has the file can read all secrets of the host: it is for its owner alone (mode 0600), and belongs where
    others like it are kept.

    Example: devkit backup host-monday.zip --data ./data
    """
    folder = Path(data)
    try:
        settings = read_settings(data=data, database_url=database_url)
    except BadSetting as error:
        raise Problem(str(error)) from error
    if not settings.database_url and not (folder / "host.sqlite").exists():
        raise Problem(f"{data} has no database; name the folder of a host, and with PostgreSQL --database-url, too")
    if not settings.secret_key and not (folder / "secret.key").exists():
        raise Problem(f"{data} has no secret.key; set DEVKIT_SECRET_KEY as the host has it")
    before = os.umask(private_files.UMASK)
    database = Database(settings.database_address)
    try:
        keyring = load_keyring(folder, settings.secret_key or None)
        blobs = None if settings.blob_url else Path(settings.blob_address)
        made = make(database, folder, blobs, keyring, file.absolute())
    except (BackupRefused, KeyMissing) as error:
        raise Problem(str(error)) from error
    except SQLAlchemyError as error:
        raise Problem(f"the database cannot be used: {getattr(error, 'orig', None) or error}") from error
    except OSError as error:
        raise Problem(f"{error.filename or file}: {error.strerror}; choose a place with room") from error
    finally:
        database.close()
        os.umask(before)
    if made.missing:
        warn(f"{len(made.missing)} files that pages name are gone from the host already, and so are not in the backup")
    if made.blobs is None:
        warn("files of the content are in object storage, and not in the backup; keep versions of them there")
    if settings.secret_key:
        warn("the key of the host is DEVKIT_SECRET_KEY, and not in the backup; without it nobody can restore it")
    value = {
        "file": str(file),
        "size": file.stat().st_size,
        "schema": made.revision,
        "files": made.blobs,
        "missing": made.missing,
    }
    kept = "" if made.blobs is None else f", {made.blobs} files of the content"
    answer(as_json, value, f"wrote {file}: {value['size']:,} bytes{kept}, schema {made.revision}")
