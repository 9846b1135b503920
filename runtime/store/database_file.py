"""The file of a SQLite database: whether it is still the one that was opened, and whether one was lost."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

KEY, BLOBS = "secret.key", "blobs"
"""Files of a host in its data folder, besides the database."""


class DatabaseGone(SQLAlchemyError):
    """The file of the database was removed or replaced under the host that has it open."""


class DatabaseLost(RuntimeError):
    """A data folder has files of a host, but its database is missing; the message says what to do."""


class DatabaseFile:
    """The file at a path; data that is written to a deleted file would be lost."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: tuple[int, int] | None = None

    def opened(self) -> None:
        """Remember the file when it is first opened; raises DatabaseGone if it is another one later."""
        if self._opened is None:
            self._opened = self._identity()
        self.check()

    def check(self) -> None:
        """Raise DatabaseGone unless the opened file still exists."""
        if self._opened is not None and self._identity() != self._opened:
            raise DatabaseGone(f"{self._path} is not the file that this host opened; restart the host")

    def _identity(self) -> tuple[int, int]:
        try:
            status = self._path.stat()
        except OSError as error:
            raise DatabaseGone(f"{self._path}: {error.strerror}; put it back as it was and restart the host") from error
        return status.st_dev, status.st_ino


def path_of(url: str) -> Path | None:
    """Return the file of a database, None where it has none of its own."""
    parsed = make_url(url)
    name = parsed.database or ""
    if parsed.get_backend_name() != "sqlite" or name in ("", ":memory:") or name.startswith("file:"):
        return None
    return Path(name)


def refuse_lost(data: Path | None, engine: Engine) -> None:
    """Raise DatabaseLost when a data folder holds a key or files, and its database is empty or missing.

    A host that started over there would seem to work, without any of its data.
    """
    kept = _kept(data) if data is not None else []
    if not kept or not _is_empty(engine):
        return
    file = path_of(str(engine.url))
    what = f"the database {file}" if file is not None else "a database with tables at the address that was given"
    raise DatabaseLost(
        f"{data} holds {' and '.join(kept)} of a host, but not {what}. Put the database back from a "
        "backup of the same time, or correct its address. To start over without its data, choose another "
        f"data folder, or move {' and '.join(kept)} away first"
    )


def _kept(data: Path) -> list[str]:
    blobs = data / BLOBS
    has_blobs = blobs.is_dir() and any(blobs.iterdir())
    return [*([KEY] if (data / KEY).exists() else []), *([BLOBS] if has_blobs else [])]


def _is_empty(engine: Engine) -> bool:
    file = path_of(str(engine.url))
    if file is not None and (not file.exists() or file.stat().st_size == 0):
        return True  # without connecting, which would make it
    return not inspect(engine).get_table_names()
