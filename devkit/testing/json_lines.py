"""The line to a process that runs tests: it asks in lines of JSON, and may be asked while an answer is made."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from typing import Any

from devkit.testing.fake_api import NoAnswer


class Line:
    """Two pipes. `theirs` are the ends of the other process: the one it writes to, and the one it reads from."""

    def __init__(self) -> None:
        incoming, questions = os.pipe()
        answers, outgoing = os.pipe()
        self.theirs: tuple[int, ...] = (questions, answers)
        self._incoming, self._outgoing = os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0)
        self._asking = threading.Lock()
        self._busy = False

    def hand_over(self) -> None:
        """Close the ends of the other process here, where it has them: its end is the end of the line."""
        for descriptor in self.theirs:
            os.close(descriptor)
        self.theirs = ()

    def close(self) -> None:
        """Hang up."""
        self.hand_over()
        self._incoming.close()
        self._outgoing.close()

    def serve(self, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Answer what is asked until the other process ends."""
        for question in self._incoming:
            self._busy = True
            made = answer(json.loads(question))
            with self._asking:
                self._busy = False
                try:
                    self._write(made)
                except BrokenPipeError:  # it has ended meanwhile
                    return

    def ask(self, function: int, request: dict[str, Any]) -> dict[str, Any]:
        """Have a function over there answer, which it does while it waits for us; raises NoAnswer."""
        with self._asking:
            if not self._busy:
                raise NoAnswer("the call is over")
            try:
                self._write({"asked": function, "request": request})
            except BrokenPipeError as error:
                raise NoAnswer("the tests have ended") from error
            answer = self._incoming.readline()
        if not answer:
            raise NoAnswer("the tests have ended")
        answered: dict[str, Any] = json.loads(answer)
        return answered

    def _write(self, message: dict[str, Any]) -> None:
        content = memoryview(json.dumps(message).encode() + b"\n")
        while content:
            content = content[self._outgoing.write(content) :]
