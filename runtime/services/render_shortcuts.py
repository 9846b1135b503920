"""The short way from the bytes of a request to its render.

Who asks, what the path and the body say, whose script it is and what that script is told follow from the bytes of a
request, its token among them, as long as the epochs stand still that all of it rests on. So they are kept: a request
that comes again needs no row at all, and where its answer is kept, too, no script.
"""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass, replace

from runtime.dispatch.planning import Plan
from runtime.dispatch.script_event import ScriptEvent
from runtime.services.render_cache import CachedRender
from runtime.services.rendering import PreparedRender
from runtime.store.fair_memory import FairMemory
from runtime.store.queue import Source
from runtime.store.remembered import Basis, Epochs

Request = tuple[str | None, str, str, bytes]
"""The `Authorization` header, the path, the query and the body."""
LONGEST_REQUEST = 65_536
"""Bytes of a body up to which a request is worth remembering."""
LONGEST_ANSWER = 262_144
"""Bytes of an answer up to which it is worth its memory here."""
OVERHEAD = 2_000
EPOCH = 150
"""About how many bytes an epoch takes that a shortcut rests on; who is in many organizations rests on as many."""


@dataclass(frozen=True, slots=True)
class _Shortcut:
    """`token_expires` is in seconds since 1970.

    The plan, with a script and an environment that may be large, is kept and weighed where plans are, not here as well.
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
    """A bounded memory of prepared renders by request, of which each organization that asks has its part."""

    def __init__(self, most_bytes: int) -> None:
        self._kept: FairMemory[Request, _Shortcut] = FairMemory(most_bytes)

    def find(self, request: Request, basis: Basis) -> tuple[PreparedRender, CachedRender | None] | None:
        """Give what exactly this request asks for, and the fresh answer to it; None where nobody knows any more."""
        shortcut = self._kept.look(request)
        if shortcut is None:
            return None
        plan, answer = shortcut.plan(), shortcut.answer
        if plan is not None and plan.fresh and time.time() < shortcut.token_expires and basis.holds(shortcut.rests_on):
            prepared = PreparedRender(plan, shortcut.component, shortcut.event, shortcut.source, shortcut.cacheable)
            return prepared, answer if answer is not None and answer.fresh else None
        self._kept.drop(request)
        return None

    def keep(self, request: Request, basis: Basis, token_expires: float, prepared: PreparedRender, owner: str) -> None:
        """Keep what a request asks for, of which `basis` knows on what it rests, for the organization that asks."""
        rests_on = basis.used
        if rests_on is None or len(request[3]) > LONGEST_REQUEST:
            return
        plan = weakref.ref(prepared.plan)
        kept = (prepared.component, prepared.event, prepared.source, prepared.cacheable)
        self._put(request, _Shortcut(plan, *kept, rests_on, token_expires), owner)

    def keep_answer(self, request: Request, prepared: PreparedRender, answer: CachedRender, owner: str) -> None:
        """Keep the answer as well, to a request that is kept with the plan that was asked.

        While the script worked, its configuration may have changed and the same request may have come again: then a
        newer plan is kept, to which this answer does not belong.
        """
        shortcut = self._kept.look(request)
        if shortcut is not None and shortcut.plan() is prepared.plan and len(answer.body) <= LONGEST_ANSWER:
            self._put(request, replace(shortcut, answer=replace(answer, took=None)), owner)

    def _put(self, request: Request, shortcut: _Shortcut, owner: str) -> None:
        token, path, query, body = request
        length = len(token or "") + len(path) + len(query) + len(body)
        self._kept.keep(request, shortcut, owner, length + shortcut.size + OVERHEAD)
