"""An isolate that another serving process of this machine has started, and lends."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from pathlib import Path

from runtime.engines.calling import ProcessBroken
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.javascript.cpu_share import CpuShare
from runtime.engines.javascript.isolate import Isolate
from runtime.engines.javascript.isolate_sockets import IsolateSockets
from runtime.engines.javascript.shared_call_counts import SharedCallCounts
from runtime.engines.process_handle import hold
from runtime.engines.processes import hung_up

READY, ASK_CAUSE = b"ready", b"cause"
"""What a borrower sends to the lender: that it listens for the isolate; and the question why the isolate has ended."""
MEMORY = b"memory"
"""The lender's answer to `ASK_CAUSE` when the isolate ran out of memory."""
_LENDER_SECONDS = 3.0  # in which the lender answers; it may have to wait for a process to end
_OFFER_BYTES = 4096
_CREDENTIALS = struct.Struct("3i")


class BorrowedIsolate(Isolate):
    """A process that serves one script; it ends with the serving process that started it, the lender.

    The borrower opens its own channels to it, watches its own calls, and ends the process when they exceed their
    limits. While the process is idle, the lender decides how long it stays.
    """

    def __init__(self, lender: socket.socket, proxy: EgressProxy, memory: int, most_channels: int) -> None:
        """Take the connection to the process that lends; raises `ProcessBroken`, `OSError`."""
        super().__init__(proxy, memory, most_channels)
        self._lender = lender
        self._asking = threading.Lock()
        self._out_of_memory = False
        lender.settimeout(_LENDER_SECONDS)
        offered = lender.recv(_OFFER_BYTES)
        if not offered:
            raise ProcessBroken("the isolate is no longer lent")
        offer = json.loads(offered)
        folder = Path(offer["folder"])
        self.pid, self.base_memory = offer["pid"], offer["base_memory"]
        self._handle = hold(self.pid, lambda: not self._ended)
        self._sockets = IsolateSockets(folder / "host", offer["number"])
        try:
            self.call_counts = SharedCallCounts(folder / "call_counts", offer["slot"])
            self._sockets.open()
            lender.send(READY)
            connection = self._take_control()
            if not self._is_the_one(connection):
                raise ProcessBroken("the isolate has ended")
            self.share = CpuShare(self.pid, self.call_counts.others)
        except BaseException:
            self.close()
            raise

    @classmethod
    def at(cls, name: Path, proxy: EgressProxy, memory: int, most_channels: int) -> BorrowedIsolate | None:
        """Borrow the isolate that is lent under a name; None when none is.

        Raises `ProcessBroken`, `OSError` when it is ending.
        """
        lender = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            lender.settimeout(_LENDER_SECONDS)
            lender.connect(str(name))
        except (FileNotFoundError, ConnectionRefusedError):
            lender.close()
            return None
        except BaseException:
            lender.close()
            raise
        try:
            return cls(lender, proxy, memory, most_channels)
        except BaseException:
            lender.close()
            raise

    def alive(self) -> bool:
        """Return whether the process still runs, and will go on: it ends with its lender."""
        # The lender's connection ends first. The threads of the isolate take a moment longer, in which they take calls
        # that nobody would answer.
        return super().alive() and not hung_up(self._lender.fileno())

    def active_while_idle(self, most: float) -> bool:
        """See `Isolate`: only the lender checks this."""
        return False

    def ran_out_of_memory(self) -> bool:
        """Return whether the process ended because it ran out of memory, according to its lender."""
        with self._asking:
            try:
                self._lender.send(ASK_CAUSE)
            except OSError:  # the lender has let go of the isolate; what it sent before can still be read
                pass
            try:
                self._out_of_memory = self._out_of_memory or self._lender.recv(len(MEMORY)) == MEMORY
            except OSError:  # the lender has ended, and the isolate with it
                pass
            return self._out_of_memory

    def close(self) -> bool:
        """Give the isolate back; returns False if that was done before."""
        if not self._close_connections():
            return False
        self._lender.close()
        with self._lock:
            self._ended = True
            if self._handle is not None:
                self._handle.close()
        return True

    def _is_the_one(self, connection: socket.socket) -> bool:
        """Return whether the peer of a connection is the process that `_handle` holds.

        The system may have given its number to another process before it was held; the peer is surely the isolate.
        """
        if sys.platform != "linux":  # elsewhere the system does not tell, and none is lent (see `meeting`)
            return False
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        own: int = _CREDENTIALS.unpack(credentials)[0]
        return own == self.pid and self.alive()

    def _running(self) -> bool:
        return self.alive()

    def _error_output(self) -> str:
        return "its error output went to the serving process that started it"
