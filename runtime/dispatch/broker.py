"""Tells the other hosts of a database at once that there is work, over RabbitMQ. Needs the package `pika`.

The work itself is in the database. A message says only which kind of work there is and who sent it; one that is lost
costs at most a second, until a host looks by itself.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Literal

from runtime.contract.identifiers import new_id

log = logging.getLogger(__name__)

Work = Literal["events", "jobs"]

EXCHANGE = "integration-runtime"
TELL_EVERY = 0.02
"""Seconds between two rounds of messages of a process; each names every kind of work told since the last one."""
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds until the next attempt to connect, after the first failure in a row, the second, and so on."""
HEARTBEAT = 20
"""Seconds of silence after which a connection may count as lost; at the latest after twice as many."""
CONNECT_SECONDS = 10.0
MOST_UNHEARD = 10
"""Messages kept for a host that does not read them."""


class BadBroker(ValueError):
    """An address that cannot be read, or a package that is missing; the message does not repeat the address."""


class Broker:
    """A connection to RabbitMQ in a thread of its own, made again whenever it is lost."""

    def __init__(self, url: str) -> None:
        """Read an address, `amqp://name:password@host:5672/vhost` or `amqps://…`; raises BadBroker."""
        self._parameters = _parameters(url)
        self._id = new_id()
        self._listeners: dict[str, Callable[[], None]] = {}
        self._connection: Any = None
        self._untold: set[Work] = set()
        self._scheduled = False
        self._told = 0.0
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    def listen(self, work: Work, wake: Callable[[], None]) -> None:
        """Have `wake` called when another process tells of work; before `start`. It must neither wait nor raise."""
        self._listeners[work] = wake

    def start(self) -> None:
        """Connect, in the background."""
        self._thread.start()

    def connected(self) -> bool:
        """Return whether others are told, and heard, at this moment."""
        return self._connection is not None

    def tell(self, work: Work) -> None:
        """Tell all other processes that there is work, soon and from another thread; never waits, never raises."""
        with self._lock:
            self._untold.add(work)
            if self._scheduled or self._connection is None:
                return  # what is said without a connection is said once there is one
            self._scheduled = self._call(self._schedule)

    def close(self) -> None:
        """Tell what is untold, and disconnect."""
        self._stopping.set()
        with self._lock:
            self._call(lambda: None)
        if self._thread.ident is not None:
            self._thread.join(timeout=CONNECT_SECONDS)

    def _call(self, work: Callable[[], None]) -> bool:
        """Have the connection's thread do something, which no other may; returns whether it will. Needs the lock."""
        from pika.exceptions import AMQPError

        if self._connection is None:
            return False
        try:
            self._connection.add_callback_threadsafe(work)
        except AMQPError:
            return False  # it is lost, which its own thread sees, too
        return True

    def _run(self) -> None:
        from pika.adapters.utils.connection_workflow import AMQPConnectorException
        from pika.exceptions import AMQPError

        failures = 0
        while not self._stopping.is_set():
            since = time.monotonic()
            try:
                self._converse()
            except (AMQPError, AMQPConnectorException, OSError) as error:
                if time.monotonic() - since > PAUSES[-1]:
                    failures = 0  # it was connected
                if failures == 0 and not self._stopping.is_set():
                    log.warning(
                        "No connection to RabbitMQ (DEVKIT_BROKER_URL), trying again; until then each host looks for "
                        "work by itself: %s",
                        _reason(error),
                    )
                self._stopping.wait(PAUSES[min(failures, len(PAUSES) - 1)])
                failures += 1
            except Exception:  # whatever the error is, this thread must go on
                log.exception("the connection to RabbitMQ failed; trying again")
                self._stopping.wait(PAUSES[-1])

    def _converse(self) -> None:
        """Connect, and tell and hear until the connection is lost or the host stops."""
        from pika import BlockingConnection

        with BlockingConnection(self._parameters) as connection:
            channel = connection.channel()
            channel.exchange_declare(EXCHANGE, "fanout")
            limits = {"x-max-length": MOST_UNHEARD, "x-overflow": "drop-head"}
            queue = channel.queue_declare("", exclusive=True, auto_delete=True, arguments=limits).method.queue
            channel.queue_bind(queue, EXCHANGE)
            channel.basic_consume(queue, self._heard, auto_ack=True)
            self._channel = channel
            with self._lock:
                self._connection = connection
                self._scheduled = True
            log.info("connected to RabbitMQ")
            try:
                self._tell_untold()
                for wake in self._listeners.values():
                    wake()  # what was told meanwhile was not heard
                while not self._stopping.is_set():
                    connection.process_data_events(time_limit=None)
                self._tell_untold()
            finally:
                with self._lock:
                    self._connection = None
                    self._scheduled = False

    def _schedule(self) -> None:
        self._connection.call_later(max(0.0, self._told + TELL_EVERY - time.monotonic()), self._tell_untold)

    def _tell_untold(self) -> None:
        with self._lock:
            untold, self._untold = self._untold, set()
            self._scheduled = False
        self._told = time.monotonic()
        for work in untold:
            self._channel.basic_publish(EXCHANGE, work, self._id.encode())

    def _heard(self, _channel: Any, method: Any, _properties: Any, body: bytes) -> None:
        wake = self._listeners.get(method.routing_key)
        if wake is not None and body != self._id.encode():
            wake()


def _parameters(url: str) -> Any:
    """Read an address; raises BadBroker."""
    try:
        from pika import URLParameters
    except ImportError:
        raise BadBroker("RabbitMQ needs the package pika: pip install '.[rabbitmq]'") from None
    if not url.startswith(("amqp://", "amqps://")):
        raise BadBroker("write an address such as amqp://name:password@host:5672/vhost")
    # It logs each failure seven times, with stacks; what an operator needs is said here once.
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    try:
        parameters = URLParameters(url)
        # A host behind a firewall that drops packets is tried again like one that refuses.
        parameters.socket_timeout = parameters.stack_timeout = parameters.blocked_connection_timeout = CONNECT_SECONDS
        parameters.heartbeat = HEARTBEAT
        parameters.connection_attempts = 1
    except (ValueError, TypeError):
        raise BadBroker("write an address such as amqp://name:password@host:5672/vhost") from None
    return parameters


def _reason(error: BaseException) -> str:
    """Say why in one line; what the system said is inside of the library's own errors."""
    while True:
        inside = getattr(error, "exception", None) or next(iter(error.args), None)
        if not isinstance(inside, BaseException):
            break
        error = inside
    return " ".join(str(error).split()) or type(error).__name__
