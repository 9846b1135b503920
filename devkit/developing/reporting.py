"""What `devkit dev` reports to the author: lines for people, or JSON for programs."""

from __future__ import annotations

import json
import threading
from typing import Any

from devkit.events.traces import as_text, handled
from devkit.manifests.findings import Finding
from devkit.terminal.output import one_line, print_error, say, warn, without_style

REMEMBERED = 1000
"""Events that were not shown, and may turn out to be those that the author just sent."""


class Reporter:
    """Writes to the terminal; stops the command if its output is closed."""

    def __init__(self, as_json: bool, stopping: threading.Event, *, all_events: bool = False) -> None:
        """Take how to write, and whether people also see the events for which the script has no handler."""
        self.as_json, self._all_events = as_json, all_events
        self._stopping = stopping
        self._warned: list[str] = []
        self._hidden: dict[str, dict[str, Any]] = {}
        self._sent: set[str] = set()
        self._deciding = threading.Lock()

    def tell(self, kind: str, text: str, **more: Any) -> None:
        """Report one message; `more` is for programs."""
        try:
            say(json.dumps({"type": kind, "message": without_style(text), **more}) if self.as_json else text)
        except BrokenPipeError:
            self._stopping.set()

    def event(self, detail: dict[str, Any]) -> None:
        """Show an event with its trace; programs get every one, people those that the script handles or they sent."""
        if not (self.as_json or self._all_events or handled(detail["event"])):
            with self._deciding:
                if detail["event"]["id"] not in self._sent:
                    self._hidden[detail["event"]["id"]] = detail
                    if len(self._hidden) > REMEMBERED:
                        del self._hidden[next(iter(self._hidden))]
                    return
        self.tell("event", as_text(detail), event=detail)

    def sent(self, text: str, answer: dict[str, Any]) -> None:
        """Tell that the author sent events, and show what became of them, whatever that is."""
        self.tell("sent", text, **answer)
        with self._deciding:
            self._sent.update(answer["events"])
            already = [self._hidden.pop(event) for event in answer["events"] if event in self._hidden]
        for detail in already:
            self.tell("event", as_text(detail), event=detail)

    def faults(self, findings: list[Finding]) -> None:
        """Report the errors that keep the last change from being live."""
        if self.as_json:
            self.tell("fault", findings[0].sentence, findings=[finding.as_json() for finding in findings])
            return
        for item in findings:
            print_error(item.sentence)
            if item.pointed:
                self.tell("", item.pointed)

    def warnings(self, findings: list[Finding]) -> None:
        """Report warnings that were not reported before."""
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
        """Report a side note."""
        self.tell("notice", one_line(text))
