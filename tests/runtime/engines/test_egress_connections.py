"""How many connections of scripts the egress proxy serves, which wait, and what becomes of those when a call ends."""

from __future__ import annotations

import os
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runtime.engines.egress import EgressRules, Watch
from runtime.engines.egress_account import Account, Gate
from runtime.engines.egress_proxy import EgressProxy
from runtime.engines.own_tls import OwnAuthority
from tests.conftest import wait_for

OWNER = ("organization", "integration")


@dataclass(frozen=True)
class Slow(EgressRules):
    """Servers that do not answer for a second, or until they are released."""

    seconds: float = 1
    released: threading.Event = field(default_factory=threading.Event)
    begun: list[str] = field(default_factory=list)

    def connect(self, host: str, port: int, timeout: float, watch: Watch) -> Any:
        self.begun.append(host)
        self.released.wait(self.seconds)
        raise TimeoutError


class Call:
    """A call of a script, with connections to the proxy."""

    def __init__(self, proxy: EgressProxy) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.gate: Gate = proxy.attach(self._listener)
        self.account = Account(50, [], OWNER)
        self.gate.open(self.account)
        self._clients: list[socket.socket] = []

    def ask(self, count: int, url: str = "http://host.example/", method: str = "GET") -> list[socket.socket]:
        """Request something over so many connections at once."""
        asking = [socket.create_connection(self._listener.getsockname()) for _ in range(count)]
        for client in asking:
            client.sendall(f"{method} {url} HTTP/1.1\r\n\r\n".encode())
        self._clients += asking
        return asking

    def end(self) -> None:
        self.gate.shut()
        self.account.close()

    def close(self, proxy: EgressProxy) -> None:
        proxy.detach(self.gate)
        for client in self._clients:
            client.close()


@pytest.fixture
def rules() -> Slow:
    return Slow()


@pytest.fixture
def proxy(rules: Slow) -> Iterator[EgressProxy]:
    proxy = EgressProxy(rules)
    yield proxy
    proxy.close()


def test_what_waits_when_its_call_ends_is_never_sent(proxy: EgressProxy, rules: Slow) -> None:
    call = Call(proxy)
    clients = call.ask(24)
    wait_for(lambda: len(rules.begun) == 8)
    call.end()
    for client in clients[8:]:
        client.settimeout(0.5)  # at once, and not when those before it have ended
        with suppress(ConnectionResetError):
            assert client.recv(1) == b""
    wait_for(lambda: proxy._shares.held(*OWNER) == (0, 0))
    time.sleep(0.2)
    assert len(rules.begun) == call.account.count == 8
    assert proxy._waiting_shares.held(*OWNER) == (0, 0)
    call.close(proxy)


def test_what_waits_and_is_given_up_is_never_sent(proxy: EgressProxy, rules: Slow) -> None:
    call = Call(proxy)
    call.ask(8)
    wait_for(lambda: len(rules.begun) == 8)
    for client in call.ask(16):
        client.close()
    (wanted,) = call.ask(1)
    wanted.settimeout(10)
    assert wanted.recv(12) != b"HTTP/1.1 503"
    assert call.account.count == 9
    wait_for(lambda: proxy._shares.held(*OWNER) == proxy._waiting_shares.held(*OWNER) == (0, 0))
    call.close(proxy)


def test_a_connection_made_before_a_call_is_not_on_its_account() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        gate = Gate(listener)
        ours, theirs = Account(50, []), Account(50, [])
        gate.open(ours)
        with socket.create_connection(listener.getsockname()) as early:
            early.sendall(b"GET http://host.example/ HTTP/1.1\r\n\r\n")
            gate.shut()
            gate.open(theirs)
            with suppress(ConnectionResetError):
                assert early.recv(1) == b""
        with pytest.raises(BlockingIOError):
            gate.accept()
        with socket.create_connection(listener.getsockname()):
            client, account = gate.accept()
            client.close()
        assert account is theirs


def test_a_worker_that_connects_without_end_delays_nobody(proxy: EgressProxy) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        gate = proxy.attach(listener)
        flooding = threading.Thread(target=flood, args=(listener.getsockname(), begun := threading.Event()))
        flooding.start()
        begun.wait()
        call = Call(proxy)
        for _ in range(200):
            gate.open(Account(50, []))
        (asked,) = call.ask(1)
        asked.settimeout(30)
        assert asked.recv(12)
        flooding.join()
        call.close(proxy)
        proxy.detach(gate)


