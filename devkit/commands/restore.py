"""`devkit restore`: a host from a backup."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import click

from devkit.files import private_files
from devkit.local_host.data_folder import keep_out_of_git, problems_told
from devkit.local_host.host_settings import settings_of
from devkit.terminal.output import json_option, print_result
from runtime.contract import timestamps
from runtime.store.backups.archive import BackupRefused
from runtime.store.backups.restoring import restore
from runtime.store.secrets import Keyring, load_keyring


@click.command("restore")
@click.argument("file", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.option("--data", required=True, type=click.Path(file_okay=False), help="Folder of the new host; empty or new.")
@click.option("--database-url", help="An empty database elsewhere, for example PostgreSQL.")
@json_option
def command(file: Path, data: str, database_url: str | None, as_json: bool) -> None:
    """Restore a host from FILE, into an empty folder and an empty database; `devkit serve` starts it.

    A file that is incomplete, or not a backup, is refused and changes nothing.

    Example: devkit restore host-monday.zip --data ./restored
    """
    settings = settings_of(data, database_url)

    def load_keys(stage: Path) -> Keyring:
        if not settings.secret_key and not (stage / "secret.key").exists():
            raise BackupRefused("the backup has no key: set DEVKIT_SECRET_KEY to the value that the host used")
        return load_keyring(stage, settings.secret_key or None)

    with problems_told(data, "choose another folder"), _gone_on_failure(Path(data)):
        folder = private_files.folder(Path(data))
        blobs = None if settings.blob_url else Path(settings.blob_address)
        restored = restore(file, settings.database_address, folder, blobs, load_keys)
        keep_out_of_git(folder)
    made = timestamps.wire_time(datetime.fromisoformat(restored.made_at))
    value = {
        "data": data,
        "release": restored.version,
        "schema": restored.revision,
        "madeAt": made,
        "files": restored.blobs,
    }
    start = f"devkit serve --data {shlex.quote(data)}"
    print_result(as_json, value, f"restored {data} as it was at {made}; start it with `{start}`")


@contextmanager
def _gone_on_failure(folder: Path) -> Iterator[None]:
    """Remove a folder that was made here, and those made for it, if nothing was restored into it."""
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        yield
    except BaseException:
        with suppress(OSError):  # one that has something in it stays
            for place in made:
                place.rmdir()
        raise
