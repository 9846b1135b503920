"""The sockets at which an isolate connects to its host, in the one folder that both see."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

from runtime.engines import frames
from runtime.engines.calling import ProcessBroken
from runtime.engines.processes import readable

NUMBER = struct.Struct("<I")
CONTROL = 0xFFFFFFFF
"""What the isolate sends instead of a channel's number on the connection over which it takes commands."""
_HELLO_SECONDS = 15.0
_ACCEPT_SECONDS = 0.1  # between two looks whether the process still runs


class IsolateSockets:
    """The sockets at which an isolate connects to one serving process."""

    def __init__(self, folder: Path, borrower: int = 0) -> None:
        """Take the folder, and the number in its sockets' names: 0 for the process that started it, without one."""
        self.folder = folder
        self._suffix = f"-{borrower}" if borrower else ""
        self._listener = socket.socket(socket.AF_UNIX)

    def open(self) -> None:
        """Listen for the isolate's connections; raises OSError."""
        _bind(self._listener, self._calls())
        self._listener.settimeout(0)

    def way_out(self, number: int) -> socket.socket:
        """Return a socket at which the isolate asks for what is outside, for one of its channels; raises OSError."""
        listener = socket.socket(socket.AF_UNIX)
        try:
            _bind(listener, self._egress(number))
        except OSError:
            listener.close()
            raise
        return listener

    def remove_way_out(self, number: int) -> None:
        """Remove the egress socket of a channel: a busy isolate can outlive its channels."""
        self._egress(number).unlink(missing_ok=True)

    def accept(self, running: Callable[[], bool], output: Callable[[], str]) -> tuple[int, socket.socket]:
        """Return the next connection and the number it says; raises `ProcessBroken`.

        `running` tells whether the process still runs, `output` what it wrote when it ended.
        """
        deadline = time.monotonic() + _HELLO_SECONDS
        while not readable(self._listener.fileno(), _ACCEPT_SECONDS):
            if not running():
                raise ProcessBroken(f"the isolate ended before it connected: {output()}")
            if time.monotonic() > deadline:
                raise ProcessBroken("the isolate did not connect in time")
        try:
            connection, _ = self._listener.accept()
        except OSError as error:  # closed meanwhile
            raise ProcessBroken(f"the isolate ended before it connected: {output() or error}") from error
        connection.settimeout(_HELLO_SECONDS)
        try:
            kind, payload = frames.FrameReader(connection, {frames.HELLO: NUMBER.size}).next()
            number: int = NUMBER.unpack(payload)[0]
        except (EOFError, OSError, frames.FrameError, struct.error) as error:
            connection.close()
            raise ProcessBroken(f"the isolate did not introduce itself: {output() or error}") from error
        connection.settimeout(None)
        assert kind == frames.HELLO
        return number, connection

    def close(self) -> None:
        """Listen no longer."""
        self._listener.close()
        self._calls().unlink(missing_ok=True)

    def _calls(self) -> Path:
        return self.folder / f"calls{self._suffix}"

    def _egress(self, number: int) -> Path:
        return self.folder / f"egress{self._suffix}-{number}"


def _bind(listener: socket.socket, path: Path) -> None:
    listener.bind(str(path))
    path.chmod(0o666)
    listener.listen(64)
