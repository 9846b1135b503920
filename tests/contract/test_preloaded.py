"""A command in a process that was preloaded does what the same command does that starts from nothing."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests import preloaded
from tests.conftest import free_port, wait_for
from tests.devkit.dev_process import commands_of, copy_sample

COMMANDS = {
    "that answers": ["--version"],
    "that is misspelled": ["chekc"],
    "that finds nothing in its folder": ["check", "--json"],
    "that asks for what nobody can answer": ["login", "--host", "http://127.0.0.1:1", "--stdin"],
    "that refuses what it is given": ["render", "one", "--at", "nowhere"],
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody without a configuration."""
    return os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config")}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_command(arguments: list[str], environ: dict[str, str], tmp_path: Path) -> None:
    assert preloaded.can_be_preloaded(environ)
    command = [sys.executable, "-m", "devkit", *arguments]
    done = subprocess.run(
        command, env=environ, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert preloaded.run(arguments, environ, tmp_path, 60) == (done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("mask", [0, 0o077])
def test_it_takes_over_what_files_are_open_to(mask: int, environ: dict[str, str], tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        code, _, errors = preloaded.run(["new", "made", "--template", "block"], environ, tmp_path, 60)
    finally:
        os.umask(before)
    assert (code, errors) == (0, "")
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o777 & ~mask


def test_it_leads_a_session_and_tells_which_signal_ended_it(environ: dict[str, str], tmp_path: Path) -> None:
    command = ["serve", "--data", str(tmp_path), "--port", str(free_port())]
    with (tmp_path / "log").open("wb") as log:
        process = preloaded.start(command, environ, log, log, tmp_path)
    assert isinstance(process, preloaded.Process)
    assert process.poll() is None
    assert os.getsid(process.pid) == process.pid
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait(60) == process.poll() == process.returncode == -signal.SIGKILL
    process.terminate()  # what has ended gets no signal


@pytest.mark.parametrize("name", ["PYTHONPATH", "LD_PRELOAD", "LANG", "COVERAGE_PROCESS_START"])
def test_what_is_read_before_the_first_import_needs_a_start_from_nothing(name: str, environ: dict[str, str]) -> None:
    assert not preloaded.can_be_preloaded(environ | {name: f"other {environ.get(name)}"})


def test_the_host_of_a_preloaded_dev_is_preloaded_too(environ: dict[str, str], tmp_path: Path) -> None:
    command = ["dev", str(copy_sample("counter", tmp_path)), "--no-open", "--port", str(free_port())]
    with (tmp_path / "log").open("wb") as log:
        process = preloaded.start(command, environ, log, log, tmp_path)
    try:
        leader = min(wait_for(lambda: commands_of(f"devkit serve --data {tmp_path}")))
        assert _parent(leader) == _parent(process.pid)
    finally:
        process.terminate()
        assert process.wait(60) == 0


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
