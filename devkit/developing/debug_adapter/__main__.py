"""The process between editor and script, which debugpy starts: its own, except for who may connect to it."""

import contextlib
import runpy
import socket
from collections.abc import Callable

from debugpy.common import sockets

from devkit.developing import peer_user

close: Callable[[socket.socket], None] = sockets.close_socket


def close_when_read(connection: socket.socket) -> None:
    """Tell debugpy where the adapter listens, which is the first that it closes; a closed connection is nobody's."""
    sockets.close_socket = close
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(10)
        connection.recv(1)
    close(connection)


sockets.close_socket = close_when_read
peer_user.guard()
runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)
