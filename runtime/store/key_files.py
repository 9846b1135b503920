"""Key files of this host: created once, readable only by its user."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def read_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Read a key file, made at the first time (mode 0600); of processes that make it at once, one wins for all.

    Raises OSError.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(make())
        try:
            # A link, not a rename: it never replaces the key that another process made meanwhile.
            os.link(fresh, path)
        except FileExistsError:
            pass  # both go on with that one
        finally:
            fresh.unlink()
    return path.read_bytes()
