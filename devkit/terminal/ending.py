"""Ends a command in order when a signal asks for it: temporary files go, children stop, the terminal is as before."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import FrameType

NUMBERS = (signal.SIGTERM, signal.SIGHUP)
"""What ends a command besides Ctrl-C: whoever started it, and a terminal that closes."""


class InterruptEvent(threading.Event):
    """An event that may be set in the handler of a signal, whatever the thread that it interrupts is at.

    The handler of a signal runs in between the steps of the main thread. Where that waits for a `threading.Event`, or
    sets one for an earlier signal, it holds the lock of the event, for which the handler would wait for ever.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is = False
        self._marks: SimpleQueue[None] = SimpleQueue()  # whose `put` is reentrant

    def is_set(self) -> bool:
        """Return whether it has been set."""
        return self._is

    def set(self) -> None:
        """Set it, and wake all that wait."""
        self._is = True
        self._marks.put(None)

    def clear(self) -> None:
        """Set it back."""
        self._is = False
        with suppress(Empty):
            while True:
                self._marks.get_nowait()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for so many seconds until it is set; gives whether it is."""
        if not self._is:
            with suppress(Empty):
                self._marks.get(timeout=timeout)
                self._marks.put(None)  # for the others that wait
        return self._is


class EndedBySignal(KeyboardInterrupt):
    """A signal other than SIGINT ended the command; `number` is its."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def in_order() -> None:
    """Have signals that end a process raise EndedBySignal from now on; one that is ignored (nohup) stays ignored."""
    for number in NUMBERS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    sys.unraisablehook = _not_lost


def at_once() -> None:
    """Have Ctrl-C end the process without a word: before there is anything to be put in order, and after it was."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def with_ctrl_c() -> None:
    """Have Ctrl-C raise KeyboardInterrupt again, unless it is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_code(error: BaseException) -> int:
    """Return the exit code of a command that an interrupt ended, as shells count: 128 and the signal's number."""
    ended = error if isinstance(error, EndedBySignal) else error.__cause__
    return 128 + (ended.number if isinstance(ended, EndedBySignal) else signal.SIGINT)


def received() -> int | None:
    """Return which signal was to end the command, if one came: a library may make another error of the exception."""
    return _received


_received: int | None = None
SOON = 0.05
"""Seconds until a signal is sent again that came at a moment in which nothing can be raised."""


def _not_lost(given: sys.UnraisableHookArgs) -> None:
    """Send a signal again whose exception went nowhere: what it came into was a finalizer, or called by one.

    Python's own import system has such callbacks, so it happens to commands that are just starting.
    """
    if not isinstance(given.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(given)
        return
    number = given.exc_value.number if isinstance(given.exc_value, EndedBySignal) else signal.SIGINT
    timer = threading.Timer(SOON, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()


def _end(number: int, _: FrameType | None) -> None:
    global _received
    _received = number
    raise EndedBySignal(number)
