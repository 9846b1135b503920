"""Follows an integration's events live, across lost connections and restarts of the host."""

from __future__ import annotations

import random
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import requests

from devkit.events import history
from devkit.hosts import response_shapes
from devkit.hosts.budgets import Budget
from devkit.hosts.client import LONGEST, Client, RequestRefused, reason
from devkit.hosts.event_stream import events
from devkit.hosts.time_limits import Within
from devkit.terminal.output import Problem

SILENCE = 20.0
"""Seconds without a word from the host, which speaks every five, after which the connection counts as broken."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
REMEMBERED = 20_000


def past(client: Client, name: str, last: int, **filters: str | None) -> Iterator[dict[str, Any]]:
    """Yield the last events that ended, oldest first, with their traces; raises Problem, after those that came."""
    path = history.path(name, "stream")
    found: list[dict[str, Any]] = []
    failure: Problem | None = None
    try:
        # All of them before the first is shown: whoever reads them may take longer than the host may.
        with Within(LONGEST), client.stream(path, silence=SILENCE, last=str(last), follow="false", **filters) as stream:
            budget = Budget()
            for message in islice(events(stream), last):  # a host that goes on ignores what it was asked for
                client.spend(budget, path, len(message.data))
                found.append(client.read(message.data, response_shapes.DETAIL, "an event of the stream"))
    except Problem as problem:
        failure = problem
    except requests.RequestException as error:
        failure = Problem(f"{client.host} does not answer ({reason(error)})")
    yield from found
    if failure is not None:
        raise failure


def follow(
    client: Client,
    name: str,
    stopping: threading.Event,
    notify: Callable[[str], None],
    last: int = 0,
    after: str | None = None,
    **filters: str | None,
) -> Iterator[dict[str, Any]]:
    """Yield events with their traces as they end, those of the `last` ones first, until `stopping` is set.

    With `after` (epoch seconds of the host's clock), begins with the events that ended after it. `notify` gets messages
    that the host went away or came back. No event is lost in between: after a break, the host is asked for all events
    since the last one. Raises RequestRefused if the host does not allow it.
    """
    path = history.path(name, "stream")
    delivered: OrderedDict[tuple[str, int], None] = OrderedDict()
    pause, away, reached = FIRST_PAUSE, False, False
    while not stopping.is_set():
        try:
            with client.stream(path, silence=SILENCE, last=str(last), after=after, **filters) as stream:
                reached, pause = True, FIRST_PAUSE
                if away:
                    notify(f"{client.host} is back.")
                    away = False
                for message in events(stream):
                    if stopping.is_set():  # somebody else may follow by now
                        return
                    after = message.id or after
                    detail = client.read(message.data, response_shapes.DETAIL, "an event of the stream")
                    key = (detail["event"]["id"], detail["event"]["delivery"]["attempts"])
                    if key not in delivered:
                        delivered[key] = None
                        yield detail
                    if len(delivered) > REMEMBERED:
                        delivered.popitem(last=False)
        except RequestRefused as refused:
            if refused.status < 500:
                raise
        except requests.RequestException as error:
            if not reached:
                raise Problem(f"{client.host} does not answer ({reason(error)})") from error
        if stopping.is_set():
            return
        if not away:
            notify(f"{client.host} disconnected; waiting for it.")
            away = True
        stopping.wait(pause * (0.5 + random.random()))
        pause = min(LONGEST_PAUSE, pause * 2)
