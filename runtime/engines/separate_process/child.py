"""The code inside a separate process: reads its task, runs it, writes the answer to its folder."""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
from pathlib import Path

from runtime.engines.separate_process.answers import Refused

ANSWER = ".answer.json"
NICENESS = 10
"""Niceness of long computations, relative to answering requests."""


def main() -> None:
    """Run the function that standard input names; the answer is a file in the folder."""
    request = json.load(sys.stdin)
    folder = Path(request["folder"])
    os.environ["TMPDIR"] = os.environ["HOME"] = str(folder)
    memory = request["memory"]
    os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, os.getpriority(os.PRIO_PROCESS, 0)))
    seconds = int(request["seconds"]) + 1
    for limit, value, most in (
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, request["file_bytes"], request["file_bytes"]),
        # At the lower one comes SIGXCPU, which tells the host why it ended; at the higher one SIGKILL.
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 256, 256),
    ):
        try:
            resource.setrlimit(limit, (value, most))
        except (
            OSError,
            ValueError,
        ):  # for example the address space on macOS, of which a process has more at its start
            if request["confined"]:
                raise
    try:
        function = getattr(importlib.import_module(request["module"]), request["function"])
        answer = {"result": function(folder, request["arguments"])}
        text = json.dumps(answer)
    except Refused as refused:
        text = json.dumps({"refused": [refused.code, refused.message, refused.part]})
    except (MemoryError, RecursionError):
        text = json.dumps({"failed": "memory"})
    (folder / ANSWER).write_text(text, encoding="utf-8")
