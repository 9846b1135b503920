"""The serving processes of a host: started, replaced when they die, ended together."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.sharedctypes import RawArray, RawValue
from typing import Any

from granian import Granian

from devkit.local_host.hang_watch import Hanging
from devkit.terminal.ending import InterruptEvent

log = logging.getLogger(__name__)

PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds before a serving process is replaced: the first time in a row, the second, and so on."""
STEADY = 30.0
"""Seconds of serving after which a process that dies counts as the first one in a row."""
GIVE_UP_AFTER = 60.0
"""Seconds without any serving process after which nobody tries any more."""
LOOK_EVERY, KEEP_EVERY = 1.0, 10.0
LONGEST_TEXT = 4096
"""Bytes of what a serving process tells the process that leads the host."""


class Replacing:
    """When each serving process is replaced, and whether there is any sense in it; decides, and does nothing.

    Moments are monotonic seconds.
    """

    def __init__(self, now: float) -> None:
        self._in_a_row: dict[int, int] = {}
        self._due: dict[int, float] = {}
        self._served = now

    def ended(self, index: int, loaded: float, now: float) -> float:
        """Note that a process died which served since `loaded`, 0 for never; returns the pause until the next one."""
        if loaded:
            self._served = now
            if now - loaded >= STEADY:
                self._in_a_row.pop(index, None)
        count = self._in_a_row.get(index, 0)
        self._in_a_row[index] = count + 1
        pause = PAUSES[min(count, len(PAUSES) - 1)]
        self._due[index] = now + pause
        return pause

    def due(self, now: float) -> list[int]:
        """Take the indexes of the processes to be replaced now."""
        indexes = [index for index, moment in self._due.items() if moment <= now]
        for index in indexes:
            del self._due[index]
        return indexes

    def wait(self, now: float) -> float | None:
        """Tell for how many seconds nothing is to be done; None: until one dies."""
        if not self._due:
            return None
        return min(LOOK_EVERY, max(0.0, min(self._due.values()) - now))

    def hopeless(self, now: float) -> bool:
        """Return whether no process could serve for so long that none will; for when none is alive."""
        return now - self._served >= GIVE_UP_AFTER


class Shared:
    """What a host's processes tell each other; goes along to serving processes that are no forks (macOS), too.

    Plain memory: a lock would stay taken when a process is killed that holds it.
    """

    def __init__(self, workers: int) -> None:
        self.stopping = RawValue("b", 0)
        self.served = RawValue("b", 0)
        self.failed = RawValue("b", 0)
        self.wrong_setting = RawValue("b", 0)
        self.loaded = RawArray("d", workers)  # since when each process serves, 0 while it does not
        self.beats = RawArray("q", workers)  # counted by each while it runs (`hang_watch.py`), 0 before it serves
        self.changes = RawArray("q", workers)  # how often each has moved epochs (`runtime/store/change_counts.py`)
        self._refusal = RawArray("c", LONGEST_TEXT)
        self._first = RawArray("c", LONGEST_TEXT)

    def refuse(self, why: str, *, setting: bool = False) -> None:
        """Say why there can be no host: a sentence; `setting` if a setting is wrong."""
        self._refusal.value = why.encode()[: LONGEST_TEXT - 1]
        self.wrong_setting.value = setting
        self.failed.value = 1

    @property
    def refusal(self) -> str:
        """Why there can be no host; empty where nobody said."""
        return bytes(self._refusal.value).decode(errors="ignore")

    @property
    def first(self) -> str:
        """The address at which the first person makes their account; empty where there is somebody."""
        return bytes(self._first.value).decode(errors="ignore")

    @first.setter
    def first(self, address: str | None) -> None:
        self._first.value = (address or "").encode()[: LONGEST_TEXT - 1]


class Server(Granian):  # type: ignore[misc, valid-type]
    """Granian that tells serving processes at once when it is to stop, and goes on replacing those that die.

    Granian's own way ends the whole host when one dies twice in a few seconds, and says nothing.
    """

    def __init__(self, *arguments: Any, workers: int, keep: Callable[[], None], **named: Any) -> None:
        """Take what Granian takes, and `keep`, which sees to it that what the processes share is there."""
        super().__init__(*arguments, workers=workers, **named)
        self._keep = keep
        self.gave_up = False
        self.main_loop_interrupt = InterruptEvent()  # which handlers of signals set
        # One that dies as the host is stopped is not a failure of the host.
        self.on_shutdown(self.interrupt_children.clear)
        self.shared = Shared(workers)

    def signal_handler_interrupt(self, *args: Any, **kwargs: Any) -> None:
        """Take SIGTERM or SIGINT."""
        self.shared.stopping.value = 1
        super().signal_handler_interrupt(*args, **kwargs)

    def _spawn_worker(self, idx: int, target: Any, callback_loader: Callable[[int], Any]) -> Any:
        self._keep()
        self.shared.loaded[idx] = 0.0
        self.shared.beats[idx] = 0
        return super()._spawn_worker(idx, target, partial(_load, self.shared, idx, callback_loader))

    def _serve_loop(self, spawn_target: Any, target_loader: Any) -> None:
        replacing, hanging = Replacing(time.monotonic()), Hanging()
        while True:
            pause = replacing.wait(time.monotonic())
            self.main_loop_interrupt.wait(KEEP_EVERY if pause is None else pause)
            self.main_loop_interrupt.clear()
            self._keep()
            if self.interrupt_signal:
                return
            if self.reload_signal:
                self._reload(spawn_target, target_loader)
            while self.interrupt_children:
                index = self.interrupt_children.pop(0)
                pause = replacing.ended(index, self.shared.loaded[index], time.monotonic())
                process = self.wrks[index].inner
                log.error(
                    "serving process %d (%s) %s; another one starts %s",
                    index + 1,
                    process.pid,
                    how_it_ended(process.exitcode),
                    f"in {pause:.0f} s" if pause else "at once",
                )
            now = time.monotonic()
            for index in hanging.found(self.shared.beats, now):
                self._end_hanging(index)
            if replacing.hopeless(now) and not any(worker.is_alive() for worker in self.wrks):
                self.gave_up = True
                return
            for index in replacing.due(now):
                self.wrks[index] = self._spawn_worker(index, spawn_target, target_loader)
                self.wrks[index].start()

    def _end_hanging(self, index: int) -> None:
        process = self.wrks[index].inner
        if process.is_alive():
            log.error(
                "serving process %d (%s) has run nothing for a minute; it is ended, and writes what it was doing",
                index + 1,
                process.pid,
            )
            os.kill(process.pid, signal.SIGABRT)


def _load(shared: Shared, index: int, loader: Callable[[int], Any]) -> Any:
    """Load the application, in the serving process."""
    application = loader(index)
    shared.loaded[index] = time.monotonic()
    return application


def how_it_ended(code: int | None) -> str:
    """Say in words how a process ended, by its code as `multiprocessing` has it."""
    if code is None or code >= 0:
        return f"exited with code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "a signal without a name"
    return f"was killed by signal {-code} ({name})"
