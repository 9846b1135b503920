"""Requests that are sent at the same moment."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.conftest import Answer


def at_once(*requests: Callable[[], Answer]) -> list[Answer]:
    """Send requests at the same moment."""
    barrier = threading.Barrier(len(requests))

    def send(request: Callable[[], Answer]) -> Answer:
        barrier.wait()
        return request()

    with ThreadPoolExecutor(len(requests)) as threads:
        return list(threads.map(send, requests))


def statuses(answers: Sequence[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)
