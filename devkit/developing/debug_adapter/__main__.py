"""The process between editor and script, which debugpy starts: its own, except for who may connect to it."""

import contextlib
import os
import runpy
import socket
import threading
import time
from collections.abc import Callable

from debugpy.common import sockets

from devkit.developing import peer_user
from devkit.developing.guarded_debugpy import DEBUGGED

LOOK_EVERY = 2.0
PROCESS = int(os.environ.get(DEBUGGED, "0"))
"""The process that is debugged, if it is known."""
close: Callable[[socket.socket], None] = sockets.close_socket


def close_when_read(connection: socket.socket) -> None:
    """Tell debugpy where the adapter listens, which is the first that it closes; a closed connection is nobody's."""
    sockets.close_socket = close
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(10)
        connection.recv(1)
    close(connection)


def end_with_debugged() -> None:
    """End a moment after the process that is debugged: where that is killed while this one starts, nothing tells it."""

    def look() -> None:
        while True:
            time.sleep(LOOK_EVERY)
            try:
                os.kill(PROCESS, 0)
            except OSError:  # it has ended, or its number is somebody else's by now
                os._exit(0)

    threading.Thread(target=look, name="debugged", daemon=True).start()


if PROCESS > 0:
    os.register_at_fork(after_in_child=end_with_debugged)  # the adapter forks once more, and threads do not come along
sockets.close_socket = close_when_read
peer_user.guard()
runpy.run_module("debugpy.adapter", run_name="__main__", alter_sys=True)