def flood(address: tuple[str, int], begun: threading.Event) -> None:
    """Connect for a second, without a pause."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        with socket.socket() as one:
            one.setblocking(False)
            one.connect_ex(address)
        begun.set()


def test_a_gate_opens_without_a_descriptor_to_spare_where_nothing_waits() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        gate, ours = Gate(listener), Account(50, [])
        with no_descriptors():
            gate.open(ours)
        with socket.create_connection(listener.getsockname()):
            client, account = gate.accept()
            client.close()
        assert account is ours


def test_a_gate_stays_shut_where_what_was_made_before_cannot_be_dropped() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        gate = Gate(listener)
        with socket.create_connection(listener.getsockname()), no_descriptors():
            gate.open(Account(50, []))
        client, account = gate.accept()
        client.close()
        assert account is None


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Let this process open nothing more."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(lowest := os.dup(0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_server_that_does_not_answer_holds_no_place_after_the_call(scheme: str) -> None:
    """One that accepts and stalls the handshake or the answer, and one that does not even accept."""
    with silent_server() as stalls, full_server() as deaf:
        proxy = EgressProxy(EgressRules(allow=("127.0.0.1",)))
        call = Call(proxy)
        call.ask(3, f"{scheme}://127.0.0.1:{stalls}/")
        call.ask(3, f"{scheme}://127.0.0.1:{deaf}/")
        call.ask(2, f"127.0.0.1:{deaf}", method="CONNECT")
        wait_for(lambda: call.account.count == 8)
        time.sleep(0.3)
        assert proxy._shares.held(*OWNER) == (8, 8)
        call.end()
        wait_for(lambda: proxy._shares.held(*OWNER) == (0, 0), seconds=5)
        call.close(proxy)
        proxy.close()


def test_handshakes_that_stall_or_fail_hold_nothing() -> None:
    """Those with the proxy itself, where it stands for the platform."""
    rules = EgressRules(own={"platform.example:443": ("127.0.0.1", 1)}, authority=OwnAuthority())
    proxy = EgressProxy(rules)
    call = Call(proxy)

    def begin(words: bytes) -> socket.socket:
        (client,) = call.ask(1, "platform.example:443", method="CONNECT")
        assert b" 200 " in client.recv(4096)
        client.sendall(words)
        return client

    begin(b"\x16\x03\x01\x00\x05").close()  # reads the certificates once
    wait_for(lambda: proxy._shares.held(*OWNER) == (0, 0))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(10):
        begin(b"\x16 this is no handshake").close()
    wait_for(lambda: proxy._shares.held(*OWNER) == (0, 0))
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 3
    begin(b"\x16\x03\x01")
    time.sleep(0.3)
    assert proxy._shares.held(*OWNER) == (1, 1)
    call.end()
    wait_for(lambda: proxy._shares.held(*OWNER) == (0, 0), seconds=5)
    call.close(proxy)
    proxy.close()


@contextmanager
def silent_server() -> Iterator[int]:
    """A server that accepts connections and says nothing; gives its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield listener.getsockname()[1]


@contextmanager
def full_server() -> Iterator[int]:
    """A server whose kernel drops what asks for a connection; gives its port."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, ExitStack() as stack:
        for _ in range(4):
            filling = stack.enter_context(socket.socket())
            filling.setblocking(False)
            filling.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_a_call_that_waits_takes_nothing_from_others() -> None:
    rules = Slow(seconds=120)
    proxy = EgressProxy(rules)
    calls = [Call(proxy) for _ in range(3)]
    for call, count in zip(calls, (24, 24, 1), strict=True):
        call.ask(count)
    wait_for(lambda: calls[2].account.count == 1)
    wait_for(lambda: proxy._shares.held(*OWNER) == (17, 17))
    rules.released.set()
    for call in calls:
        wait_for(lambda call=call: call.account.count in (24, 1))  # type: ignore[misc]
    wait_for(lambda: proxy._shares.held(*OWNER) == proxy._waiting_shares.held(*OWNER) == (0, 0))
    for call in calls:
        call.close(proxy)
    proxy.close()
