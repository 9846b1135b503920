"""Where a script's prints, logging and warnings go: to the host, line by line."""

from __future__ import annotations

import io
import logging
import sys
import threading
from socket import socket

from runtime.engines import frames

_LONGEST = 16_384  # bytes of one line; longer ones are cut into several
_LEVELS = {name: bytes([index]) for index, name in enumerate(frames.LEVELS)}


class Wire:
    """The worker's side of the connection; frames of several threads never mix."""

    def __init__(self, connection: socket) -> None:
        self._connection: socket | None = connection
        self._lock = threading.Lock()

    def send(self, frame: bytes) -> None:
        """Send one whole frame."""
        with self._lock:
            if self._connection is not None:
                self._connection.sendall(frame)

    def send_at_once(self, frame: bytes) -> None:
        """Send a frame from a signal handler, unless another one is on its way, perhaps from this very thread."""
        if self._lock.acquire(blocking=False):
            try:
                if self._connection is not None:
                    self._connection.sendall(frame)
            finally:
                self._lock.release()

    def log(self, level: str, message: str) -> None:
        """Send one log line at once, so that it is known even when the script is stopped right after."""
        mark = _LEVELS.get(level, b"\x01")
        text = str(message).encode("utf-8", "replace")
        for start in range(0, len(text) or 1, _LONGEST):
            self.send(frames.pack(frames.LOG, mark + text[start : start + _LONGEST]))

    def detach(self) -> None:
        """Let go of the connection in a process the script forked."""
        connection, self._connection = self._connection, None
        self._lock = threading.Lock()
        if connection is not None:
            connection.close()


class LineWriter(io.TextIOBase):
    """A text stream whose lines become log lines."""

    def __init__(self, wire: Wire, level: str) -> None:
        self._wire = wire
        self._level = level
        self._open = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding that prints are sent in."""
        return "utf-8"

    def writable(self) -> bool:
        """Say that this stream takes text."""
        return True

    def write(self, text: str) -> int:
        """Send every finished line; keep the rest."""
        *lines, self._open = (self._open + text).split("\n")
        for line in lines:
            self._wire.log(self._level, line)
        if len(self._open) > _LONGEST:
            self.finish()
        return len(text)

    def finish(self) -> None:
        """Send an unfinished line."""
        if self._open:
            line, self._open = self._open, ""
            self._wire.log(self._level, line)


class _WireHandler(logging.Handler):
    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire

    def emit(self, record: logging.LogRecord) -> None:
        number = record.levelno
        level = "debug" if number < 20 else "info" if number < 30 else "warn" if number < 40 else "error"
        self._wire.log(level, self.format(record))


def redirect(wire: Wire) -> tuple[LineWriter, LineWriter]:
    """Send stdout as info, stderr as error, logging by its levels, and warnings as warn."""
    writers = LineWriter(wire, "info"), LineWriter(wire, "error")
    sys.stdout, sys.stderr = writers
    root = logging.getLogger()
    root.handlers[:] = [_WireHandler(wire)]
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    return writers
