"""What the host and the toolkit write is for their owner alone, whatever the umask, and looser files are closed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from devkit.files import private_files
from devkit.hosts import credentials
from tests.conftest import HostProcess, init, installed, tenant, wait_for
from tests.devkit.dev_process import DevProcess, copy_sample, devkit


@pytest.fixture(autouse=True)
def careless() -> Iterator[None]:
    """Run with the umask that closes nothing; processes take it over."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place for temporary files of its own; addresses of sockets must be short."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    shutil.rmtree(folder)


def loose(folder: Path) -> list[str]:
    """Tell what others could read: inside a closed folder they reach nothing, whatever its files allow."""
    results = []
    for path in sorted(folder.iterdir()):
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            continue
        if mode & 0o077:
            results.append(f"{path} {stat.filemode(mode)}")
    return results


def all_loose(folder: Path) -> list[str]:
    inner = [place for place in folder.rglob("*") if place.is_dir() and not place.is_symlink()]
    results = [f"{folder} {stat.filemode(folder.stat().st_mode)}"] if folder.stat().st_mode & 0o077 else []
    return results + [path for place in (folder, *inner) for path in loose(place)]


def test_devkit_dev_leaves_nothing_that_others_can_read(tmp_path: Path, temporary: Path) -> None:
    project = copy_sample("counter", tmp_path)
    ours = project / ".devkit"
    ours.mkdir(mode=0o777)
    for name in ("host.log", "lock", ".gitignore", "running.json"):
        (ours / name).write_text("")
        assert loose(ours)
    run = DevProcess(project, tmp_path)
    run.wait("ready")
    try:
        assert wait_for(lambda: (ours / "host.sqlite").exists() and list(temporary.iterdir()))
        assert {"host.sqlite", "host.sqlite-wal", "host.sqlite-shm", "secret.key", "token", "running.json"} <= {
            path.name for path in ours.iterdir()
        }
        assert all_loose(ours) == []
        assert loose(temporary) == []
    finally:
        run.end()
    assert all_loose(ours) == []
    assert loose(temporary) == []


def test_devkit_serve_closes_what_an_earlier_one_left(tmp_path: Path, temporary: Path) -> None:
    data = tmp_path / "data"
    init(data, "First", "first@example.com")
    assert all_loose(data) == []
    for path in data.iterdir():
        path.chmod(0o666)
    data.chmod(0o777)
    host = HostProcess(data).start()
    try:
        owner = tenant(host, "Owner", "owner@example.com")
        assert installed(owner).render().status == 200
        bundle = "export default { fetch() { return new Response('null'); } };"
        assert installed(owner, bundle, runtime="v2").render().status in (200, 502)
        assert wait_for(lambda: len(list(temporary.iterdir())) > 1)
        assert all_loose(data) == []
        assert loose(temporary) == []
    finally:
        assert host.stop() == 0
    assert all_loose(data) == []


def test_a_database_elsewhere_is_closed_and_its_folder_is_let_be(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (shared / "something").write_text("else")
    address = f"sqlite:///{shared / 'my.db'}"
    for _ in range(2):
        done = devkit(tmp_path, "init", "--data", str(shared), "--database-url", address, "--json")
        assert done.code == 0, done.err
        assert {path.name for path in shared.iterdir() if path.stat().st_mode & 0o077} == {"something"}
        (shared / "my.db").chmod(0o644)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755


def test_what_is_remembered_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".config" / "devkit").mkdir(parents=True)
    file = tmp_path / ".config" / "devkit" / "credentials.json"
    file.write_text('{"hosts": {}}')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    credentials.save(credentials.Credentials("http://127.0.0.1:9", "dk_x"))
    assert all_loose(file.parent) == []


def test_nothing_is_written_through_a_link_of_somebody_else(tmp_path: Path) -> None:
    """A project from elsewhere may bring a `.devkit` of its own."""
    target = tmp_path / "precious"
    target.write_text("kept")
    (tmp_path / "lock").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        private_files.write(tmp_path / "lock", "")
    assert target.read_text() == "kept"
