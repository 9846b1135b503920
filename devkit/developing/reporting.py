"""What `devkit dev` reports to the author: lines for people, or JSON for programs."""

from __future__ import annotations

import json
import threading
from typing import Any

import click

from devkit.projects.findings import Finding
from devkit.terminal.output import complain, say, warn


class Reporter:
    """Writes to the terminal; stops the command when nobody reads any more."""

    def __init__(self, as_json: bool, stopping: threading.Event) -> None:
        self.as_json = as_json
        self._stopping = stopping
        self._warned: list[str] = []

    def tell(self, kind: str, text: str, **more: Any) -> None:
        """Tell one thing; `more` is for programs."""
        try:
            say(json.dumps({"type": kind, "message": click.unstyle(text), **more}) if self.as_json else text)
        except BrokenPipeError:
            self._stopping.set()

    def faults(self, findings: list[Finding]) -> None:
        """Show what keeps the last change from being live."""
        if self.as_json:
            self.tell("fault", findings[0].sentence, findings=[finding.as_json() for finding in findings])
            return
        for item in findings:
            complain(item.sentence)
            if item.pointed:
                self.tell("", item.pointed)

    def warnings(self, findings: list[Finding]) -> None:
        """Show what is odd, when it is something new."""
        sentences = [finding.sentence for finding in findings]
        if sentences == self._warned:
            return
        self._warned = sentences
        for item in findings:
            if self.as_json:
                self.tell("warning", item.sentence, findings=[item.as_json()])
            else:
                warn(item.sentence)

    def notice(self, text: str) -> None:
        """Tell something in passing."""
        self.tell("notice", text)
