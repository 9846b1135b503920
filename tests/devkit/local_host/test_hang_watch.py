"""A serving process whose interpreter is kept by native code is found, ended and replaced, and says what it did."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

from devkit.local_host.hang_watch import BETWEEN, LOOKS, Hanging

HANGS = """
import re
from multiprocessing.sharedctypes import RawArray
from devkit.local_host.hang_watch import beat

beat(RawArray("q", 1), 0)
print("begins", flush=True)
re.match("(a|a)*b", "a" * 60)
"""


def test_a_process_that_hangs_says_what_it_did() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HANGS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(1)  # until it matches
        process.send_signal(signal.SIGABRT)
        said = process.stderr.read()
    assert process.returncode == -signal.SIGABRT
    assert "Fatal Python error: Aborted" in said and 'File "<string>", line' in said


def test_a_process_hangs_that_has_not_counted_for_many_looks() -> None:
    hanging, now, beats = Hanging(), 1000.0, [1, 1, 0]
    for look in range(LOOKS):
        assert hanging.found(beats, now) == []
        assert hanging.found(beats, now + 1) == [], "looks in between do not count"
        now += BETWEEN
        beats[0] = look + 2
    assert hanging.found(beats, now) == [1]
    assert hanging.found(beats, now + BETWEEN) == [], "it has another minute"


def test_whoever_was_stopped_as_a_whole_does_not_hang() -> None:
    hanging, beats = Hanging(), [5]
    for moment in (0.0, 10.0, 100_000.0):
        assert hanging.found(beats, 1000.0 + moment) == []
