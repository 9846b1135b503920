"""The relay: this machine's side of every tunnel, whichever of its processes receives a call, stream or answer."""

from __future__ import annotations

import math
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from runtime.engines.dev_tunnel import tunnel_registry
from runtime.engines.dev_tunnel.line import Line, belonging
from runtime.engines.dev_tunnel.messages import (
    ANSWER,
    BODY,
    BOUNDS,
    BUSY,
    CALL,
    END,
    TAKEN,
    TunnelAnswer,
    TunnelCall,
    answer_head,
    pieces,
)
from runtime.engines.frames import FrameError, FrameReader, pack

RECONNECT = 5.0
"""Seconds that a call waits for a developer who is reconnecting."""
CALL_NAME = re.compile(r"([0-9A-Za-z]{20})\.[0-9A-Za-z]{20}")
STEP = 0.02
SILENCE = 120.0
"""Seconds between two pieces of an answer."""


class DeveloperAway(Exception):
    """No developer's machine is connected to the tunnel; the message is for people."""


class LineBroken(Exception):
    """The developer's machine disconnected too early, or is too busy; the message is for people."""


class LineBusy(LineBroken):
    """Too many calls are in flight on the developer's machine, so this one was not accepted."""


class NoMeetingPlace(Exception):
    """The folder in which calls find lines is gone, and not yet made again; the message is for people."""


class Relay:
    """Carries calls to developers' machines; safe to use from many threads and processes."""

    def __init__(self, address: Callable[[str], str] = "http://127.0.0.1/tunnels/{}".format) -> None:
        """Take a function that returns the address of a tunnel on this machine, whose last part is the tunnel's id."""
        self._address = address
        folder = os.environ.get(tunnel_registry.FOLDER)
        self._own = tunnel_registry.folders() if not folder else None
        self._folder = self._own.new() if self._own is not None else Path(folder or "")

    def address(self, tunnel: str) -> str:
        """Return the address of a tunnel."""
        return self._address(tunnel)

    def tunnel_of(self, url: str) -> str | None:
        """Return which tunnel of this machine an address belongs to; None for addresses elsewhere."""
        tunnel = url.rstrip("/").rpartition("/")[2]
        return tunnel if tunnel and url.rstrip("/") == self._address(tunnel) else None

    def line(self, tunnel: str) -> Line:
        """Open the developer's line of a tunnel; raises `NoMeetingPlace` while the folder is gone."""
        try:
            if self._own is not None:
                self._own.again(self._folder)
            return Line(self._folder, tunnel)
        except FileNotFoundError as error:  # who owns the folder makes it again
            raise NoMeetingPlace("The folder in which tunnels meet is gone; try again in a moment.") from error

    def call(self, tunnel: str, call: TunnelCall, seconds: float, *, in_all: bool = False) -> TunnelAnswer:
        """Send a request through a tunnel and wait for the head of its answer; the body follows as it comes.

        `seconds` limit each step until the head has come; with `in_all`, the whole exchange, including the body.
        Raises `DeveloperAway`, `LineBroken`, `TimeoutError`.
        """
        deadline = time.monotonic() + seconds if in_all else math.inf
        connection = self._connect(tunnel, min(seconds, RECONNECT))
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # who takes no more has said why, which is read below
                _send(connection, pack(CALL, call.head()), seconds, deadline)
                for piece in pieces(call.body):
                    _send(connection, pack(BODY, piece), seconds, deadline)
                _send(connection, pack(END, b""), seconds, deadline)
            reader = FrameReader(connection, BOUNDS)
            _set_timeout(connection, seconds, deadline)
            kind, payload = reader.next()
            if kind == BUSY:
                raise LineBusy("The developer's machine is busy with other calls; try again in a moment.")
            status, headers, _ = answer_head(payload)
        except TimeoutError:
            connection.close()
            raise
        except (OSError, EOFError, FrameError) as error:
            connection.close()
            raise LineBroken("The developer's machine disconnected before it answered.") from error
        except BaseException:
            connection.close()
            raise
        return TunnelAnswer(status, headers, _body(connection, reader, deadline))

    def bring(self, tunnel: str, call: str, frames: Iterator[tuple[int, bytes]], head: bytes) -> bool:
        """Deliver a tunnel's answer, whose head was read, to its caller; returns whether there was one.

        Calls to other tunnels are not found. Raises `FrameError` for an invalid answer.
        """
        match = CALL_NAME.fullmatch(call)
        if match is None:
            raise FrameError("there is no such call")
        try:
            if belonging(self._folder, match[1]).readlink() != Path(tunnel):
                return False
        except OSError:
            return False
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(self._folder / f"{match[1]}.sock"))
                connection.sendall(pack(ANSWER, head))
                for kind, payload in frames:
                    connection.sendall(pack(kind, payload))
                return FrameReader(connection, BOUNDS).next()[0] == TAKEN
        except (OSError, EOFError):
            return False

    def close(self) -> None:
        """Remove the folder, if it was created here."""
        if self._own is not None:
            self._own.close()

    def _connect(self, tunnel: str, seconds: float) -> socket.socket:
        deadline = time.monotonic() + seconds
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(self._folder / f"{tunnel}.line"))
                return connection
            except OSError as error:
                connection.close()
                if time.monotonic() > deadline:
                    raise DeveloperAway("No developer's machine is connected to this tunnel right now.") from error
            time.sleep(STEP)


def _send(connection: socket.socket, frame: bytes, seconds: float, deadline: float) -> None:
    _set_timeout(connection, seconds, deadline)
    connection.sendall(frame)


def _set_timeout(connection: socket.socket, seconds: float, deadline: float) -> None:
    """Let the next step take `seconds`, and not longer than until the deadline; raises `TimeoutError` after that."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(min(seconds, left))


def _body(connection: socket.socket, reader: FrameReader, deadline: float) -> Iterator[bytes]:
    with connection:
        while True:
            try:
                _set_timeout(connection, SILENCE, deadline)
                kind, payload = reader.next()
            except (OSError, EOFError, FrameError) as error:
                if time.monotonic() >= deadline:
                    raise TimeoutError from error
                raise LineBroken("The developer's machine disconnected in the middle of its answer.") from error
            if kind == END:
                return
            if kind != BODY:
                raise LineBroken("The developer's machine sent something other than its answer.")
            yield payload
