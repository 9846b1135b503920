"""The format of a backup: a ZIP archive whose first member, `backup.json`, describes the others.

`database/` has the SQLite file, or a file for each table of PostgreSQL; `keys/` the host's key files; `blobs/` the
blobs that rows refer to, each named by its SHA-256. Nothing in it is ever executed, and names are checked before use.
"""

from __future__ import annotations

import hashlib
import re
import stat
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

FORMAT = 1
MANIFEST = "backup.json"
LONGEST_MANIFEST = 4 << 20
"""Bytes; missing blobs are named in it, and a thousand tables would take a tenth."""
SQLITE = "database/host.sqlite"
KEYS = ("keys/secret.key", "keys/identity.pem")
PIECE = 1 << 20
_TABLE = re.compile(r"database/([a-z][a-z0-9_]{0,62})\.copy")
_BLOB = re.compile(r"blobs/([0-9a-f]{64})")


class BackupRefused(Exception):
    """A backup cannot be created or restored; the message says why, and what to do."""


class Member(BaseModel):
    """A file of the archive that is not a blob, with the columns of a table in their order."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    columns: list[str] = Field(default_factory=list, max_length=1600)


class Manifest(BaseModel):
    """The contents of `backup.json`.

    `key` is a fingerprint of the secret key. `blobs` is their number, None if they are in object storage; `missing`
    lists those that rows refer to and that the host had lost.
    """

    model_config = ConfigDict(extra="forbid")

    format: int
    version: str = Field(max_length=40)
    revision: str = Field(pattern="^[0-9]{4}$")
    database: Literal["sqlite", "postgresql"]
    made_at: str = Field(max_length=40)
    key: str = Field(pattern="^[0-9a-f]{64}$")
    members: dict[str, Member]
    blobs: int | None = Field(ge=0)
    missing: list[str]


class Writer:
    """Writes an archive, the manifest first."""

    def __init__(self, file: BinaryIO, manifest: Manifest) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False)
        self._zip.writestr(MANIFEST, manifest.model_dump_json(indent=1))

    def add(self, name: str, path: Path) -> None:
        """Add a file; blobs are stored uncompressed, since most are compressed already."""
        self._zip.write(path, name, zipfile.ZIP_STORED if name.startswith("blobs/") else zipfile.ZIP_DEFLATED)

    def close(self) -> None:
        """Write the central directory, without which nothing can be read."""
        self._zip.close()


class Reader:
    """Reads an untrusted archive; everything raises `BackupRefused`."""

    def __init__(self, file: BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise BackupRefused(f"this is not a complete backup: {error}") from error
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        if len(self._entries) != len(self._zip.infolist()):
            raise BackupRefused("the archive has two files with the same name; nothing was restored")
        self.manifest = self._manifest()
        self._check_names()

    @property
    def bytes(self) -> int:
        """Total size of all files, in bytes."""
        return sum(entry.file_size for entry in self._entries.values())

    @property
    def tables(self) -> dict[str, str]:
        """Table -> the member with its rows."""
        found = ((_TABLE.fullmatch(name), name) for name in self.manifest.members)
        return {match[1]: name for match, name in found if match is not None}

    @property
    def blobs(self) -> list[str]:
        """The names of the blobs."""
        return [match[1] for name in self._entries if (match := _BLOB.fullmatch(name)) is not None]

    def unpack(self, name: str, target: Path) -> None:
        """Write a member to a file (mode 0600), and check its bytes."""
        member = self.manifest.members.get(name)
        blob = _BLOB.fullmatch(name)
        expected = member.sha256 if member is not None else blob[1] if blob is not None else ""
        digest = hashlib.sha256()
        try:
            with self._zip.open(self._entries[name]) as source, target.open("xb") as out:
                target.chmod(0o600)
                while piece := source.read(PIECE):
                    digest.update(piece)
                    out.write(piece)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise BackupRefused(f"`{name}` of the archive cannot be read ({error}); use another backup") from error
        if digest.hexdigest() != expected:
            raise BackupRefused(f"`{name}` in the archive was changed or damaged; use another backup")

    def _manifest(self) -> Manifest:
        entry = self._entries.get(MANIFEST)
        if entry is None or entry.file_size > LONGEST_MANIFEST:
            raise BackupRefused(f"the archive has no {MANIFEST}; it was not made by `devkit backup`")
        try:
            text = self._zip.read(entry)
            manifest = Manifest.model_validate_json(text)
        except (ValidationError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise BackupRefused(
                f"{MANIFEST} of the archive cannot be read; it may be from a newer release; otherwise use "
                "another backup"
            ) from error
        if manifest.format != FORMAT:
            raise BackupRefused(
                f"the archive has format {manifest.format}, and this release knows {FORMAT}; restore it with release "
                f"{manifest.version}"
            )
        return manifest

    def _check_names(self) -> None:
        """Accept only the files that the manifest names and blobs, all of them regular files."""
        for name, entry in self._entries.items():
            kind = stat.S_IFMT(entry.external_attr >> 16)
            known = name == MANIFEST or name in self.manifest.members or _BLOB.fullmatch(name)
            if not known or kind not in (0, stat.S_IFREG) or entry.flag_bits & 1:
                raise BackupRefused(
                    f"the archive has `{name[:100]}`, which does not belong in a backup; nothing was restored"
                )
        of_database = (lambda name: name == SQLITE) if self.manifest.database == "sqlite" else _TABLE.fullmatch
        for name, member in self.manifest.members.items():
            if name not in KEYS and not of_database(name):
                raise BackupRefused(
                    f"the archive has `{name[:100]}`, which does not belong in a backup; nothing was restored"
                )
            if name not in self._entries or self._entries[name].file_size != member.size:
                raise BackupRefused(f"`{name}` in the archive is incomplete; use another backup")
        if len(self.blobs) != (self.manifest.blobs or 0):
            raise BackupRefused("the archive does not have as many files as its manifest says; use another backup")


def digest_of(path: Path) -> Member:
    """Describe a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            digest.update(piece)
    return Member(size=path.stat().st_size, sha256=digest.hexdigest())
