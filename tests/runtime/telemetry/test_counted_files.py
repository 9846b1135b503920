"""A full disk ends no process that counts, and what was counted meanwhile is shown when there is room again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from runtime.engines.sandbox import needed_bubblewrap

COUNTS = """
import logging, os
from pathlib import Path

logging.basicConfig(format="%(message)s")
os.environ["PROMETHEUS_MULTIPROC_DIR"] = os.getcwd()

from runtime.telemetry import counted_files, metrics

def shown(name):
    return any(line.startswith(name) for line in metrics.text(None).decode().splitlines())

def holes():
    return [one for one in Path().glob("*.db") if one.stat().st_blocks * 512 < one.stat().st_size]

def count(since, until):
    for number in range(since, until):
        metrics.request_ended(f"operation{number}", 200, 0.1)

FIRST = 'host_requests_total{operation="operation0",status="200"} 1.0'
LAST = 'host_requests_total{operation="operation1999",status="200"} 1.0'
"""
FULL = (
    COUNTS
    + """
def fill():
    with open("filling", "wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass

if BEGINS == "before":
    count(0, 10)
    assert shown(FIRST)
    fill()
else:
    fill()
    count(0, 10)
count(10, 2000)
assert shown(FIRST) == (BEGINS == "before") and not shown(LAST)
os.unlink("filling")
counted_files.AGAIN_AFTER = 0
count(2000, 2001)
assert shown(FIRST) and shown(LAST) and not holes()
print("fine")
"""
)


def ran(program: str, folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[3])
    return subprocess.run(
        [*before, sys.executable, "-c", program],
        cwd=folder,
        env={"PYTHONPATH": root},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_files_have_no_holes(tmp_path: Path) -> None:
    ended = ran(COUNTS + "count(0, 2000)\nassert shown(FIRST) and shown(LAST) and not holes()\nprint('fine')", tmp_path)
    assert ended.stdout == "fine\n", ended.stderr


def test_a_full_disk_ends_no_process_that_counts(tmp_path: Path) -> None:
    for begins in ("before", "after"):
        disk = [needed_bubblewrap(), "--dev-bind", "/", "/", "--size", "4000000", "--tmpfs", str(tmp_path)]
        ended = ran(f"BEGINS = {begins!r}\n" + FULL, tmp_path, *disk, "--chdir", str(tmp_path))
        assert (ended.returncode, ended.stdout) == (0, "fine\n"), ended.stderr
        assert "/metrics lacks" in ended.stderr and "No space left" in ended.stderr


def test_a_later_process_of_the_same_number_goes_on(tmp_path: Path) -> None:
    again = """
count(0, 10)
from prometheus_client import values
dictionary = counted_files.CountedFile(f"counter_{os.getpid()}.db")
dictionary.write_value('["host_renders", "host_renders_total", {}, "x"]', 7.0, 0.0)
assert shown(FIRST) and shown("host_renders_total 7.0")
print("fine")
"""
    ended = ran(COUNTS + again, tmp_path)
    assert ended.stdout == "fine\n", ended.stderr
