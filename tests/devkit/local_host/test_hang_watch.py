"""A process whose interpreter is kept by native code ends by itself, and says what it did."""

from __future__ import annotations

import subprocess
import sys

HANGS = """
import re, time
from devkit.local_host.hang_watch import end_when_hanging

end_when_hanging(1.0)
time.sleep(3)
print("is awake", flush=True)
re.match("(a|a)*b", "a" * 60)
"""


def test_a_process_that_hangs_is_ended() -> None:
    ended = subprocess.run([sys.executable, "-c", HANGS], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stdout) == (1, "is awake\n")
    assert "Timeout (0:00:01)!" in ended.stderr and "in match\n" in ended.stderr
