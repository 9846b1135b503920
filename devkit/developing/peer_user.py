"""The user at the other end of a connection: on a shared machine, anybody can connect to a port of 127.0.0.1.

Linux reports it in `/proc/net/tcp`; on other systems, nobody is refused.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path("/proc/net/tcp")
LISTENS = "0A"


class _Entry(NamedTuple):
    local: str
    remote: str
    state: str
    user: int
    inode: str


def is_own(connection: socket.socket) -> bool:
    """Return whether a connection that was accepted comes from this user, or root, who may do everything anyway.

    One that was closed meanwhile is nobody's: the kernel shows it as root's, and without an inode.
    """
    if not TABLE.exists():
        return True
    try:
        here, there = _written(connection.getsockname()), _written(connection.getpeername())
    except OSError:  # it has gone
        return False
    return any((entry.local, entry.remote) == (there, here) and _is_ours(entry) for entry in _entries())


def listens(port: int) -> bool:
    """Return whether it is this user, or root, who listens at a port of 127.0.0.1."""
    place = _written(("127.0.0.1", port))
    return not TABLE.exists() or any(
        (entry.local, entry.state) == (place, LISTENS) and _is_ours(entry) for entry in _entries()
    )


def guard() -> None:
    """Have this process accept over TCP from this user alone, whatever in it listens."""
    accept = socket.socket.accept

    def accept_own(self: socket.socket) -> tuple[socket.socket, Any]:
        while True:
            connection, address = accept(self)
            if self.family != socket.AF_INET or is_own(connection):
                return connection, address
            connection.close()

    socket.socket.accept = accept_own  # type: ignore[method-assign]


def _entries() -> Iterator[_Entry]:
    for line in TABLE.read_text().splitlines()[1:]:
        fields = line.split()
        yield _Entry(fields[1], fields[2], fields[3], int(fields[7]), fields[9])


def _is_ours(entry: _Entry) -> bool:
    return entry.user in (os.geteuid(), 0) and entry.inode != "0"


def _written(address: tuple[str, int]) -> str:
    """Write an address as the kernel does: that of the host in the order of this machine's bytes."""
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return f"{number:08X}:{address[1]:04X}"
