"""The local end of a tunnel: listens for calls, answers them, and reconnects by itself."""

from __future__ import annotations

import base64
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import requests
import urllib3

from devkit.hosts import response_shapes
from devkit.hosts.client import Client, HostUnreachable, RequestRefused, part
from devkit.hosts.credentials import Credentials
from devkit.hosts.event_stream import ServerSentEvent, events
from devkit.terminal.output import Problem
from devkit.tunnel.exchange import Answer, Handler, Incoming
from devkit.tunnel.posting import Posts
from runtime.engines.dev_tunnel.line import MAX_CALLS

SILENCE = 10.0
"""Seconds without a word from the host, which speaks every other one, after which the line counts as broken."""
FIRST_CONTACT = 15.0
"""Seconds until the line must be open for the first time."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
MOST_CALLS = 10 * MAX_CALLS
"""Calls that are answered here at once. The host gives up some that a server here is still busy with, and sends others.
"""
LONGEST_ERROR = 500
"""Characters of what went wrong that are shown to whoever called."""


class Tunnel:
    """A tunnel from a host to a handler on this machine; its address is the same every time."""

    def __init__(
        self,
        credentials: Credentials,
        organization: str,
        name: str,
        handler: Handler,
        notify: Callable[[str], None],
        opened: Callable[[str], None] | None = None,
    ) -> None:
        """Open the tunnel; raises Problem.

        `handler` answers the calls; `notify` tells the person here that the line broke, or is back. `opened` is called
        with the address when the line is open, and again whenever it is back: the lease may have ended in between.
        """
        self._client, self._credentials = Client(credentials), credentials
        self._path = f"/v1/orgs/{part(organization)}/tunnels"
        self._name, self._handler, self._notify, self._on_open = name, handler, notify, opened
        self._stopping, self._connected = threading.Event(), threading.Event()
        self._calls: dict[str, Incoming] = {}
        self._crowded = False
        self._posts = Posts(credentials.token)
        self._opened = self._lease()
        self.replaced = self.over = False
        self._failed: Problem | None = None
        self._threads = [
            threading.Thread(target=self._renew, name="tunnel lease", daemon=True),
            threading.Thread(target=self._listen, name="tunnel line", daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        if not self._connected.wait(FIRST_CONTACT):
            with suppress(Problem):
                self.close()
            raise Problem(f"{self._client.host} created a tunnel, but could not be connected to it", hint="try again")
        if self._failed is not None:
            with suppress(Problem):
                self.close()
            raise self._failed

    @property
    def url(self) -> str:
        """The public address of the tunnel."""
        return str(self._opened["url"])

    def close(self) -> None:
        """End the lease, and with it the development mode; calls in flight are not awaited."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._cancel_calls()
        if not self.replaced:  # else the lease is somebody else's now
            self._client.call("DELETE", f"{self._path}/{part(self._opened['id'])}")

    def _lease(self) -> dict[str, Any]:
        opened: dict[str, Any] = self._client.call(
            "POST", self._path, {"name": self._name}, shape=response_shapes.TUNNEL
        )
        return opened

    def _renew(self) -> None:
        client = Client(self._credentials)
        while not self._stopping.wait(max(1.0, self._opened["leaseSeconds"] / 3)):
            try:
                client.call("POST", self._path, {"name": self._name})
            except Problem:
                continue  # the line reports that the host is away, and the next renewal comes soon

    def _listen(self) -> None:
        pause, broken = FIRST_PAUSE, False
        while not self._stopping.is_set():
            try:
                if broken:
                    self._lease()
                with self._client.stream(f"/v1/tunnels/{self._opened['id']}/stream", silence=SILENCE) as stream:
                    self._greet()
                    if broken:
                        self._notify(f"The tunnel is back: {self.url}")
                    pause, broken = FIRST_PAUSE, False
                    for message in events(stream):
                        self._take(message)
                        if self.over or self._stopping.is_set():
                            return
                why = "the host closed the connection"
            except (requests.RequestException, Problem) as error:
                why = error.sentence if isinstance(error, Problem) else f"{self._client.host} does not answer"
                if isinstance(error, RequestRefused) and error.status in (401, 403):
                    self._notify(f"The tunnel was closed: {why}")
                    self.over = True
                    return
            finally:
                self._cancel_calls()
            if not broken and not self._stopping.is_set():
                self._notify(f"The tunnel was disconnected: {why}; trying again.")
            broken = True
            self._stopping.wait(pause * (0.5 + random.random()))
            pause = min(LONGEST_PAUSE, pause * 2)

    def _greet(self) -> None:
        """Report that the line is open; an error of the first report goes to whoever opened the tunnel."""
        try:
            if self._on_open is not None:
                self._on_open(self.url)
        except Problem as problem:
            if self._connected.is_set():
                raise
            self._failed = problem
        self._connected.set()

    def _take(self, message: ServerSentEvent) -> None:
        if message.kind == "call":
            head = self._client.read(message.data, response_shapes.CALL, "a call of the tunnel")
            headers = [(name, value) for name, value in head["headers"]]
            if len(self._calls) >= MOST_CALLS:
                if not self._crowded:
                    self._notify(
                        f"{MOST_CALLS} calls are being answered; others are not taken until some of these end."
                    )
                self._crowded = True
                return
            self._crowded = False
            incoming = self._calls[message.id] = Incoming(message.id, head["method"], head["path"], headers)
            # In no pool, for which Python would wait when it ends.
            threading.Thread(target=self._answer, args=[incoming], name="tunnel call", daemon=True).start()
        elif message.kind == "replaced":
            self.replaced = self.over = True
            self._notify("The tunnel was taken over by another `devkit` of yours with the same tunnel.")
        elif message.id in self._calls:
            incoming = self._calls[message.id]
            if message.kind == "body":
                piece = self._client.read(message.data, response_shapes.PIECE, "a call of the tunnel")["data"]
                try:
                    incoming.arrive(base64.b64decode(piece))
                except ValueError as error:
                    raise HostUnreachable(f"{self._client.host} sent a part of a call that cannot be read") from error
            elif message.kind == "end":
                incoming.arrive(None)
            elif message.kind == "cancel":
                incoming.cancel()

    def _cancel_calls(self) -> None:
        """Cancel the calls of a lost line: they will stay incomplete, and the host has answered them."""
        for incoming in list(self._calls.values()):
            incoming.cancel()

    def _answer(self, incoming: Incoming) -> None:
        try:
            answer = self._handler.answer(incoming)
        except Exception as error:
            # Whoever called must hear something, whatever the handler stumbled over.
            sentence = f"The developer's machine could not answer: {type(error).__name__}: {error}"[:LONGEST_ERROR]
            answer = Answer(502, [("Content-Type", "text/plain; charset=utf-8")], sentence.encode())
        try:
            if not incoming.cancelled:
                self._posts.post(
                    f"{self._client.host}/v1/tunnels/{part(self._opened['id'])}/answers/{part(incoming.call)}",
                    answer.frames(incoming.call),
                )
        except (urllib3.exceptions.HTTPError, OSError) as error:  # which includes requests.Timeout
            if not self._stopping.is_set():
                self._notify(f"An answer could not be delivered to {self._client.host}: {type(error).__name__}")
        finally:
            self._calls.pop(incoming.call, None)
            incoming.cancel()  # or the rest of a body that nobody read would hold up all other calls
