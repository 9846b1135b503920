"""Posts answers to the host, which may read them slowly, within a limit."""

from __future__ import annotations

import time
from collections.abc import Iterator

import urllib3

from devkit.hosts.time_limits import POOLS, Within
from runtime.engines.dev_tunnel.line import MAX_CALLS

SILENCE = 120
"""Seconds without a byte taken, or answered."""
LONGEST = 300.0
"""Seconds that the host may take for a whole answer, and then to say that it has it."""
SLOWEST = 1024
"""Bytes for which it may take another second."""
LONGEST_ERROR = 500
"""Characters that are read of what the host says to an answer."""


class TakenTooSlowly(urllib3.exceptions.HTTPError):
    """The host read an answer too slowly."""


class Posts:
    """Connections to one host on which answers are posted; safe to use from many threads."""

    def __init__(self, token: str) -> None:
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/octet-stream"}
        self._pool = urllib3.PoolManager(maxsize=MAX_CALLS, retries=False)
        self._pool.pool_classes_by_scheme = POOLS

    def post(self, url: str, body: bytes | Iterator[bytes]) -> None:
        """Post an answer; raises urllib3's HTTPError, requests.Timeout, OSError."""
        sent = body if isinstance(body, bytes) else _taken_in_time(body)
        with Within(LONGEST):
            answer = self._pool.request(
                "POST", url, body=sent, headers=self._headers, timeout=SILENCE, redirect=False, preload_content=False
            )
            if answer.status == 204:
                answer.release_conn()
                return
            said = answer.read(LONGEST_ERROR * 4)
            answer.close()  # there may be more, and it need not have an end
        if answer.status == 400:
            raise urllib3.exceptions.HTTPError(said.decode(errors="replace")[:LONGEST_ERROR])


def _taken_in_time(body: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a body; raises TakenTooSlowly once the host, not who makes the body, has taken too long for it."""
    taking, size = 0.0, 0
    for piece in body:
        began = time.monotonic()
        yield piece
        taking += time.monotonic() - began
        size += len(piece)
        if taking > LONGEST + size / SLOWEST:
            raise TakenTooSlowly(f"it took {taking:.0f} s for {size} bytes")
