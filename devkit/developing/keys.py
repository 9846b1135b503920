"""Single keys in the terminal of `devkit dev`; the terminal is always restored."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any

Action = Callable[[], None]


class Keys:
    """Calls an action for a key. A context manager; does nothing where standard input is not a terminal."""

    def __init__(self, actions: Mapping[str, Action]) -> None:
        self._actions = actions
        self._terminal = sys.stdin.fileno() if sys.stdin.isatty() else None
        self._wake, self._woken = os.pipe()
        self._thread = threading.Thread(target=self._read, name="keys", daemon=True)

    @property
    def there(self) -> bool:
        """Return whether standard input is a terminal."""
        return self._terminal is not None

    def __enter__(self) -> Keys:
        if self._terminal is not None:
            self._before = termios.tcgetattr(self._terminal)
            self._take()
            # A shell that gets the terminal back in between sets it to lines again.
            signal.signal(signal.SIGCONT, lambda *_: self._take())
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        os.close(self._woken)
        if self._terminal is not None:
            signal.signal(signal.SIGCONT, signal.SIG_DFL)
            self._give_back()

    @contextmanager
    def lines(self) -> Iterator[None]:
        """Switch to line input with echo for a while."""
        self._give_back()
        try:
            yield
        finally:
            self._take()

    def _take(self) -> None:
        if self._terminal is not None:
            tty.setcbreak(self._terminal, termios.TCSANOW)  # Ctrl-C still ends the command

    def _give_back(self) -> None:
        if self._terminal is not None:
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def _read(self) -> None:
        waiting: list[Any] = [self._terminal, self._wake]
        while True:
            ready, _, _ = select.select(waiting, [], [])
            if self._wake in ready or self._terminal is None:
                os.close(self._wake)
                return
            typed = os.read(self._terminal, 1)
            if not typed:
                return
            action = self._actions.get(typed.decode("ascii", "ignore").lower())
            if action is not None:
                action()
