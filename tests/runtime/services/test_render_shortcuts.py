"""What is kept for requests that come again: nothing that is over, and nothing that is weighed elsewhere."""

from __future__ import annotations

import gc
import time

import pytest

from runtime.contract.invocation import Script
from runtime.contract.masking import BY_SHAPE
from runtime.dispatch.planning import FRESH, Plan
from runtime.dispatch.script_event import ScriptEvent
from runtime.services.render_cache import CachedRender
from runtime.services.render_shortcuts import LONGEST_REQUEST, RenderShortcuts, Request
from runtime.services.rendering import PreparedRender
from runtime.store.epoch_cache import Basis
from runtime.store.epoch_prefetch import EpochPrefetch

REQUEST: Request = ("Bearer t", "/v1/integrations/i/render", "", b"{}")
FOREVER = float("inf")


def plan(made: float | None = None) -> Plan:
    script = Script("v", "python", "x" * 1000, "integration.py", "i")
    moment = time.monotonic() if made is None else made
    return Plan("i", "i", "in", "o", script, b"{}", "f", BY_SHAPE, None, None, None, "http://e", moment)


def prepared(of: Plan) -> PreparedRender:
    return PreparedRender(of, "c", ScriptEvent.of(of, "ui_render", {"componentId": "c"}), "people", True)


def basis(epoch: int = 1) -> Basis:
    return Basis(lambda owners: dict.fromkeys(owners, epoch), EpochPrefetch())


def used(epoch: int = 1) -> Basis:
    """The basis of a request that has used what rests on the epoch of one owner."""
    one = basis(epoch)
    assert one.holds({"o": epoch})
    one.use({"o": epoch})
    return one


@pytest.fixture
def shortcuts() -> RenderShortcuts:
    return RenderShortcuts(1_000_000)


def test_what_was_prepared_is_found_until_its_epoch_moves(shortcuts: RenderShortcuts) -> None:
    own = plan()
    shortcuts.keep(REQUEST, used(), FOREVER, prepared(own), "o")
    assert shortcuts.find(REQUEST, basis()) == (prepared(own), None)
    assert shortcuts.find(("Bearer other", *REQUEST[1:]), basis()) is None
    assert shortcuts.find(REQUEST, basis(2)) is None
    assert shortcuts.find(REQUEST, basis()) is None


def test_it_ends_with_its_token_and_with_its_plan(shortcuts: RenderShortcuts) -> None:
    own, old = plan(), plan(time.monotonic() - FRESH)
    shortcuts.keep(REQUEST, used(), time.time() - 1, prepared(own), "o")
    assert shortcuts.find(REQUEST, basis()) is None
    shortcuts.keep(REQUEST, used(), FOREVER, prepared(old), "o")
    assert shortcuts.find(REQUEST, basis()) is None


def test_no_plan_stays_in_memory_for_it(shortcuts: RenderShortcuts) -> None:
    own = plan()
    shortcuts.keep(REQUEST, used(), FOREVER, prepared(own), "o")
    del own
    gc.collect()
    assert shortcuts.find(REQUEST, basis()) is None


def test_an_answer_is_given_as_long_as_it_is_fresh(shortcuts: RenderShortcuts) -> None:
    own, now = plan(), time.monotonic()
    fresh = CachedRender(b"{}", "e", "max-age=60", None, now, now + 60)
    shortcuts.keep_answer(REQUEST, prepared(own), fresh, "o")
    assert shortcuts.find(REQUEST, basis()) is None
    shortcuts.keep(REQUEST, used(), FOREVER, prepared(own), "o")
    shortcuts.keep_answer(REQUEST, prepared(own), fresh, "o")
    assert shortcuts.find(REQUEST, basis()) == (prepared(own), fresh)
    over = CachedRender(b"{}", "e", "max-age=60", None, now - 60, now - 1)
    shortcuts.keep_answer(REQUEST, prepared(own), over, "o")
    assert shortcuts.find(REQUEST, basis()) == (prepared(own), None)


def test_an_answer_from_before_a_change_is_not_kept_for_who_asks_after_it(shortcuts: RenderShortcuts) -> None:
    before, after, now = plan(), plan(), time.monotonic()
    shortcuts.keep(REQUEST, used(1), FOREVER, prepared(before), "o")
    shortcuts.keep(REQUEST, used(2), FOREVER, prepared(after), "o")
    late = CachedRender(b"{}", "e", "max-age=60", None, now, now + 60)
    shortcuts.keep_answer(REQUEST, prepared(before), late, "o")  # of a script that answers slowly
    assert shortcuts.find(REQUEST, basis(2)) == (prepared(after), None)


def test_what_rests_on_nothing_known_or_is_large_is_not_kept(shortcuts: RenderShortcuts) -> None:
    own, unknown = plan(), basis()
    unknown.use(None)
    shortcuts.keep(REQUEST, unknown, FOREVER, prepared(own), "o")
    assert shortcuts.find(REQUEST, basis()) is None
    large: Request = (*REQUEST[:3], b" " * (LONGEST_REQUEST + 1))
    shortcuts.keep(large, used(), FOREVER, prepared(own), "o")
    assert shortcuts.find(large, basis()) is None


def test_requests_count_with_all_their_bytes() -> None:
    few, own = RenderShortcuts(200_000), plan()
    requests: list[Request] = [(*REQUEST[:3], b"%60000d" % number) for number in range(10)]
    for request in requests:
        few.keep(request, used(), FOREVER, prepared(own), "o")
    assert sum(few.find(request, basis()) is not None for request in requests) == 3


def test_requests_count_with_all_they_rest_on() -> None:
    few, own, epochs = RenderShortcuts(200_000), plan(), {f"{number:020}": 1 for number in range(400)}
    requests: list[Request] = [(*REQUEST[:3], b"%d" % number) for number in range(10)]
    for request in requests:
        rests_on = basis()
        rests_on.use(epochs)
        few.keep(request, rests_on, FOREVER, prepared(own), "o")
    assert sum(few.find(request, basis()) is not None for request in requests) == 3
