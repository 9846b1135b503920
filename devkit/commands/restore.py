"""`devkit restore`: a host made of a backup."""

from __future__ import annotations

import os
from pathlib import Path

import click
from sqlalchemy.exc import SQLAlchemyError

from devkit.local_host import private_files
from devkit.terminal.output import Problem, answer, json_option
from runtime.settings import BadSetting, read_settings
from runtime.store.backups.archive import BackupRefused
from runtime.store.backups.restoring import restore
from runtime.store.secrets import KeyMissing, Keyring, load_keyring


@click.command("restore")
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option("--data", required=True, type=click.Path(file_okay=False), help="Folder of the new host; empty or new.")
@click.option("--database-url", help="An empty database elsewhere, for example PostgreSQL.")
@json_option
def command(file: Path, data: str, database_url: str | None, as_json: bool) -> None:
    """Make a host of FILE, in an empty folder and an empty database; `devkit serve` starts it.

    What is not whole, or not a backup, is refused and changes nothing.

    Example: devkit restore host-monday.zip --data ./restored
    """
    try:
        settings = read_settings(data=data, database_url=database_url)
    except BadSetting as error:
        raise Problem(str(error)) from error

    def load_keys(stage: Path) -> Keyring:
        if not settings.secret_key and not (stage / "secret.key").exists():
            raise BackupRefused("the backup has no key: set DEVKIT_SECRET_KEY as the host had it")
        return load_keyring(stage, settings.secret_key or None)

    before = os.umask(private_files.UMASK)
    try:
        folder = private_files.folder(Path(data))
        blobs = None if settings.blob_url else Path(settings.blob_address)
        restored = restore(file, settings.database_address, folder, blobs, load_keys)
    except (BackupRefused, KeyMissing) as error:
        raise Problem(str(error)) from error
    except SQLAlchemyError as error:
        raise Problem(f"the database cannot be used: {getattr(error, 'orig', None) or error}") from error
    except OSError as error:
        raise Problem(f"{error.filename or data}: {error.strerror}; choose another folder") from error
    finally:
        os.umask(before)
    value = {
        "data": data,
        "release": restored.version,
        "schema": restored.revision,
        "madeAt": restored.made_at,
        "files": restored.blobs,
    }
    answer(as_json, value, f"restored {data} as it was at {restored.made_at}; start it with `devkit serve`")
