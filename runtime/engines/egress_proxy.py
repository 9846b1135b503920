"""The only egress for scripts: a proxy that accepts connections on the workers' own loopback sockets."""

from __future__ import annotations

import logging
import selectors
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from runtime.engines import time_slices
from runtime.engines.egress import EgressRules
from runtime.engines.egress_account import MAX_PER_CALL, MAX_WAITING, Account, Entry, Gate
from runtime.engines.egress_exchange import WAIT_SECONDS, Exchange, turn_away
from runtime.engines.exhaustion import EXHAUSTED, Exhaustion
from runtime.engines.shares import Shares

_log = logging.getLogger(__name__)

_MAX_CONNECTIONS = 128  # that are served, of all workers at one time
_MAX_WAITING = 256  # that wait until one of their call ends
_TOO_MANY = (
    f"This call already has {MAX_PER_CALL} requests under way and {MAX_WAITING} that wait, the most there may be. Wait "
    "for some to end before you send more."
)
_TOO_MANY_OF_ALL = (
    "This organization's integrations have used up their share of the outgoing requests. Send fewer at the same time, "
    "or try again later."
)
# Whether whoever waits already hears of a listener that comes later, too; else it has to be woken.
_KERNEL_KEEPS = hasattr(selectors, "EpollSelector") or hasattr(selectors, "KqueueSelector")


class EgressProxy:
    """Accepts for all workers in one thread, and serves each connection in one of a bounded number of threads."""

    def __init__(self, rules: EgressRules) -> None:
        self._rules = rules
        self._gates: dict[int, Gate] = {}
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._threads = ThreadPoolExecutor(_MAX_CONNECTIONS, "egress")
        self._shares = Shares(_MAX_CONNECTIONS)
        self._waiting_shares = Shares(_MAX_WAITING)
        self._closed = False
        self._exhaustion = Exhaustion(
            _log, "scripts cannot reach the network for now, since no connection can be accepted"
        )
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._acceptor = threading.Thread(target=self._accept_all, name="egress-accept", daemon=True)
        self._acceptor.start()

    def attach(self, listener: socket.socket) -> Gate:
        """Take over a listening socket of a worker."""
        gate = Gate(listener)
        with self._lock:
            self._gates[listener.fileno()] = gate
            self._selector.register(listener, selectors.EVENT_READ)
        if not _KERNEL_KEEPS:
            self._wake_write.send(b"x")
        return gate

    def detach(self, gate: Gate) -> None:
        """Close the egress of a worker, and its connections."""
        with self._lock:
            descriptor = gate.fileno()
            if descriptor >= 0:
                self._gates.pop(descriptor, None)
                if self._selector.get_map() is not None:  # it is open
                    self._selector.unregister(descriptor)
            account = gate.close()
        if account is not None:
            account.close()

    def close(self) -> None:
        """Stop accepting and end all connections."""
        if self._closed:
            return
        self._closed = True
        self._wake_write.send(b"x")
        self._acceptor.join()
        for gate in list(self._gates.values()):
            self.detach(gate)
        self._threads.shutdown()
        self._selector.close()
        self._wake_read.close()
        self._wake_write.close()

    def _accept_all(self) -> None:
        time_slices.answer_soon()
        while not self._closed:
            for key, _ in self._selector.select():
                if key.fileobj is self._wake_read:
                    self._wake_read.recv(4096)
                    continue
                error: OSError | None = None
                account: Account | None = None
                with self._lock:
                    gate = self._gates.get(key.fd)
                try:  # without that lock: a gate is held by a call that drops what its worker sent too early
                    client, account = gate.accept() if gate else (None, None)
                except OSError as failed:  # the client disconnected, or the worker has ended
                    client, error = None, failed
                if error is not None and error.errno in EXHAUSTED:
                    self._exhaustion.pause(error)
                if client is None:
                    continue
                try:
                    self._hand_over(account, client)
                except Exception:  # this thread serves all scripts, and must survive a failing connection
                    _log.exception("a connection of a script could not be accepted")
                    client.close()

    def _hand_over(self, account: Account | None, client: socket.socket) -> None:
        """Start a thread for a connection, now or when one of its call ends; refused here where too many wait."""
        if account is None:
            turn_away(client, "Requests can only be made while an event is handled.")
            return
        if not self._waiting_shares.enter(*account.owner):
            turn_away(client, _TOO_MANY_OF_ALL)
            return
        entry = account.enter(client, partial(self._give_up, account, client))
        if entry is Entry.WAITS:
            return  # its place to wait is given back when it is served, or given up
        self._waiting_shares.leave(*account.owner)
        if entry is Entry.REFUSED:
            turn_away(client, _TOO_MANY)
        elif self._shares.enter(*account.owner):
            self._begin(account, client)
        else:
            account.leave(client)
            turn_away(client, _TOO_MANY_OF_ALL)

    def _give_up(self, account: Account, client: socket.socket) -> None:
        client.close()
        self._waiting_shares.leave(*account.owner)

    def _begin(self, account: Account, client: socket.socket) -> None:
        try:
            self._threads.submit(self._serve, account, client)
        except RuntimeError:  # the system refuses another thread for this process, or the proxy is being closed
            if not self._closed:
                _log.exception("a request of a script could not be served")
            client.close()
            self._leave(account, client)

    def _serve(self, account: Account, client: socket.socket) -> None:
        with client:
            client.settimeout(WAIT_SECONDS)
            try:
                Exchange(self._rules, account, client).run()
            except OSError:  # the script disconnected
                pass
            except Exception:
                _log.exception("a request of a script could not be served")
            finally:
                self._leave(account, client)

    def _leave(self, account: Account, client: socket.socket) -> None:
        following = account.leave(client)
        if following is None:
            self._shares.leave(*account.owner)
        else:  # which has the thread's place from now on
            self._waiting_shares.leave(*account.owner)
            self._begin(account, following)
