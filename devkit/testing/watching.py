"""Runs tests again and again, whenever something of the project is saved."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from devkit.projects.watcher import Watcher
from devkit.terminal.output import print_dim


def run_on_change(folder: Path, arguments: list[str]) -> None:
    """Run `devkit test` with these arguments now and after each change in a folder, until Ctrl-C.

    Each run is a process of its own: nothing of the code that was there before is left in it.
    """
    changed = threading.Event()
    watcher = Watcher(folder, changed.set)
    watcher.start()
    try:
        while True:
            changed.clear()
            subprocess.run([sys.executable, "-m", "devkit", "test", *arguments], check=False)
            print_dim("runs again when a file is saved; Ctrl-C ends")
            changed.wait()
    except KeyboardInterrupt:
        return
    finally:
        watcher.stop()
