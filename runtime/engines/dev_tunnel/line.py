"""The process that holds a developer's stream: calls and their answers arrive over a Unix socket."""

from __future__ import annotations

import base64
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Full, Queue

from runtime.contract.identifiers import new_id
from runtime.engines.dev_tunnel import messages
from runtime.engines.dev_tunnel.messages import ANSWER, BODY, BOUNDS, BUSY, CALL, END, GONE, REPLACED, TAKEN
from runtime.engines.exhaustion import EXHAUSTED, Exhaustion
from runtime.engines.frames import FrameError, FrameReader, pack

_log = logging.getLogger(__name__)

MAX_CALLS = 20
"""Concurrent calls of one tunnel on the developer's machine; further ones wait."""
MAX_WAITING = 12
"""Calls that may wait; each holds a thread of the host, and anybody who knows the address can cause any number."""
PATIENCE = 30.0
"""Seconds that a call waits for its turn."""
GRACE = 10.0
"""Seconds during which calls in flight may be answered after the stream broke, since the developer reconnects."""
BACKLOG = 256


@dataclass(slots=True)
class _Pending:
    """A call whose caller is waiting."""

    caller: socket.socket
    sending: threading.Lock = field(default_factory=threading.Lock)
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """One event of the stream: `call`, `body`, `end`, `cancel` or `replaced`; `call` names the call it belongs to."""

    kind: str
    call: str
    data: bytes


def belonging(folder: Path, line: str) -> Path:
    """Return the path of the symbolic link for a line; its target is the tunnel's id, not a file."""
    return folder / f"{line}.of"


class Line:
    """One developer's stream; other processes of this machine find it by the tunnel's id."""

    def __init__(self, folder: Path, tunnel: str) -> None:
        """Take over the tunnel from the previous line, if there is one."""
        self.name = new_id()
        self._folder, self._link = folder, folder / f"{tunnel}.line"
        self._path = folder / f"{self.name}.sock"
        self._belongs = belonging(folder, self.name)
        self._belongs.symlink_to(tunnel)  # before the call is announced: answers are matched against this
        self._events: Queue[Sent] = Queue(BACKLOG)
        self._slots = threading.BoundedSemaphore(MAX_CALLS)
        self._places = threading.BoundedSemaphore(MAX_CALLS + MAX_WAITING)
        self._pending: dict[str, _Pending] = {}
        self._closed = False
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self._path))
        self._server.listen(128)
        threading.Thread(target=self._accept, name="tunnel line", daemon=True).start()
        self._take_over()

    def events(self, beat: float) -> Iterator[Sent | None]:
        """Yield events for the developer; None after `beat` seconds of silence.

        Ends when a newer line takes over, and when no call would find this one any more: the developer reconnects.
        """
        while not self._closed:
            try:
                sent = self._events.get(timeout=beat)
            except Empty:
                if not self._is_found():
                    return
                yield None
                continue
            yield sent
            if sent.kind == "replaced":
                return

    def close(self) -> None:
        """Accept no more calls; those in flight may still be answered for a moment."""
        self._closed = True
        if self._link.is_symlink() and self._link.readlink() == Path(self._path.name):
            self._link.unlink(missing_ok=True)
        threading.Thread(target=self._linger, name="tunnel end", daemon=True).start()

    def _is_found(self) -> bool:
        """Tell whether calls and answers find this line by its files, which systems tidy away."""
        return self._link.is_symlink() and self._path.exists() and self._belongs.is_symlink()

    def _take_over(self) -> None:
        before = self._folder / self._link.readlink() if self._link.is_symlink() else None
        fresh = self._folder / f"{self.name}.link"
        fresh.symlink_to(self._path.name)
        fresh.replace(self._link)
        if before is None:
            return
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1)
                connection.connect(str(before))
                connection.sendall(pack(REPLACED, b""))
        except OSError:
            belonging(self._folder, before.stem).unlink(missing_ok=True)
            before.unlink(missing_ok=True)  # its process is gone, and could not clean up

    def _linger(self) -> None:
        deadline = time.monotonic() + GRACE
        while self._pending and time.monotonic() < deadline:
            time.sleep(0.05)
        self._path.unlink(missing_ok=True)
        self._belongs.unlink(missing_ok=True)
        for call in list(self._pending.values()):
            _shut(call.caller)
        _shut(self._server)  # wakes the thread that accepts
        self._server.close()

    def _accept(self) -> None:
        exhaustion = Exhaustion(_log, "calls through a tunnel are waiting, since no connection can be accepted")
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError as error:
                if error.errno not in EXHAUSTED:
                    return  # it was closed
                exhaustion.pause(error)
                continue
            try:
                threading.Thread(target=self._serve, args=(connection,), name="tunnel call", daemon=True).start()
            except RuntimeError:  # the system refuses another thread for this process
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        reader = FrameReader(connection, BOUNDS)
        with connection:
            try:
                kind, payload = reader.next()
                if kind == CALL:
                    self._call(connection, reader, payload)
                elif kind == ANSWER:
                    self._answer(connection, reader, payload)
                elif kind == REPLACED:
                    self._events.put(Sent("replaced", "", b"{}"))
            except (EOFError, OSError, FrameError) as error:
                _log.debug("a connection of a tunnel ended: %s", error)

    def _call(self, caller: socket.socket, reader: FrameReader, head: bytes) -> None:
        if not self._places.acquire(blocking=False):
            caller.sendall(pack(BUSY, b""))
            return
        try:
            self._take_turn(caller, reader, head)
        finally:
            self._places.release()

    def _take_turn(self, caller: socket.socket, reader: FrameReader, head: bytes) -> None:
        if not self._slots.acquire(timeout=PATIENCE):
            caller.sendall(pack(BUSY, b""))
            return
        call = f"{self.name}.{new_id()}"
        pending = self._pending[call] = _Pending(caller)
        try:
            self._tell(Sent("call", call, head))
            kind = BODY
            while kind != END:
                kind, piece = reader.next()
                data = {"data": base64.b64encode(piece).decode()} if kind == BODY else {}
                self._tell(Sent("body" if kind == BODY else "end", call, json.dumps(data).encode()))
            self._wait_for_end(reader)
        finally:
            del self._pending[call]
            self._slots.release()
            if not pending.answered and not self._closed:
                self._tell(Sent("cancel", call, b"{}"))

    def _wait_for_end(self, reader: FrameReader) -> None:
        """Wait until the caller closes the connection: it has the whole answer, or gave up."""
        try:
            reader.next()
        except (EOFError, OSError):
            return
        raise FrameError("a caller sent more data after its request")

    def _answer(self, bringer: socket.socket, reader: FrameReader, payload: bytes) -> None:
        """Pass on an answer, frame by frame, as fast as the caller reads it."""
        _, _, call = messages.answer_head(payload)
        pending = self._pending.get(call)
        if pending is None or not pending.sending.acquire(blocking=False):
            bringer.sendall(pack(GONE, b""))
            return
        try:
            pending.caller.sendall(pack(ANSWER, payload))
            kind = ANSWER
            while kind != END:
                kind, piece = reader.next()
                pending.answered = pending.answered or kind == END
                pending.caller.sendall(pack(kind, piece))
            bringer.sendall(pack(TAKEN, b""))
        except (EOFError, OSError, FrameError):
            _shut(pending.caller)  # an incomplete answer, which the caller must not mistake for a complete one
            raise

    def _tell(self, sent: Sent) -> None:
        try:
            self._events.put(sent, timeout=PATIENCE)
        except Full:
            raise FrameError("the developer's machine is not reading its stream") from None


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it is closed already
        pass
