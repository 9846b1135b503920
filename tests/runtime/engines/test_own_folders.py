"""Temporary folders: those of a process that is gone go, those of one that lives stay."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.contract.identifiers import new_id
from runtime.engines.own_folders import Folders

PROGRAM = """
import sys, time
from runtime.engines.own_folders import Folders
with Folders(sys.argv[1]).lent() as folder:
    (folder / "half").write_text("done")
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def prefix() -> str:
    return f"test-{new_id()}-"


def other(prefix: str) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that is in the middle of its work; gives its folder."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, prefix], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_goes_with_the_next_start(prefix: str) -> None:
    process, folder = other(prefix)
    assert (folder / "half").exists()
    process.kill()
    process.communicate()
    assert (folder / "half").exists()
    own = Folders(prefix)
    assert not folder.parent.exists()
    own.close()


def test_what_a_living_process_works_with_stays(prefix: str) -> None:
    process, folder = other(prefix)
    try:
        own = Folders(prefix)
        assert (folder / "half").read_text() == "done"
        own.close()
        assert folder.exists()
    finally:
        process.kill()
        process.communicate()
    Folders(prefix).close()
    assert not folder.parent.exists()


def test_a_folder_is_lent_for_a_while(prefix: str) -> None:
    own = Folders(prefix)
    with own.lent() as one, own.lent() as two:
        (one / "file").write_text("text")
        assert one != two and one.parent == two.parent
    assert not one.exists() and not two.exists() and one.parent.exists()
    own.close()
    assert not one.parent.exists()
    with own.lent() as again:  # as where a system tidied its temporary folders
        assert again.exists()
    own.close()


def test_a_folder_that_was_tidied_away_is_made_again_where_it_was(prefix: str) -> None:
    own = Folders(prefix)
    shared = own.new()
    for lost in (shared, shared.parent, shared.parent / "lock"):
        shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
        own.again(shared)
        assert shared.is_dir() and shared.stat().st_mode & 0o777 == shared.parent.stat().st_mode & 0o777 == 0o700
        Folders(prefix).close()  # who removes what was left by others finds it in use
        assert shared.is_dir()
    own.again(shared)
    own.close()
    assert not shared.parent.exists()


@pytest.mark.parametrize("what", ["link", "open"])
def test_a_folder_that_somebody_else_made_meanwhile_is_not_used(what: str, prefix: str, tmp_path: Path) -> None:
    own = Folders(prefix)
    shared = own.new()
    shutil.rmtree(shared.parent)
    if what == "link":
        shared.parent.symlink_to(tmp_path)
    else:
        shared.parent.mkdir(mode=0o777)
        shared.parent.chmod(0o777)
    with pytest.raises(OSError, match="cannot be made again"):
        own.again(shared)
    assert not [*shared.parent.iterdir()]
    assert own.new().parent != shared.parent
    own.close()
    shared.parent.unlink() if what == "link" else shared.parent.rmdir()


def test_a_killed_host_leaves_no_folder_of_its_interpreter(tmp_path: Path) -> None:
    program = (
        "import time; from runtime.engines.python_process.zygote import Zygote; "
        "zygote = Zygote('off', ''); zygote.start(); print(flush=True); {then}"
    )
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    first = subprocess.Popen(
        [sys.executable, "-c", program.format(then="time.sleep(600)")], stdout=subprocess.PIPE, env=environ
    )
    assert first.stdout is not None and first.stdout.readline() == b"\n"
    first.kill()
    first.communicate()
    (left,) = tmp_path.iterdir()
    subprocess.run([sys.executable, "-c", program.format(then="zygote.close()")], check=True, env=environ)
    assert not left.exists() and not [*tmp_path.iterdir()]
