"""Tells that a new host begins in a folder; for the process that leads a host, which loads no more than it must."""

from __future__ import annotations

from pathlib import Path

from devkit.files import private_files
from runtime.settings import Settings

SIGNS = ("host.sqlite", "secret.key", private_files.OUR_FOLDER)
"""What is in the data folder of every host that has been started: one of these at least."""


def new_host_notice(settings: Settings) -> str:
    """Say that a new host starts in the data folder, which might be a misspelled one; "" where there is one."""
    if not settings.data or settings.database_url:
        return ""
    data = Path(settings.data).absolute()
    if any((data / name).exists() for name in SIGNS):
        return ""
    why = f"there is no host in {data} yet" if data.exists() else f"there was no folder {data}"
    return (
        f"{why}: a new, empty host begins there. If yours is elsewhere, press Ctrl-C and give its folder with --data."
    )
