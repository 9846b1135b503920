"""The file in which serving processes count their calls has no holes, which a full disk would turn into an end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from runtime.engines.javascript.shared_call_counts import SharedCallCounts
from runtime.engines.sandbox import needed_bubblewrap

ON_A_FULL_DISK = """
import errno
from pathlib import Path
from runtime.engines.javascript.shared_call_counts import SharedCallCounts

first = SharedCallCounts(Path("first"))
with open("filling", "wb", buffering=0) as file:
    try:
        while True:
            file.write(b"x" * 4096)
    except OSError:
        pass
assert first.enter()
try:
    SharedCallCounts(Path("second"))
except OSError as error:
    assert error.errno == errno.ENOSPC
    print("fine")
"""


def test_a_full_disk_is_an_error_and_no_end(tmp_path: Path) -> None:
    disk = [needed_bubblewrap(), "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", str(tmp_path)]
    ended = subprocess.run(
        [*disk, "--chdir", str(tmp_path), sys.executable, "-c", ON_A_FULL_DISK],
        env={"PYTHONPATH": str(Path(__file__).parents[4])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "fine\n"), ended.stderr


def test_who_comes_later_finds_what_was_counted(tmp_path: Path) -> None:
    first = SharedCallCounts(tmp_path / "call_counts")
    assert first.enter()
    second = SharedCallCounts(tmp_path / "call_counts", 1)
    assert (second.own(), second.others()) == (0, 1)
