"""What `devkit dev` tells the author: lines for people, or JSON for programs."""

from __future__ import annotations

import json
import threading
from typing import Any

import click

from devkit.findings import Finding
from devkit.output import complain, say, warn


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
            self.tell("fault", findings[0].sentence, findings=[one.as_json() for one in findings])
            return
        for one in findings:
            complain(one.sentence)
            if one.pointed:
                self.tell("", one.pointed)

    def warnings(self, findings: list[Finding]) -> None:
        """Show what is odd, when it is something new."""
        sentences = [one.sentence for one in findings]
        if sentences == self._warned:
            return
        self._warned = sentences
        for one in findings:
            if self.as_json:
                self.tell("warning", one.sentence, findings=[one.as_json()])
            else:
                warn(one.sentence)

    def notice(self, text: str) -> None:
        """Tell something in passing."""
        self.tell("notice", text)
