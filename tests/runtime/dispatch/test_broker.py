"""Processes tell each other of work over a real RabbitMQ, which may be lost and come back."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pika
import pytest

from runtime.app import create_app, prepare
from runtime.dispatch.broker import CONNECT_SECONDS, EXCHANGE, BadBroker, Broker
from runtime.settings import Settings
from tests import databases
from tests.conftest import free_port, wait_for
from tests.rabbitmq_server import RabbitServer, rabbit_server  # noqa: F401  # a fixture


class Process:
    """A broker as each process has one, and how often it was told of what."""

    def __init__(self, url: str) -> None:
        self.heard: Counter[str] = Counter()
        self.broker = Broker(url)
        self.broker.listen("events", lambda: self.heard.update(["events"]))
        self.broker.listen("jobs", lambda: self.heard.update(["jobs"]))
        self.broker.start()

    def close(self) -> None:
        self.broker.close()


@pytest.fixture
def two(server: RabbitServer) -> Iterator[tuple[Process, Process]]:
    with closing(Process(server.url)) as one, closing(Process(server.url)) as other:
        wait_for(lambda: one.heard["jobs"] and other.heard["jobs"])  # looked once, as soon as they were connected
        one.heard.clear()
        other.heard.clear()
        yield one, other


def _publish(url: str, key: str, body: bytes) -> None:
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        connection.channel().basic_publish(EXCHANGE, key, body)


def test_others_hear_what_one_tells(two: tuple[Process, Process]) -> None:
    one, other = two
    one.broker.tell("events")
    wait_for(lambda: other.heard["events"])
    other.broker.tell("jobs")
    wait_for(lambda: one.heard["jobs"])
    assert (one.heard, other.heard) == ({"jobs": 1}, {"events": 1}), "nobody hears themselves"


def test_what_is_told_a_thousand_times_is_heard_a_few_times(two: tuple[Process, Process]) -> None:
    one, other = two

    def tell() -> None:
        for _ in range(5_000):
            one.broker.tell("events")

    threads = [threading.Thread(target=tell) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one.broker.tell("jobs")
    wait_for(lambda: other.heard["jobs"])
    assert 1 <= other.heard["events"] < 2_000


def test_messages_of_anybody_else_do_nothing_worse_than_wake(
    server: RabbitServer, two: tuple[Process, Process]
) -> None:
    one, other = two
    for key, body in (("rm -rf", b"x"), ("", b""), ("events", b"\xff" * 100_000)):
        _publish(server.url, key, body)
    wait_for(lambda: one.heard["events"] and other.heard["events"])
    assert set(one.heard) == {"events"}


def test_a_server_that_dies_and_comes_back(server: RabbitServer, caplog: pytest.LogCaptureFixture) -> None:
    with closing(Process(server.url)) as one, closing(Process(server.url)) as other:
        wait_for(lambda: one.broker.connected() and other.heard["events"])
        server.kill()
        wait_for(lambda: not one.broker.connected() and not other.broker.connected())
        one.broker.tell("events")  # waits for nothing, and is not lost
        server.start()
        wait_for(lambda: one.broker.connected() and other.broker.connected())
        other.heard.clear()
        one.broker.tell("events")
        wait_for(lambda: other.heard["events"])
    lost = [record for record in caplog.records if "No connection to RabbitMQ" in record.message]
    assert len(lost) == 2, "each process says it once"


def test_a_host_closes_at_once_while_there_is_no_server(caplog: pytest.LogCaptureFixture) -> None:
    one = Process(f"amqp://somebody:hidden-word@127.0.0.1:{free_port()}/")
    wait_for(lambda: "No connection to RabbitMQ" in caplog.text)
    assert not one.broker.connected()
    began = time.monotonic()
    one.close()
    assert time.monotonic() - began < CONNECT_SECONDS / 2, "it waits for no connection"
    assert "refused" in caplog.text and "hidden-word" not in caplog.text


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"AMQP\x00\x00\x09\x01"])
def test_something_else_that_listens_there_is_told_in_a_line(said: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        one = Process(f"amqp://somebody:hidden-word@127.0.0.1:{other.getsockname()[1]}/")
        with other.accept()[0] as peer:
            peer.sendall(said)
            peer.shutdown(socket.SHUT_WR)
            wait_for(lambda: "No connection to RabbitMQ" in caplog.text)
        one.close()
    assert "Traceback" not in caplog.text and "hidden-word" not in caplog.text


def test_a_wrong_password_is_told(server: RabbitServer, caplog: pytest.LogCaptureFixture) -> None:
    with closing(Process(server.url.replace("guest@", "hidden-word@"))):
        wait_for(lambda: "ACCESS_REFUSED" in caplog.text)
    assert "hidden-word" not in caplog.text
    assert [record.levelno for record in caplog.records if record.levelno > logging.INFO] == [logging.WARNING]


@pytest.mark.parametrize(
    "url",
    ["rabbit", "http://127.0.0.1:5672", "amqp://host:port/", "amqp://u:hidden-word@[::1/", "amqp://h/?heartbeat=x"],
)
def test_addresses_that_lead_nowhere_are_refused(url: str) -> None:
    with pytest.raises(BadBroker, match="amqp://name:password@host") as refused:
        Broker(url)
    assert "hidden-word" not in str(refused.value)


def test_a_host_looks_when_it_hears_and_tells_what_is_asked_of_it(server: RabbitServer, tmp_path: Path) -> None:
    address = databases.address_of(tmp_path, "postgresql")
    # It leaves the work to others, so what wakes it stays to be seen.
    settings = Settings(
        data=str(tmp_path),
        database_url=address,
        sandbox="off",
        broker_url=server.url,
        dispatch_threads=0,
        job_threads=0,
    )
    prepare(settings)
    app = create_app(settings)
    other = Process(server.url)
    try:
        host: Any = app.host
        wait_for(lambda: host.broker.connected() and other.broker.connected())
        assert host.dispatcher.ready() and host.jobs.ready()
        for work, woken in (("events", host.dispatcher._wake), ("jobs", host.jobs._claiming._wake)):
            wait_for(woken.is_set)  # by the connection
            woken.clear()
            other.broker.tell(work)
            wait_for(woken.is_set)
        other.heard.clear()
        host.dispatcher.wake()
        host.jobs.wake()
        wait_for(lambda: other.heard == {"events": 1, "jobs": 1})
    finally:
        other.close()
        app.close()
    assert not host.dispatcher.ready() and not host.jobs.ready()
