"""Events of one installation go one after the other, also with hosts that are killed and scripts that often fail.

`DEVKIT_TEST_LANE_EVENTS` sends more of them.
"""

from __future__ import annotations

import http.server
import os
import random
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.conftest import HostProcess, Installed, Tenant, init, installed, tenant, wait_for

EACH = int(os.environ.get("DEVKIT_TEST_LANE_EVENTS", "60"))
FAILING = EACH // 3
"""Of each lane, the events half of whose attempts fail; the others go as fast as they can."""
LANES, KILLS = 8, 3
ENVIRON = {
    "DEVKIT_RETRY_SECONDS": ",".join(["0.05"] * 40),  # a host that is killed costs an attempt; none is to be given up
    "DEVKIT_LEASE_SECONDS": "2",
}
TELLS = """
import urllib.request

from runtime.sdk import Integration

integration = Integration()


@integration.on("space_content_updated")
def updated(event, context):
    installation = context.environment["installation"]["id"]
    number = event["revisionId"]
    with urllib.request.urlopen(f"http://127.0.0.1:PORT/{installation}/{number}") as answer:
        if answer.read() == b"fail":
            raise RuntimeError("not this time")
"""


@dataclass
class Heard:
    """What the scripts told: of each installation the numbers of its events, and how each attempt was to end."""

    attempts: dict[str, list[tuple[int, bool]]] = field(default_factory=lambda: defaultdict(list))
    inside: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    beside: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    chance: random.Random = field(default_factory=random.Random)
    failing: int = FAILING
    url: str = ""

    def attempt(self, lane: str, number: int) -> bytes:
        with self.lock:
            self.inside[lane] += 1
            if self.inside[lane] > 1:
                self.beside.append(f"{lane}: {number}")
            works = number >= self.failing or self.chance.random() < 0.5
            self.attempts[lane].append((number, works))
        time.sleep(0.002)
        with self.lock:
            self.inside[lane] -= 1
        return b"work" if works else b"fail"

    def repeated(self) -> int:
        """Count the attempts at events that had been taken before."""
        return sum(
            len(attempts) - len({number for number, _ in attempts})
            for attempts in ([one for one in told if one[1]] for told in self.attempts.values())
        )

    def misplaced(self) -> list[str]:
        """Name the attempts that came before all earlier events of their lane had been taken."""
        wrong = []
        for lane, attempts in self.attempts.items():
            taken: set[int] = set()
            for number, works in attempts:
                if number > len(taken):
                    wrong.append(f"{lane}: {number}")
                if works:
                    taken.add(number)
        return wrong

    def done(self) -> int:
        return sum(len({number for number, works in found if works}) for found in self.attempts.values())

    def missing(self) -> int:
        return LANES * EACH - self.done()


