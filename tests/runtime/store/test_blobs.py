"""Blobs in a folder and in object storage of a real S3 server, beside rows in both databases."""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from runtime.contract.identifiers import new_id
from runtime.store import disk
from runtime.store.blobs import store
from runtime.store.blobs.backend import Backend, BlobMissing, BlobsUnavailable
from runtime.store.blobs.folder import UNFINISHED, FolderBackend
from runtime.store.blobs.s3 import BadBlobAddress, S3Backend
from runtime.store.blobs.store import GRACE, BlobStore, BlobTooLarge
from runtime.store.content.space_files import need
from runtime.store.database import Database, now
from runtime.store.organization_storage import sent_lately
from runtime.store.tables.blobs import BlobRow, SpaceBlobRow
from tests.runtime.store.conftest import World, named

LONG = 20 * 1024 * 1024
OWNER = "organization"


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """Start an S3 server; gives its endpoint."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    program = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    endpoint = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert process.poll() is None, "the S3 server ended"
            try:
                urllib.request.urlopen(endpoint, timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield endpoint
    finally:
        process.kill()
        process.wait()


@pytest.fixture(params=["folder", "s3"])
def backend(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Backend:
    if request.param == "folder":
        return FolderBackend(tmp_path / "blobs")
    endpoint = request.getfixturevalue("s3")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    import boto3

    bucket = f"blobs-{tmp_path.name.replace('_', '-')[:40].lower()}".rstrip("-")
    boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1").create_bucket(Bucket=bucket)
    return S3Backend(f"s3://{bucket}/of/a/host?endpoint={endpoint}")


@pytest.fixture
def blobs(database: Database, backend: Backend) -> BlobStore:
    return BlobStore(database, backend)


def test_what_is_put_is_read(blobs: BlobStore) -> None:
    blob = blobs.put(io.BytesIO(b"some bytes"), 100, OWNER)
    assert blob.size == 10
    assert blobs.read(blob.name) == b"some bytes"
    with blobs.open(blob.name, 5) as stream:
        assert stream.read() == b"bytes"
    assert blobs.put(io.BytesIO(b"some bytes"), 100, OWNER) == blob


def test_a_long_one_travels_in_pieces(blobs: BlobStore) -> None:
    class Endless(io.RawIOBase):
        left = LONG
        longest = 0

        def read(self, size: int = -1) -> bytes:
            self.longest = max(self.longest, size)
            given = min(size, self.left)
            self.left -= given
            return b"x" * given

    stream = Endless()
    blob = blobs.put(stream, LONG, OWNER)  # type: ignore[arg-type]
    assert blob.size == LONG and 0 < stream.longest <= 1 << 20
    with blobs.open(blob.name) as stored:
        assert sum(len(piece) for piece in iter(lambda: stored.read(1 << 16), b"")) == LONG


def test_one_that_is_too_long_is_not_kept(blobs: BlobStore, database: Database) -> None:
    with pytest.raises(BlobTooLarge):
        blobs.put(io.BytesIO(b"x" * 101), 100, OWNER)


def test_one_that_is_not_there_says_so(blobs: BlobStore) -> None:
    with pytest.raises(BlobMissing):
        blobs.open("0" * 64)


def test_only_what_nobody_needs_goes(blobs: BlobStore, database: Database, world: World) -> None:
    space = named("spaces", "here")
    with database.transaction(writes=True) as session:
        session.execute(delete(BlobRow))  # of the world, whose bytes are nowhere
    needed, fresh, old = (blobs.put(io.BytesIO(text), 100, OWNER) for text in (b"needed", b"fresh", b"old"))
    with database.transaction(writes=True) as session:
        need(session, space, [needed])
        for blob in (needed, old):
            row = session.get(BlobRow, blob.name)
            assert row is not None
            row.touched_at = now() - GRACE - timedelta(minutes=1)
    assert blobs.sweep(10) == 1 and blobs.sweep(10) == 0
    assert blobs.read(needed.name) == b"needed" and blobs.read(fresh.name) == b"fresh"
    with pytest.raises(BlobMissing):
        blobs.open(old.name)
    with database.transaction(writes=True) as session:
        row = session.get(SpaceBlobRow, (space, needed.name))
        session.delete(row)
    assert blobs.sweep(10) == 1


def test_one_that_is_stored_again_while_it_is_swept_stays(blobs: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads store the same blob now and then while another sweeps as often as it can."""
    grace = 0.3
    monkeypatch.setattr(store, "GRACE", timedelta(seconds=grace))
    stop = threading.Event()
    missing: list[str] = []
    swept: list[int] = []

    def sweep() -> None:
        while not stop.is_set():
            swept.append(blobs.sweep(10))

    def put() -> None:
        for number in range(4):
            began = time.monotonic()
            kept = blobs.put(io.BytesIO(b"contested"), 100, OWNER)
            gone = not there(blobs, kept.name)
            if gone and time.monotonic() - began < grace:
                missing.append(kept.name)
            time.sleep(grace * (number % 2 + 1))

    sweeper = threading.Thread(target=sweep)
    writers = [threading.Thread(target=put) for _ in range(4)]
    for thread in (sweeper, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    sweeper.join()
    assert not missing and sum(swept) > 0


def there(blobs: BlobStore, name: str) -> bool:
    try:
        blobs.open(name).close()
    except BlobMissing:
        return False
    return True


def test_storage_that_ends_in_the_midst_of_a_blob_is_unavailable(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")

    def half(listener: socket.socket) -> None:
        for length in (100, 100, 9, 100):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\nonly this" % length)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=half, args=[listener], daemon=True).start()
        storage = S3Backend(f"s3://bucket?endpoint=http://127.0.0.1:{listener.getsockname()[1]}")
        with caplog.at_level("INFO"):
            for _ in range(2):
                with storage.open("0" * 64) as stream, pytest.raises(BlobsUnavailable):
                    assert stream.read(4) == b"only"
                    stream.read()
            with storage.open("0" * 64) as stream:
                assert list(iter(lambda: stream.read(4), b"")) == [b"only", b" thi", b"s"]
            with storage.open("0" * 64) as stream, pytest.raises(BlobsUnavailable):
                stream.read()
    told = [each.levelname for each in caplog.records if each.name == "runtime.store.blobs.s3"]
    assert told == ["ERROR", "INFO", "ERROR"], "storage works again when all of a blob has come, not when it begins"


@pytest.mark.parametrize("address", ["s3://", "http://bucket/prefix", "s3:bucket", "s3://[bucket"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(BadBlobAddress, match="s3://bucket/prefix"):
        S3Backend(address)


def test_a_blob_that_was_stored_for_nothing_goes_unless_others_stored_it(blobs: BlobStore) -> None:
    mine = blobs.put(io.BytesIO(b"mine alone"), LONG, OWNER)
    blobs.discard(mine)
    assert not blobs._backend.has(mine.name, mine.size)
    first = blobs.put(io.BytesIO(b"of two"), LONG, OWNER)
    second = blobs.put(io.BytesIO(b"of two"), LONG, OWNER)
    for blob in (first, second):
        blobs.discard(blob)
        assert blobs.read(blob.name) == b"of two"


def test_what_an_organization_sent_lately_counts_until_it_goes(blobs: BlobStore, database: Database) -> None:
    mine, other = new_id(), new_id()
    kept = blobs.put(io.BytesIO(b"x" * 5000), LONG, mine)
    gone = blobs.put(io.BytesIO(b"y" * 6000), LONG, mine)
    blobs.put(io.BytesIO(b"z"), LONG, other)
    with database.transaction(writes=True) as session:
        assert sent_lately(session, mine) == 11_000
    blobs.discard(gone)
    with database.transaction(writes=True) as session:
        assert (sent_lately(session, mine), sent_lately(session, other)) == (5000, 4096)
        session.execute(update(BlobRow).values(sent_at=now() - GRACE))
    blobs.touch([kept])  # a backup does
    with database.transaction(writes=True) as session:
        assert sent_lately(session, mine) == 0


def test_files_leave_room_for_the_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    storage, name = FolderBackend(tmp_path / "blobs"), "0" * 64
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(disk, "KEPT_FREE", 2 * usage.total)
    storage.write(name, io.BytesIO(b"text"))  # of a small disk, a share is kept free
    assert storage.has(name, 4)
    monkeypatch.setattr(disk, "KEPT_SHARE", 2)
    for _ in range(2):
        with pytest.raises(BlobsUnavailable, match="almost full"):
            storage.write("1" * 64, io.BytesIO(b"text"))
    assert not storage.has("1" * 64, 4)
    assert [each.levelname for each in caplog.records] == ["ERROR"], "the operator is told once"


def test_what_a_killed_process_left_unfinished_goes(tmp_path: Path) -> None:
    storage, name = FolderBackend(tmp_path / "blobs"), "0" * 64
    storage.sweep(time.time())  # there is nothing yet
    writing = threading.Thread(target=storage.write, args=(name, _Endless()), daemon=True)
    writing.start()
    unfinished = tmp_path / "blobs" / UNFINISHED
    while not (unfinished.is_dir() and [*unfinished.iterdir()]):
        time.sleep(0.01)
    [file] = unfinished.iterdir()
    storage.sweep(time.time() - 3600)
    assert file.exists()
    storage.sweep(time.time() + 3600)
    assert not file.exists() and not storage.has(name, 4)


class _Endless(io.BytesIO):
    """What never arrives."""

    def read(self, size: int | None = -1, /) -> bytes:
        threading.Event().wait()
        return b""


def test_storage_that_does_not_answer_is_unavailable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    storage = S3Backend("s3://bucket?endpoint=http://127.0.0.1:1")
    for _ in range(2):
        with pytest.raises(BlobsUnavailable):
            storage.open("0" * 64)
    assert [each.getMessage() for each in caplog.records if each.levelname == "ERROR"] == [
        "files cannot be read or written (DEVKIT_BLOB_URL): s3://bucket: EndpointConnectionError"
    ], "the operator is told once"
    (tmp_path / "blobs").write_text("a file")
    with pytest.raises(BlobsUnavailable):
        FolderBackend(tmp_path / "blobs").write("0" * 64, io.BytesIO(b""))
