"""`devkit restore` takes what `devkit backup` made, and nothing that somebody made of it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import init
from tests.devkit.conftest import Shell
from tests.devkit.dev_process import devkit

Files = dict[str, bytes]
BLOB = b"bytes of a file"
NAME = hashlib.sha256(BLOB).hexdigest()
LOST = hashlib.sha256(b"lost").hexdigest()


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a host with a blob, and one that it lost."""
    home = tmp_path_factory.mktemp("backup")
    data = home / "data"
    init(data, "Company", "me@example.com")
    with closing(sqlite3.connect(data / "host.sqlite")) as connection, connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        for name in (NAME, LOST):
            moment = "2026-01-01 00:00:00.000000"
            connection.execute("INSERT INTO blobs (name, size, touched_at) VALUES (?, 15, ?)", (name, moment))
            connection.execute(
                "INSERT INTO space_blobs (space_id, name, size, added_at) VALUES ('s', ?, 15, ?)", (name, moment)
            )
    place = data / "blobs" / NAME[:2]
    place.mkdir(parents=True)
    (place / NAME).write_bytes(BLOB)
    made = devkit(home, "backup", "host.zip", "--data", "data", "--json")
    assert (made.code, made.json["files"], made.json["missing"]) == (0, 1, [LOST]), made.err
    assert "1 files that pages refer to were missing on the host already" in made.err
    with closing(sqlite3.connect(data / "host.sqlite")) as connection:
        touched = connection.execute("SELECT count(*) FROM blobs WHERE touched_at > '2026-01-02'").fetchone()
        assert touched == (2,), "what a backup is about to copy must not be swept meanwhile"
    return home / "host.zip"


def test_a_backup_is_restored(shell: Shell, backup: Path, tmp_path: Path) -> None:
    done = shell("restore", str(backup), "--data", "new/folder", "--json")
    assert done.code == 0 and done.json["files"] == 1, done.err
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", done.json["madeAt"])
    data = tmp_path / "new" / "folder"
    assert (data / "blobs" / NAME[:2] / NAME).read_bytes() == BLOB
    assert {path.name for path in data.iterdir()} == {".gitignore", "host.sqlite", "secret.key", "blobs"}
    again = shell("backup", "again.zip", "--data", "new/folder")
    assert again.code == 0 and again.out.startswith("wrote again.zip: "), again.err


def manifest(change: Callable[[dict[str, Any]], None]) -> Callable[[Files], None]:
    def spoil(files: Files) -> None:
        value = json.loads(files["backup.json"])
        change(value)
        files["backup.json"] = json.dumps(value).encode()

    return spoil


def database(statement: str) -> Callable[[Files], None]:
    """Change the database inside, with a manifest that fits."""

    def spoil(files: Files) -> None:
        with closing(sqlite3.connect(":memory:")) as connection:
            # Not in WAL, which a database in memory cannot be.
            content = bytearray(files["database/host.sqlite"])
            content[18:20] = b"\1\1"
            connection.deserialize(bytes(content))
            connection.executescript(statement)
            files["database/host.sqlite"] = content = bytearray(connection.serialize())
        value = json.loads(files["backup.json"])
        value["members"]["database/host.sqlite"] |= {
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        files["backup.json"] = json.dumps(value).encode()

    return spoil


SPOILED: dict[str, tuple[Callable[[Files], Any], str]] = {
    "a path that leads out": (lambda files: files.update({"blobs/../../out": b"x"}), "does not belong in a backup"),
    "an absolute path": (lambda files: files.update({"/tmp/out": b"x"}), "does not belong in a backup"),
    "a file nobody knows": (lambda files: files.update({"host.log": b"x"}), "does not belong in a backup"),
    "a key of another name": (
        manifest(lambda value: value["members"].update({"keys/../out": value["members"]["keys/secret.key"]})),
        "does not belong in a backup",
    ),
    "a key with other bytes": (lambda files: files.update({"keys/secret.key": b"x" * 44}), "was changed or damaged"),
    "a blob with other bytes": (lambda files: files.update({f"blobs/{NAME}": b"x"}), "was changed or damaged"),
    "a blob too few": (lambda files: files.pop(f"blobs/{NAME}"), "as many files as its manifest says"),
    "a blob that rows name": (
        lambda files: (files.pop(f"blobs/{NAME}"), manifest(lambda value: value.update(blobs=0))(files)),
        "lacks 1 files that its rows refer to",
    ),
    "no manifest": (lambda files: files.pop("backup.json"), "has no backup.json"),
    "a manifest of another kind": (manifest(lambda value: value.pop("revision")), "cannot be read"),
    "another format": (manifest(lambda value: value.update(format=2)), "has format 2"),
    "a newer schema": (manifest(lambda value: value.update(revision="9999")), "schema 9999"),
    "a schema it has not": (manifest(lambda value: value.update(revision="0001")), "does not match its manifest"),
    "a trigger": (
        database("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM spaces; END"),
        "does not match its manifest",
    ),
    "a virtual table": (
        database("CREATE VIRTUAL TABLE t USING fts5(a)"),
        "does not match its manifest",
    ),
    "no database at all": (
        lambda files: (files.update({"database/host.sqlite": b""}), database("SELECT 1")(files)),
        "cannot be read",
    ),
}


@pytest.mark.parametrize("fault", SPOILED)
def test_what_was_tampered_with_changes_nothing(fault: str, shell: Shell, backup: Path, tmp_path: Path) -> None:
    spoil, sentence = SPOILED[fault]
    with zipfile.ZipFile(backup) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    spoil(files)
    with zipfile.ZipFile(tmp_path / "spoiled.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, bytes(content))
    refused(shell, tmp_path, sentence)


def test_links_and_doubles_are_refused(shell: Shell, backup: Path, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("keys/identity.pem")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    for entry, sentence in (
        (link, "does not belong in a backup"),
        (zipfile.ZipInfo("keys/secret.key"), "two files with the same name"),
    ):
        shutil.copy(backup, tmp_path / "spoiled.zip")
        with zipfile.ZipFile(tmp_path / "spoiled.zip", "a") as archive:
            if entry.filename in archive.namelist():
                with pytest.warns(UserWarning, match="Duplicate name"):
                    archive.writestr(entry, b"/etc/passwd")
            else:
                archive.writestr(entry, b"/etc/passwd")
        refused(shell, tmp_path, sentence)


@pytest.mark.parametrize("kept", [0, 100, 0.5, -1])
def test_half_an_archive_is_refused(kept: float, shell: Shell, backup: Path, tmp_path: Path) -> None:
    whole = backup.read_bytes()
    end = int(len(whole) * kept) if 0 < kept < 1 else int(kept)
    (tmp_path / "spoiled.zip").write_bytes(whole[:end])
    refused(shell, tmp_path, "not a complete backup")


def refused(shell: Shell, home: Path, sentence: str) -> None:
    done = shell("restore", "spoiled.zip", "--data", "data")
    assert done.code == 1 and sentence in done.err and done.err.count("\n") == 1, done.err
    assert not (home / "data").exists() and not (home / "out").exists()
