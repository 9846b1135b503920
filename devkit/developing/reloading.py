"""Loads a project again whenever its files are saved; the last good version stays at work until the next one is."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from devkit.developing.faults import EXPECTED, faults, patience
from devkit.developing.reporting import Reporter
from devkit.manifests.findings import Finding
from devkit.projects import project as projects
from devkit.projects.watcher import Watcher


@dataclass(frozen=True, slots=True)
class Live:
    """What is told of a change that is at work now: a sentence, and fields for programs."""

    sentence: str
    fields: dict[str, Any] = field(default_factory=dict)


class Reloading(ABC):
    """A session that follows the files of a project; subclasses put a change to work in `put_to_work`."""

    def __init__(self, path: str | None, env: str | None, stopping: threading.Event, reporter: Reporter) -> None:
        """Take the project's path; raises Problem where there is none."""
        self._path, self._env = path, env
        self._stopping, self._reporter = stopping, reporter
        self._folder, _ = projects.find_folder(path)
        self._one_at_a_time = threading.Lock()
        self._watcher = Watcher(self._folder, self._changed)

    @abstractmethod
    def put_to_work(self, project: projects.Project) -> Live | None:
        """Put a project to work as it is now; returns None where it is already. Raises one of `EXPECTED`."""

    @abstractmethod
    def show(self, findings: list[Finding]) -> None:
        """Show what keeps the last change from being live."""

    @abstractmethod
    def after_look(self, project: projects.Project | None) -> None:
        """Do what follows a look at the files; None for a project that cannot be loaded."""

    def watch(self) -> None:
        """Look at the files, and again whenever one is saved."""
        # Before the first look, so that no save falls between the two.
        with self._one_at_a_time:
            self._watcher.start()
            self._reload(first=True)

    def _changed(self) -> None:
        with self._one_at_a_time:
            if not self._stopping.is_set():
                self._reload()

    def _reload(self, first: bool = False) -> None:
        began = time.perf_counter()
        project: projects.Project | None = None
        try:
            project = projects.load(self._path, self._env)
            live = self.put_to_work(project)
        except EXPECTED as error:
            if not first and not self._watcher.quiet(patience(self._folder, project)):
                return  # it was looked at in the middle of being saved, and is looked at again at once
            self.show(faults(error, self._folder, self._path))
        else:
            if live is None:
                return
            if not first:
                took = (time.perf_counter() - began) * 1000
                self._reporter.tell("reloaded", f"{live.sentence} ({took:.0f} ms).", **live.fields)
        self.after_look(project)
