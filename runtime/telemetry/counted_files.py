"""The files in which serving processes count for each other, with room on the disk for all that is in them.

Prometheus' library makes files with holes and maps them into memory. Where the disk is full when a hole is written to,
the kernel ends the process. Here a file is written whole before it is mapped; where there is no room, the process goes
on counting in memory of its own, and tries again.
"""

from __future__ import annotations

import logging
import mmap
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from prometheus_client import values
from prometheus_client.mmap_dict import MmapedDict

log = logging.getLogger(__name__)

FIRST_SIZE = 1 << 16
BESIDE = 64
"""Bytes that an entry takes beside its name, at most."""
AGAIN_AFTER = 10.0
"""Seconds until the next try to write a file."""


class CountedFile(MmapedDict):
    """What one process counts; the library's lock is held whenever it is used."""

    def __init__(self, filename: str, read_mode: bool = False) -> None:
        """Go on with the file of an earlier process of this number, else begin one."""
        self._fname = filename
        self._f: BinaryIO | None = None  # type: ignore[assignment]
        self._behind = False  # whether the file could not be written
        self._looked = 0.0
        try:
            earlier = Path(filename).read_bytes()
        except FileNotFoundError:
            earlier = b""
        self._capacity = max(FIRST_SIZE, len(earlier))
        self._m = mmap.mmap(-1, self._capacity)
        self._m[: len(earlier)] = earlier
        self._positions: dict[str, int] = {}
        self._used = max(8, int.from_bytes(earlier[:4], "little"))
        self._m[:4] = self._used.to_bytes(4, "little")
        for key, _, _, place in self._read_all_values():  # type: ignore[no-untyped-call]
            self._positions[key] = place
        self._write()

    def _init_value(self, key: str) -> None:
        least = self._used + len(key.encode()) + BESIDE
        if least > self._capacity:
            before = self._m
            while least > self._capacity:
                self._capacity *= 2
            self._m = mmap.mmap(-1, self._capacity)
            self._m[: len(before)] = before[:]
            self._write()
        super()._init_value(key)  # type: ignore[no-untyped-call]

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        """Count, and bring the file up to date where that was not possible."""
        super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]
        if time.monotonic() - self._looked > AGAIN_AFTER and (self._behind or not self._is_there()):
            self._write()

    def _is_there(self) -> bool:
        """Tell whether the file is there; systems tidy their temporary folders."""
        self._looked = time.monotonic()
        return Path(self._fname).exists()

    def _write(self) -> None:
        """Write all that there is into a new file, and count there from now on."""
        self._looked = time.monotonic()
        new = f"{self._fname}.new"  # not read by whoever adds up
        try:
            Path(new).write_bytes(self._m[:])
            file = Path(new).open("r+b")  # noqa: SIM115 - it stays open
            try:
                mapped = mmap.mmap(file.fileno(), self._capacity)
                os.replace(new, self._fname)  # noqa: PTH105
            except BaseException:
                file.close()
                raise
        except OSError as error:
            with suppress(OSError):
                Path(new).unlink(missing_ok=True)
            if not self._behind:
                log.error("/metrics lacks what process %d counts from now on: %s", os.getpid(), error)
            self._behind = True
            return
        if self._f is not None:
            self._f.close()
        self._f, self._m, self._behind = file, mapped, False


def use_them() -> None:
    """Have the library count in such files, from the first number on."""
    values.MmapedDict = CountedFile  # type: ignore[attr-defined]
