"""Ports of local hosts, and the note by which other commands find one."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import tarfile
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import requests

from devkit.files import private_files
from devkit.hosts import running
from devkit.hosts.client import Client
from devkit.local_host import process
from devkit.local_host.process import FIRST_PORT, PORTS, LocalHost, choose_port, content_url
from devkit.terminal.output import Problem
from devkit.tunnel.exchange import Answer, Incoming
from devkit.tunnel.tunnel import Tunnel
from tests.conftest import free_port, wait_for


def test_a_folder_has_always_the_same_port_unless_it_is_taken(tmp_path: Path) -> None:
    port = choose_port(tmp_path, None)
    assert FIRST_PORT <= port < FIRST_PORT + PORTS
    assert choose_port(tmp_path, None) == port
    assert choose_port(tmp_path, None, but=port) != port
    with socket.socket() as occupied:
        occupied.bind(("127.0.0.1", port))
        occupied.listen()
        assert choose_port(tmp_path, None) != port
        with pytest.raises(Problem, match=f"port {port} is taken"):
            choose_port(tmp_path, port)
    assert choose_port(tmp_path, port) == port


def test_a_running_host_is_found_from_below_its_project(tmp_path: Path) -> None:
    project, data = tmp_path / "project", tmp_path / "data"
    for folder in (project / "deep" / "deeper", data):
        folder.mkdir(parents=True)
    (data / "token").write_text("dk_secret\n")
    assert running.find(project) is None
    note = running.write(project, "http://127.0.0.1:4100", data)
    assert "dk_secret" not in note.read_text()
    for folder in (project, project / "deep" / "deeper"):
        assert running.find(folder) == ("http://127.0.0.1:4100", "dk_secret")
    assert running.find(tmp_path) is None
    assert (project / ".devkit" / ".gitignore").read_text() == "*\n"
    running.remove(note)
    assert running.find(project) is None
    running.remove(note)


def test_a_note_of_a_dead_process_counts_for_nothing_and_belongs_to_its_writer(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("dk_secret")
    note = running.write(tmp_path, "http://127.0.0.1:4100", tmp_path)
    stored = json.loads(note.read_text())
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(child, 0)
    note.write_text(json.dumps(stored | {"process": child}))
    assert running.find(tmp_path) is None
    running.remove(note)
    assert note.exists(), "another process wrote it"
    note.write_text("{")
    assert running.find(tmp_path) is None


@pytest.mark.parametrize(
    ("mode", "change"),
    [
        (0o644, {}),
        (0o600, {"host": "http://elsewhere.example:4100"}),
        (0o600, {"host": "http://127.0.0.1:4100@elsewhere.example"}),
        (0o600, {"process": 0}),
        (0o600, {"process": -1}),
    ],
)
def test_a_note_that_came_with_a_project_sends_no_token_anywhere(
    mode: int, change: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("dk_secret")
    note = running.write(tmp_path, "http://127.0.0.1:4100", tmp_path)
    assert running.find(tmp_path) is not None
    note.write_text(json.dumps(json.loads(note.read_text()) | change))
    note.chmod(mode)
    assert running.find(tmp_path) is None


def test_a_note_out_of_an_archive_sends_no_token_anywhere(tmp_path: Path) -> None:
    project, packed, unpacked = tmp_path / "project", tmp_path / "packed.tar", tmp_path / "unpacked"
    project.mkdir()
    (project / "token").write_text("dk_secret")
    running.write(project, "http://127.0.0.1:4100", project)
    with tarfile.open(packed, "w") as archive:
        archive.add(project, arcname=".")
    with tarfile.open(packed) as archive:
        archive.extractall(unpacked)
    assert stat.S_IMODE((unpacked / ".devkit" / "running.json").stat().st_mode) == 0o600
    assert running.find(project) is not None and running.find(unpacked) is None


def test_a_data_folder_that_came_with_a_project_is_not_used(tmp_path: Path) -> None:
    """Whoever made it knows its token; one that leads elsewhere would have files of others written over."""
    ours, packed, unpacked = tmp_path / "ours", tmp_path / "packed.tar", tmp_path / "unpacked"
    for _ in range(2):
        with running.claim(running.data_in(ours)):
            private_files.write(ours / ".devkit" / "token", "dk_secret")
    with tarfile.open(packed, "w") as archive:
        archive.add(ours, arcname=".")
    with tarfile.open(packed) as archive:
        archive.extractall(unpacked)
    with pytest.raises(Problem, match="was not created on this machine"):
        running.data_in(unpacked)
    with running.claim(unpacked / ".devkit"):  # as --data does, which its owner types
        pass
    assert running.data_in(unpacked) == unpacked / ".devkit"
    (unpacked / ".devkit" / "lock").write_text("")
    running.forget(running.data_in(unpacked, fresh=True))
    assert not (unpacked / ".devkit").exists()


def test_a_link_in_the_place_of_the_data_folder_leads_nowhere(tmp_path: Path) -> None:
    project, other, data = tmp_path / "project", tmp_path / "other", tmp_path / "data"
    for folder in (project, other, data):
        folder.mkdir()
    (data / "token").write_text("dk_secret")
    running.write(other, "http://127.0.0.1:4100", data)
    assert running.find(other) is not None
    (other / ".devkit" / ".gitignore").write_text("mine")
    (project / ".devkit").symlink_to(other / ".devkit")
    assert running.find(project) is None
    with pytest.raises(OSError, match="symbolic links"):
        running.write(project, "http://127.0.0.1:4100", data)
    for fresh in (False, True):
        with pytest.raises(Problem, match="is a link"):
            running.data_in(project, fresh=fresh)
    assert (other / ".devkit" / ".gitignore").read_text() == "mine"


@pytest.mark.parametrize(
    ("expected", "origin"),
    [
        ("", "http://*.localhost:4100"),
        ("https://*.content.example", "http://*.localhost:4100"),
        ("content.example", "http://*.localhost:4100"),
        ("ftp://localhost", "http://*.localhost:4100"),
        ("http://[", "http://*.localhost:4100"),
        ("http://localhost:4100", "http://localhost:4100"),
        ("http://*.localhost:9", "http://*.localhost:9"),
    ],
)
def test_scripts_answer_on_this_machine_whatever_is_set_for_a_host_elsewhere(expected: str, origin: str) -> None:
    assert content_url(expected, 4100) == origin


class Here:
    """Answers calls of a tunnel."""

    def answer(self, incoming: Incoming) -> Answer:
        return Answer(200, [], b"here")


def test_a_tunnel_outlasts_that_the_system_tidies_its_temporary_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "KEEP_EVERY", 0.1)
    with TemporaryDirectory(dir="/tmp") as temporary:  # short, as the addresses of sockets must be
        monkeypatch.setattr("tempfile.tempdir", temporary)
        host = LocalHost(tmp_path / "data", free_port(), "off")
        try:
            host.wait(threading.Event())
            (shared,) = Path(temporary).glob("devkit-relay-*")
            organization = str(next(Client(host.credentials).every("/v1/orgs"))["id"])
            tunnel = Tunnel(host.credentials, organization, "mine", Here(), lambda _: None)
            below = f"http://127.0.0.1:{host.port}/tunnels/{tunnel.url.rpartition('/')[2]}"

            def answered() -> bool:
                named = {"Host": tunnel.url.split("/")[2]}
                return requests.get(below, headers=named, timeout=30).text == "here"

            assert answered()
            shutil.rmtree(shared)
            wait_for(shared.is_dir)
            wait_for(answered)
            tunnel.close()
        finally:
            host.stop()
        assert not shared.exists()
