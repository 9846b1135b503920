"""`/readyz` is true: a host that could not keep what it is given says so, and takes nothing."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests import databases
from tests.conftest import HostProcess, Installed, init, installed, tenant, wait_for

EVENT = {"event": {"type": "space_content_updated", "revisionId": "r"}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    init(folder, "First", "first@example.com")
    return folder


@pytest.fixture
def running(data: Path) -> Iterator[HostProcess]:
    host = HostProcess(data).start()
    yield host
    host.stop()


def report(host: HostProcess) -> tuple[int, dict[str, object]]:
    answer = requests.get(f"{host.url}/readyz", timeout=10)
    return answer.status_code, answer.json()


def one_on(host: HostProcess) -> Installed:
    return installed(tenant(host, "First", "first@example.com"))


def trigger(one: Installed) -> int:
    return one.owner.api.post(f"{one.path}/events", EVENT).status


def test_a_host_whose_folder_is_removed_is_not_ready_and_takes_nothing(data: Path, running: HostProcess) -> None:
    one = one_on(running)
    assert (report(running)[0], trigger(one)) == (200, 202)
    shutil.rmtree(data)
    wait_for(lambda: (found := report(running))[0] == 503 and found[1]["disk"] is False)
    if databases.CHOSEN == "sqlite":
        assert report(running)[1]["database"] is False
        sent = one.owner.api.post(f"{one.path}/events", EVENT)
        assert (sent.status, "Retry-After" in sent.headers) == (503, True)
        assert not (data / "host.sqlite").exists()  # nobody begins another one there


def test_a_host_whose_database_was_replaced_is_not_ready(data: Path, running: HostProcess) -> None:
    if databases.CHOSEN != "sqlite":
        return  # there is no file
    one = one_on(running)
    (data / "host.sqlite").rename(data / "away")
    shutil.copy(data / "away", data / "host.sqlite")
    assert wait_for(lambda: report(running)[0] == 503)
    assert trigger(one) == 503
    (data / "away").rename(data / "host.sqlite")
    assert wait_for(lambda: report(running)[0] == 200)
    assert trigger(one) == 202


def test_a_host_whose_disk_is_full_is_not_ready_until_there_is_room(data: Path, running: HostProcess) -> None:
    """The limit of a file's size stands for the disk: beyond it nothing can be written, and files may be everywhere."""
    assert running.process is not None
    one = one_on(running)
    assert (report(running)[0], trigger(one)) == (200, 202)
    children = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(running.process.pid)], capture_output=True, text=True, check=True
    )
    (serving,) = map(int, children.stdout.split())
    _, most = resource.prlimit(serving, resource.RLIMIT_FSIZE)
    resource.prlimit(serving, resource.RLIMIT_FSIZE, (4096, most))
    _, told = wait_for(lambda: (found := report(running))[0] == 503 and found)
    assert told["disk"] is False
    if databases.CHOSEN == "sqlite":
        assert trigger(one) == 503
    resource.prlimit(serving, resource.RLIMIT_FSIZE, (most, most))
    wait_for(lambda: report(running)[0] == 200)
    assert trigger(one) == 202
    assert "are writable again" in (data / "host.log").read_text()


def serve(data: Path) -> subprocess.CompletedProcess[str]:
    """Try to start a host that does not get as far as listening."""
    command = [sys.executable, "-m", "devkit", "serve", "--data", str(data), "--port", str(HostProcess(data).port)]
    return subprocess.run(
        [*command, *databases.options_for(data)],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def lose_database(data: Path) -> None:
    if databases.CHOSEN == "sqlite":
        for file in data.glob("host.sqlite*"):
            file.unlink()
    else:
        databases.ask(data, "DROP SCHEMA public CASCADE")
        databases.ask(data, "CREATE SCHEMA public")


@pytest.mark.parametrize("kept", ["secret.key", "blobs"])
def test_a_folder_that_lost_its_database_is_refused(data: Path, kept: str) -> None:
    lose_database(data)
    if kept == "blobs":
        (data / "secret.key").unlink()
        (data / "blobs").mkdir()
        (data / "blobs" / "one").write_bytes(b"x")
    for _ in range(2):
        refused = serve(data)
        assert refused.returncode != 0
        assert "listening" not in refused.stdout
        assert f"holds {kept} of a host" in refused.stderr
        assert f"move {kept} away" in refused.stderr
    again = [sys.executable, "-m", "devkit", "init", "--data", str(data), *databases.options_for(data), "--json"]
    said = subprocess.run(again, capture_output=True, text=True, check=False)
    assert said.returncode != 0
    assert f"holds {kept} of a host" in said.stdout + said.stderr
    (data / kept).rename(data / "away")  # what the sentence says
    assert json.loads(subprocess.run(again, capture_output=True, text=True, check=True).stdout)["token"]


def test_an_empty_file_is_no_database(data: Path) -> None:
    if databases.CHOSEN != "sqlite":
        return  # there is no file
    lose_database(data)
    (data / "host.sqlite").touch()
    assert "holds secret.key of a host" in serve(data).stderr
