"""`devkit backup`: all of a host in one file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from devkit.local_host.data_folder import problems_told
from devkit.local_host.host_settings import settings_of
from devkit.terminal.output import Problem, json_option, print_result, warn
from runtime.store.backups.making import make
from runtime.store.database import Database
from runtime.store.secrets import load_keyring


@click.command("backup")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--data", required=True, type=click.Path(file_okay=False, exists=True), help="Folder of the host.")
@click.option("--database-url", help="A database elsewhere, for example PostgreSQL.")
@json_option
def command(file: Path, data: str, database_url: str | None, as_json: bool) -> None:
    """Write database, keys and files of a host into FILE; the host may keep running.

    Whoever has the file can read all secrets of the host: only its owner can read it (mode 0600), and it belongs in a
    safe place.

    Example: devkit backup host-monday.zip --data ./data
    """
    if not file.absolute().parent.is_dir():
        raise Problem(f"there is no folder {file.absolute().parent}", hint=f"create it, or put {file.name} elsewhere")
    folder = Path(data)
    settings = settings_of(data, database_url)
    if not settings.database_url and not (folder / "host.sqlite").exists():
        raise Problem(
            f"{data} has no database", hint="give the folder of a host, and --database-url if it uses PostgreSQL"
        )
    if not settings.secret_key and not (folder / "secret.key").exists():
        raise Problem(f"{data} has no secret.key; set DEVKIT_SECRET_KEY to the value that the host uses")
    with (
        problems_told(str(file), "choose a place that can be written, with enough space"),
        closing(Database(settings.database_address)) as database,
    ):
        keyring = load_keyring(folder, settings.secret_key or None)
        blobs = None if settings.blob_url else Path(settings.blob_address)
        made = make(database, folder, blobs, keyring, file.absolute())
    if made.missing:
        warn(
            f"{len(made.missing)} files that pages refer to were missing on the host already, and are not in the backup"
        )
    if made.blobs is None:
        warn("content files are in object storage, and not in the backup; turn on versioning there")
    if settings.secret_key:
        warn(
            "the host's key is DEVKIT_SECRET_KEY, which is not in the backup; keep it, since the backup "
            "cannot be restored without it"
        )
    value = {
        "file": str(file),
        "size": file.stat().st_size,
        "schema": made.revision,
        "files": made.blobs,
        "missing": made.missing,
    }
    kept = "" if made.blobs is None else f", {made.blobs} content files"
    print_result(as_json, value, f"wrote {file}: {value['size']:,} bytes{kept}, schema {made.revision}")
