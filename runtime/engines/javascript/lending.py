"""How serving processes of one machine share isolates: one starts an isolate, others borrow it.

They share a folder. The process that started an isolate, the lender, listens there on a socket named after what the
isolate runs. A process that needs the same, the borrower, connects to it, and the lender has the isolate connect to the
borrower as well. Calls then go from each process directly to the isolate. A lock for each name makes one process load a
script while the others wait for it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import selectors
import socket
import threading
import time
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path

from runtime.engines.calling import PoolBusy, ProcessBroken
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.exhaustion import EXHAUSTED, Exhaustion
from runtime.engines.javascript.borrowed_isolate import ASK_CAUSE, MEMORY, READY, BorrowedIsolate
from runtime.engines.javascript.own_isolate import OwnIsolate
from runtime.engines.javascript.shared_call_counts import SLOTS

_log = logging.getLogger(__name__)

# Version, tenant, memory limit in bytes; the tenant is None while an isolate has loaded its script and served nobody.
Key = tuple[str, str | None, int]

_PLACES = 2**62  # byte offsets that are locked in the file of locks, which stays empty
_TURN_SECONDS = 0.005  # at first, between two checks whether another process has loaded what this one needs
_LONGEST_TURN_SECONDS = 0.05  # many threads may wait for slow scripts, and each check costs processor time
_FAULT_SECONDS = 0.1  # pause after an error, which might otherwise repeat without end


@dataclass(frozen=True, slots=True)
class _Borrower:
    """Another serving process: the number in its sockets' names, never used again, and its slot for counting calls."""

    number: int
    slot: int


@dataclass(slots=True)
class _Lent:
    """An isolate of this process that others may borrow: the socket where they ask for it, and who has borrowed it."""

    isolate: OwnIsolate
    name: Path
    inode: int
    listener: socket.socket | None
    borrowers: dict[socket.socket, _Borrower] = field(default_factory=dict)


