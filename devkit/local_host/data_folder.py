"""The data folder of a host, worked on without asking it: what may go wrong, said to whoever typed the command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from devkit.files import private_files
from devkit.terminal.output import Problem
from runtime.settings import BadSetting
from runtime.store.backups.archive import BackupRefused
from runtime.store.database_file import DatabaseLost
from runtime.store.migrate import NewerDatabase
from runtime.store.secrets import KeyMissing


def keep_out_of_git(folder: Path) -> None:
    """Have version control leave a data folder alone, with the key in it; one with files of others is theirs to sort.

    Raises OSError.
    """
    ignore = folder / ".gitignore"
    if not ignore.exists() and private_files.holds_ours_alone(folder):
        private_files.write(ignore, "*\n")


def _named(error: OSError, place: str) -> str:
    """Name the file of an error; what is written beside a place first, under a name of ours, is that place."""
    name = str(error.filename or place)
    return place if f"{os.sep}.{Path(place).name}." in name else name


@contextmanager
def problems_told(place: str, advice: str) -> Iterator[None]:
    """Raise Problem for what a folder, a database or a key refuses; files written meanwhile are for their owner alone.

    `place` is named where the system names none, `advice` is what to do where a file could not be read or written.
    """
    before = os.umask(private_files.UMASK)
    try:
        yield
    except (BackupRefused, BadSetting, DatabaseLost, KeyMissing, NewerDatabase) as error:
        raise Problem(str(error)) from error
    except SQLAlchemyError as error:
        raise Problem(f"the database cannot be used: {getattr(error, 'orig', None) or error}") from error
    except OSError as error:
        raise Problem(f"{_named(error, place)}: {error.strerror}; {advice}") from error
    finally:
        os.umask(before)
