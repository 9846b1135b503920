"""Cached answers of content sources, and the limits of one read.

The cache key has everything that an answer can depend on: what the script sees (its version, its environment, the
event with the dependencies as this reader sees them) and the revision. The script does not learn who reads, so readers
share answers; another organization has another installation, and so another environment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from runtime.contract import errors
from runtime.engines.shares import NoneLeft
from runtime.services.computing import ContentSourceClient, Question
from runtime.services.render_cache import CachedRender, RenderCache

KEPT = 300.0
"""Seconds for which an answer is cached, since the script's own data can change at any time."""
FAILED = 30.0
"""Seconds after which a source that failed is asked again."""
MAX_CALLS = 20
"""Maximum scripts that are called, and specifications that are read, for one read."""
MAX_SECONDS = 10.0
"""Time limit, in seconds, for all of them together."""
LEAST_SECONDS = 1.0
"""Remaining seconds below which nothing more is called."""


class Allowance:
    """The remaining allowance of one read."""

    def __init__(self, calls: int = MAX_CALLS, seconds: float = MAX_SECONDS) -> None:
        self._calls, self._until = calls, time.monotonic() + seconds

    @property
    def seconds(self) -> float:
        """The number of remaining calls."""
        return round(self._until - time.monotonic(), 1)

    def take(self) -> bool:
        """Use one call, if there is one left."""
        if self._calls <= 0 or self.seconds < LEAST_SECONDS:
            return False
        self._calls -= 1
        return True


class ComputedAnswers:
    """Answers for one read, from the cache if possible."""

    def __init__(self, client: ContentSourceClient, cache: RenderCache, allowance: Allowance) -> None:
        """Take the cache, which is shared with renders: each organization has its share of it."""
        self._client, self._cache, self._allowance = client, cache, allowance

    def of_script(self, question: Question, revision_id: str, read: Callable[[bytes], bytes]) -> bytes | None:
        """Return the result of `read` for a script's answer; None if there is no valid one, or no time for it."""
        plan = question.plan

        def ask() -> bytes:
            return read(self._client.answer(question, self._allowance.seconds))

        if plan.tunnel_url is not None:  # somebody is working on the script
            return self._asked(ask)[0]
        fields = {"computed": question.kind, "revision": revision_id, **question.fields}
        kind = (plan.script.version, question.kind)
        return self.kept(kind, plan.fingerprint, fields, plan.organization_id, ask, plan.integration)

    def kept(
        self,
        kind: object,
        fingerprint: str,
        fields: dict[str, Any],
        owner: str,
        ask: Callable[[], bytes],
        part: str = "",
    ) -> bytes | None:
        """Return what is kept under a fingerprint and fields, or what `ask` gives, for an organization as its owner.

        `part` is the integration that is asked. None also where as many threads wait for the two as may.
        """
        component = ("computed", kind)
        known = self._cache.recall(component, fingerprint, fields)
        if known is not None:
            return known.body or None
        try:
            # If several readers open a page for the first time at once, one of them calls the script.
            with self._cache.asking(
                fingerprint, fields, self._allowance.seconds, lambda: self._client.waiting(owner, part)
            ):
                known = self._cache.recall(component, fingerprint, fields)
                if known is not None:
                    return known.body or None
                answer, seconds = self._asked(ask)
                if seconds:
                    made = time.monotonic()
                    render = CachedRender(answer or b"", "", "", None, made, made + seconds)
                    self._cache.keep(component, fingerprint, fields, render, owner)
                return answer
        except NoneLeft:
            return None

    def _asked(self, ask: Callable[[], bytes]) -> tuple[bytes | None, float]:
        """Ask; gives the answer, and for how many seconds it, or that there is none, holds."""
        if not self._allowance.take():
            return None, 0.0
        seconds = self._allowance.seconds
        try:
            return ask(), KEPT
        except errors.GatewayTimeout:  # which says little of a source that had what others left
            return None, FAILED if seconds > MAX_SECONDS / 2 else 0.0
        except errors.Unavailable:  # of this host, or of what others ask for
            return None, 0.0
        except errors.ApiError:  # what the script did is in its event log
            return None, FAILED