@pytest.fixture
def heard() -> Iterator[Heard]:
    """A server elsewhere, which scripts tell of their events; it decides which attempts fail."""
    told = Heard()

    class Listener(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            lane, number = self.path.split("/")[1:]
            answer = told.attempt(lane, int(number))
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    told.url = f"127.0.0.1:{server.server_port}"
    yield told
    server.shutdown()
    server.server_close()


def test_nothing_is_lost_or_out_of_order(tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hosts share the work on PostgreSQL; on SQLite there is one."""
    monkeypatch.setenv("DEVKIT_SECRET_KEY", "the same one for both of the hosts")
    hosts = _hosts(tmp_path, heard)
    try:
        owner = tenant(hosts[0], "First", "first@example.com")
        lanes = [_lane(owner, heard) for _ in range(LANES)]
        senders = [threading.Thread(target=_send, args=(one,)) for one in lanes]
        for sender in senders:
            sender.start()
        if len(hosts) == 1:  # a request whose answer is lost would be sent twice
            for sender in senders:
                sender.join(timeout=60)
        for _ in range(KILLS):
            left = heard.missing()
            wait_for(lambda left=left: heard.missing() < left - LANES * EACH / 5 or not heard.missing(), 30)
            unlucky = random.choice(hosts[1:] or hosts)  # whoever takes requests goes on, where there are two
            unlucky.kill()
            unlucky.start()
        for sender in senders:
            sender.join(timeout=60)
        wait_for(lambda: not heard.missing(), 30 + LANES * EACH / 4)
        assert (heard.misplaced(), heard.beside) == ([], [])
        wait_for(lambda: _states(tmp_path) <= {"delivered"})
    finally:
        assert [host.stop() for host in hosts] == [0] * len(hosts)
    log = (tmp_path / "host.log").read_text() + "".join(path.read_text() for path in tmp_path.glob("*/host.log"))
    assert "deadlock" not in log
    if databases.CHOSEN == "postgresql":
        ((deadlocks,),) = databases.ask(
            tmp_path, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        )
        assert deadlocks == 0


def _hosts(data: Path, heard: Heard) -> list[HostProcess]:
    options = [*databases.options_for(data), "--allow-egress", heard.url]
    folders = [data]
    if databases.CHOSEN == "postgresql":
        folders.append(data / "second")
        folders[1].mkdir()
    init(data, "First", "first@example.com")
    return [HostProcess(folder, *options, environ=ENVIRON).start() for folder in folders]


def _lane(owner: Tenant, heard: Heard) -> Installed:
    return installed(owner, TELLS.replace("127.0.0.1:PORT", heard.url), blocks=[])


def _send(one: Installed) -> None:
    """Send numbered events, one after the other."""
    for number in range(EACH):
        event = {"type": "space_content_updated", "revisionId": str(number)}
        sent = one.owner.api.post(f"{one.path}/events", {"event": event})
        assert sent.status == 202, sent.text


def _states(data: Path) -> set[str]:
    return {state for (state,) in databases.ask(data, "SELECT DISTINCT state FROM events")}


def test_what_comes_again_overtakes_nothing(tmp_path: Path, heard: Heard) -> None:
    """Of all attempts at some three hundred events half fail."""
    heard.failing = EACH
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, "--allow-egress", heard.url, environ=ENVIRON).start()
    owner = tenant(host, "First", "first@example.com")
    lanes = [_lane(owner, heard) for _ in range(5)]
    senders = [threading.Thread(target=_send, args=(one,)) for one in lanes]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(timeout=60)
    wait_for(lambda: heard.done() == 5 * EACH, 30 + 5 * EACH / 4)
    assert (heard.misplaced(), heard.beside, heard.repeated()) == ([], [], 0)
    wait_for(lambda: _states(tmp_path) <= {"delivered"})
    assert host.stop() == 0


def test_what_comes_again_after_a_kill_is_what_was_under_way(tmp_path: Path, heard: Heard) -> None:
    """Also where the database could not be written for a while before."""
    if databases.CHOSEN != "sqlite":
        return  # nothing locks all of it there
    heard.failing = 0
    threads, unwritten = 2, 4
    init(tmp_path, "First", "first@example.com")
    environ = ENVIRON | {"DEVKIT_DISPATCH_THREADS": str(threads), "DEVKIT_LEASE_SECONDS": "20"}
    host = HostProcess(tmp_path, "--allow-egress", heard.url, environ=environ).start()
    one = _lane(tenant(host, "First", "first@example.com"), heard)
    _send(one)
    wait_for(lambda: _states(tmp_path) <= {"delivered"})
    with closing(sqlite3.connect(tmp_path / "host.sqlite", isolation_level=None)) as writer:
        # Events that the host finds at once, as many as it takes together, while it can write down nothing any more.
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE events SET state = 'pending', attempts = 0 WHERE type = 'space_content_updated'")
        writer.execute("COMMIT")
        before = len(heard.attempts[one.installation])
        wait_for(lambda: len(heard.attempts[one.installation]) > before)
        writer.execute("BEGIN IMMEDIATE")
        time.sleep(3)
        host.kill()
        writer.execute("ROLLBACK")
    began = len(heard.attempts[one.installation]) - before
    ((written,),) = databases.ask(
        tmp_path, "SELECT count(*) FROM events WHERE type = 'space_content_updated' AND state = 'delivered'"
    )
    assert began - written <= threads * unwritten
    host.start()
    wait_for(lambda: _states(tmp_path) <= {"delivered"}, 60)
    assert len(heard.attempts[one.installation]) - before <= EACH + threads * unwritten
    assert host.stop() == 0
