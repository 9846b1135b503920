"""Control groups: what is written where, and when the host keeps its hands off."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.engines.cgroups import find_groups
from runtime.engines.egress import EgressRules
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.table import create_engines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder like that of a control group; the kernel's own has files that appear by themselves."""
    created = tmp_path / "set-aside"
    created.mkdir()
    (created / "cgroup.controllers").write_text("cpu memory pids\n")
    (created / "cgroup.procs").write_text("")
    (created / "cgroup.subtree_control").write_text("")
    return created


def test_a_group_that_is_set_aside_is_divided(folder: Path) -> None:
    groups, why = find_groups(str(folder))

    assert groups is not None, why
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    group = groups.put(4711, 1 << 27, 64)
    created = next(folder.glob("script-*"))
    assert {file.name: file.read_text() for file in created.iterdir()} == {
        "memory.max": str(1 << 27),
        "memory.oom.group": "1",
        "pids.max": "64",
        "cgroup.procs": "4711",
    }
    (created / "memory.current").write_text("1234\n")
    (created / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert (group.memory(), group.ran_out_of_memory()) == (1234, True)


def test_the_hosts_own_processes_are_moved_down(folder: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (folder / "cgroup.procs").write_text(f"{os.getpid()}\n{child.pid}\n")
    assert find_groups(str(folder))[0] is not None
    assert (folder / "host" / "cgroup.procs").read_text() == str(child.pid)  # the last one written
    child.communicate(b"\n")


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("cgroup.controllers", "cpu io\n", "lacks the controllers memory, pids"),
        ("cgroup.procs", "1\n", "other programs"),
    ],
)
def test_a_group_that_cannot_be_divided_is_left_alone(folder: Path, file: str, content: str, why: str) -> None:
    (folder / file).write_text(content)

    groups, reason = find_groups(str(folder))

    assert groups is None
    assert why in reason
    assert not (folder / "host").exists()
    with pytest.raises(SandboxUnavailable, match="control group in `DEVKIT_CONTROL_GROUP`"):
        create_engines("required", EgressRules(), group=str(folder))


def test_groups_of_killed_hosts_are_removed(folder: Path) -> None:
    (folder / "script-999999999-0").mkdir()
    (folder / f"script-{os.getpid()}-0").mkdir()
    find_groups(str(folder))

    assert [left.name for left in folder.glob("script-*")] == [f"script-{os.getpid()}-0"]
