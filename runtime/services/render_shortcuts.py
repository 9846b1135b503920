"""Prepared renders, and their answers, cached by the bytes of the request.

The requester, the parsed path and body, the script and its event are determined by the bytes of a request, including
its token, as long as the epochs that they depend on do not change. So a repeated request needs no database row at all
and, if its answer is cached as well, no call of the script.
"""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass, replace

from runtime.dispatch.planning import Plan
from runtime.dispatch.script_event import ScriptEvent
from runtime.services.render_cache import CachedRender
from runtime.services.rendering import PreparedRender
from runtime.store.epoch_cache import Basis, Epochs
from runtime.store.fair_memory import FairMemory
from runtime.store.queue import Source

Request = tuple[str | None, str, str, bytes]
"""The `Authorization` header, the path, the query and the body."""
LONGEST_REQUEST = 65_536
"""Longest body, in bytes, of a request that is cached."""
LONGEST_ANSWER = 262_144
"""Longest answer, in bytes, that is cached here."""
OVERHEAD = 2_000
EPOCH = 150
"""Approximate bytes of one epoch that a shortcut depends on; a member of many organizations depends on as many."""


@dataclass(frozen=True, slots=True)
class _Shortcut:
    """`token_expires` is in seconds since 1970.

    The plan has a script and an environment that may be large. It is held weakly: the plan cache owns and weighs it.
    """

    plan: weakref.ref[Plan]
    component: str
    event: ScriptEvent
    source: Source
    cacheable: bool
    rests_on: Epochs
    token_expires: float
    answer: CachedRender | None = None

    @property
    def size(self) -> int:
        answer = len(self.answer.body) if self.answer is not None else 0
        return len(self.event.rest) + answer + EPOCH * len(self.rests_on)


class RenderShortcuts:
    """A cache of prepared renders by request, limited in bytes and shared fairly by the requesting organizations."""

    def __init__(self, most_bytes: int) -> None:
        self._kept: FairMemory[Request, _Shortcut] = FairMemory(most_bytes)

    def find(self, request: Request, basis: Basis) -> tuple[PreparedRender, CachedRender | None] | None:
        """Return the prepared render for exactly this request, and its answer if that is fresh; None if not cached."""
        shortcut = self._kept.peek(request)
        if shortcut is None:
            return None
        plan, answer = shortcut.plan(), shortcut.answer
        if plan is not None and plan.fresh and time.time() < shortcut.token_expires and basis.holds(shortcut.rests_on):
            prepared = PreparedRender(plan, shortcut.component, shortcut.event, shortcut.source, shortcut.cacheable)
            return prepared, answer if answer is not None and answer.fresh else None
        self._kept.drop(request)
        return None

    def keep(self, request: Request, basis: Basis, token_expires: float, prepared: PreparedRender, owner: str) -> None:
        """Cache the prepared render of a request, with the epochs in `basis`, for the requesting organization."""
        rests_on = basis.used
        if rests_on is None or len(request[3]) > LONGEST_REQUEST:
            return
        plan = weakref.ref(prepared.plan)
        kept = (prepared.component, prepared.event, prepared.source, prepared.cacheable)
        self._put(request, _Shortcut(plan, *kept, rests_on, token_expires), owner)

    def keep_answer(self, request: Request, prepared: PreparedRender, answer: CachedRender, owner: str) -> None:
        """Cache the answer as well, if the request is still cached with the plan that produced the answer.

        While the script was running, its configuration may have changed and the same request may have been repeated:
        then a newer plan is cached, and this answer does not belong to it.
        """
        shortcut = self._kept.peek(request)
        if shortcut is not None and shortcut.plan() is prepared.plan and len(answer.body) <= LONGEST_ANSWER:
            self._put(request, replace(shortcut, answer=replace(answer, took=None)), owner)

    def _put(self, request: Request, shortcut: _Shortcut, owner: str) -> None:
        token, path, query, body = request
        length = len(token or "") + len(path) + len(query) + len(body)
        self._kept.keep(request, shortcut, owner, length + shortcut.size + OVERHEAD)