class Lender:
    """Lends the isolates of this process, and borrows those of others; safe to use from many threads."""

    def __init__(self, folder: Path, proxy: EgressProxy, most_channels: int) -> None:
        """Take the shared folder, and how many calls each process may have in one isolate; raises `OSError`."""
        self._folder, self._proxy, self._most_channels = folder, proxy, most_channels
        self._locks = os.open(folder / "locks", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        self._numbers = count(1)
        self._lent: dict[OwnIsolate, _Lent] = {}
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = socket.socketpair()
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="isolate-lending", daemon=True)
        self._thread.start()

    def borrow(self, key: Key, deadline: float) -> BorrowedIsolate | None:
        """Return another process's isolate for this key; None when there is none, and this process must load one.

        In that case this process holds the lock of the key until `done`. Raises `PoolBusy` when another process has
        not loaded it by the deadline.
        """
        name = self._name(key)
        turn = _TURN_SECONDS
        while True:
            borrowed = self._ask(name, key)
            if borrowed is not None:
                return borrowed
            if self._take_lock(name):
                break
            if time.monotonic() > deadline:
                raise PoolBusy
            time.sleep(turn)
            turn = min(2 * turn, _LONGEST_TURN_SECONDS)
        try:  # since the last check another process may have loaded it, and released the lock
            borrowed = self._ask(name, key)
        except BaseException:
            self.done(key)
            raise
        if borrowed is not None:
            self.done(key)
        return borrowed

    def done(self, key: Key) -> None:
        """Release the lock of a key: other processes then borrow what was lent meanwhile, or load it themselves."""
        fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, _place(self._name(key)))

    def lend(self, key: Key, isolate: OwnIsolate) -> None:
        """Let other processes borrow an isolate; the caller holds the lock of the key."""
        name = self._name(key)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            name.unlink(missing_ok=True)  # left by a process that was killed, or one that is ending its isolate
            listener.bind(str(name))
            inode = name.stat().st_ino
            listener.listen(SLOTS)
        except OSError as error:
            listener.close()
            _log.warning(
                "an isolate is not shared with other serving processes, each of which starts its own: %s", error
            )
            return
        with self._lock:
            if self._closed:
                listener.close()
                return
            self._lent[isolate] = lent = _Lent(isolate, name, inode, listener)
            self._selector.register(listener, selectors.EVENT_READ, lent)

    def try_lend(self, key: Key, isolate: OwnIsolate) -> None:
        """Let other processes borrow an isolate that no call asked for, unless one of them is loading the same now."""
        if self._take_lock(self._name(key)):
            try:
                self.lend(key, isolate)
            finally:
                self.done(key)

    def withdraw(self, isolate: OwnIsolate) -> None:
        """Lend an isolate to no other process; those that have it find out at their next call."""
        isolate.call_counts.refuse_new_calls()
        with self._lock:
            lent = self._lent.get(isolate)
            if lent is None or lent.listener is None:
                return
            self._selector.unregister(lent.listener)
            if _inode(lent.name) == lent.inode:  # else another process lends one of its own under this name by now
                lent.name.unlink(missing_ok=True)
            lent.listener.close()
            lent.listener = None

    def forget(self, isolate: OwnIsolate) -> None:
        """Disconnect all borrowers of an isolate that has ended."""
        self.withdraw(isolate)
        with self._lock:
            lent = self._lent.pop(isolate, None)
            for connection in lent.borrowers if lent is not None else ():
                if isolate.ran_out_of_memory():
                    _say(connection, MEMORY)  # a borrower that asks later can still read it
                self._selector.unregister(connection)
                connection.close()

    def close(self) -> None:
        """Stop lending; every isolate must have been forgotten before."""
        self._closed = True
        self._wake_write.send(b"x")
        self._thread.join()
        self._selector.close()
        self._wake_read.close()
        self._wake_write.close()
        os.close(self._locks)

    def _name(self, key: Key) -> Path:
        return self._folder / sha256(json.dumps(key).encode()).hexdigest()[:24]

    def _take_lock(self, name: Path) -> bool:
        try:
            fcntl.lockf(self._locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
        except OSError:
            return False
        return True

    def _ask(self, name: Path, key: Key) -> BorrowedIsolate | None:
        try:
            return BorrowedIsolate.at(name, self._proxy, key[2], self._most_channels)
        except (ProcessBroken, OSError) as error:
            _log.info("cannot borrow an isolate that another serving process is ending: %s", error)
            return None

    def _serve(self) -> None:
        exhaustion = Exhaustion(_log, "isolates cannot be lent for now, since no connection can be accepted")
        while not self._closed:
            for key, _ in self._selector.select():
                if key.fileobj is self._wake_read:
                    continue
                try:
                    self._attend(key.data, key.fileobj)  # type: ignore[arg-type] # sockets alone are registered
                except Exception as error:
                    if isinstance(error, OSError) and error.errno in EXHAUSTED:
                        exhaustion.pause(error)
                        continue
                    # If this thread ended, the calls of killed processes would be counted forever.
                    _log.exception("an isolate could not be lent; lending of others goes on")
                    time.sleep(_FAULT_SECONDS)

    def _attend(self, lent: _Lent, asking: socket.socket) -> None:
        with self._lock:
            if asking is lent.listener:
                self._offer(lent, asking)
                return
            borrower = lent.borrowers.get(asking)
        if borrower is None:  # it was forgotten a moment ago
            return
        try:
            said = asking.recv(64)
        except OSError:
            said = b""
        if said == READY:
            lent.isolate.admit(borrower.number)
        elif said == ASK_CAUSE:
            _say(asking, MEMORY if lent.isolate.ran_out_of_memory() else b"something else")
        else:
            self._drop_borrower(lent, asking, borrower)

    def _offer(self, lent: _Lent, listener: socket.socket) -> None:
        """Register a borrower that connects, and tell it how to reach the isolate; `_lock` is held."""
        connection = listener.accept()[0]
        free = set(range(1, SLOTS)) - {borrower.slot for borrower in lent.borrowers.values()}
        if not free:
            connection.close()
            return
        borrower = lent.borrowers[connection] = _Borrower(next(self._numbers), min(free))
        self._selector.register(connection, selectors.EVENT_READ, lent)
        isolate = lent.isolate
        offer = {
            "folder": str(isolate.folder),
            "pid": isolate.pid,
            "base_memory": isolate.base_memory,
            "number": borrower.number,
            "slot": borrower.slot,
        }
        _say(connection, json.dumps(offer).encode())

    def _drop_borrower(self, lent: _Lent, connection: socket.socket, borrower: _Borrower) -> None:
        """Forget a borrower that returned the isolate, or was killed with calls in it."""
        with self._lock:
            if lent.borrowers.pop(connection, None) is not None:
                self._selector.unregister(connection)
                lent.isolate.call_counts.forget(borrower.slot)
                connection.close()


def _say(connection: socket.socket, what: bytes) -> None:
    try:
        connection.send(what, socket.MSG_DONTWAIT)
    except OSError:  # the borrower has gone, which shows when the connection is read
        pass


def _inode(name: Path) -> int | None:
    try:
        return name.stat().st_ino
    except FileNotFoundError:
        return None


def _place(name: Path) -> int:
    """Return the byte offset of a name's lock in the file of locks."""
    return int(name.name, 16) % _PLACES
