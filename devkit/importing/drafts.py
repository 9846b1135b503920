"""Which change request the last import of a file, folder or address went into, as this machine remembers it.

Pages that are imported again keep their ids there. Another change request would bring them into the space twice.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from devkit.files import private_files
from devkit.hosts import credentials
from devkit.hosts.client import Client, RequestRefused
from devkit.importing import requests
from devkit.terminal.output import note

MOST = 200
"""Imports that are remembered, the latest ones."""
UNFINISHED = ("draft", "open")


def key_of(client: Client, space: str, *what: str | None) -> str:
    """Name an import: its host, space, source and place. A digest, since addresses may have secrets in them."""
    return hashlib.sha256(json.dumps([client.host, space, *what]).encode()).hexdigest()


def remembered(client: Client, space: str, key: str) -> dict[str, Any] | None:
    """Find the change request of the last such import, updated to what the space has now; None if it is over.

    None also where the space changed at the same places: a new one can be merged.
    """
    known = _kept().get(key)
    if known is None:
        return None
    try:
        found = requests.shown(client, space, known)
        if found["status"] not in UNFINISHED or not requests.updated(client, space, known):
            return None
    except RequestRefused as refused:
        if refused.status not in (403, 404, 409):
            raise
        return None
    return found


def remember(key: str, request: str) -> None:
    """Note the change request of an import; where nothing can be written, it is forgotten."""
    now = {name: one for name, one in _kept().items() if name != key}
    latest = dict([*now.items(), (key, request)][-MOST:])
    file = _file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=private_files.FOLDER)
        private_files.write(file, json.dumps(latest) + "\n")
    except OSError as error:
        note(f"{file} cannot be written ({error.strerror}), so importing again makes another change request")


def _file() -> Path:
    return credentials.path().with_name("imports.json")


def _kept() -> dict[str, str]:
    with suppress(OSError, ValueError):
        stored = json.loads(_file().read_text(encoding="utf-8"))
        if isinstance(stored, dict):
            return {str(name): one for name, one in stored.items() if isinstance(one, str)}
    return {}
