"""Tells when the sources of a project change."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

SETTLE = 0.004
"""Seconds of quiet after a change: an editor writes one save as several events."""
MOST_DOUBTS = 3
IGNORED = (".devkit", ".git", "__pycache__", "node_modules", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache")
ENDINGS = (".swp", ".swx", "~", ".pyc", ".tmp")


class Watcher(FileSystemEventHandler):
    """Calls back from one thread, once for each burst of changes."""

    def __init__(self, folder: Path, changed: Callable[[], None]) -> None:
        self._folder, self._changed = folder, changed
        self._dirty = threading.Event()
        self._doubts = 0
        self._stopping = threading.Event()
        self._observer = Observer()
        self._observer.schedule(self, str(folder), recursive=True)
        self._thread = threading.Thread(target=self._run, name="reload", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._observer.start()
        self._thread.start()

    def stop(self) -> None:
        """End watching."""
        self._stopping.set()
        self._dirty.set()
        if self._observer.is_alive():
            # Watchdog logs an event that was under way while it stopped as an error, which it is not for the person.
            logging.getLogger("watchdog.observers").setLevel(logging.CRITICAL)
            self._observer.stop()

    def quiet(self, seconds: float) -> bool:
        """Wait, and tell whether nothing changes meanwhile; where something does, `changed` is called once more.

        It is said to be quiet after a few times anyway: what changes all the time is not somebody who saves.
        """
        if self._doubts < MOST_DOUBTS and self._dirty.wait(seconds):
            self._doubts += 1
            return False
        self._doubts = 0
        return True

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note a change, unless it is a read or in a place that holds no source."""
        if event.event_type in ("opened", "closed_no_write") or event.is_directory:
            return
        paths = [path for path in (event.src_path, event.dest_path) if path]
        if any(self._is_source(str(path)) for path in paths):
            self._dirty.set()

    def _is_source(self, path: str) -> bool:
        try:
            parts = Path(path).relative_to(self._folder).parts
        except ValueError:
            return False
        return not any(part in IGNORED for part in parts) and not path.endswith(ENDINGS)

    def _run(self) -> None:
        while True:
            self._dirty.wait()
            if self._stopping.is_set():
                return
            self._dirty.clear()
            while self._dirty.wait(SETTLE) and not self._stopping.is_set():
                self._dirty.clear()
            self._changed()
