"""A call is told once both its answer and its trace are there."""

from __future__ import annotations

import pytest

from devkit.tunnel.local_engine import CallEnding
from runtime.contract.invocation import Outcome, Trace


@pytest.mark.parametrize("trace_first", [True, False])
def test_a_call_is_told_with_its_answer_whatever_comes_first(trace_first: bool) -> None:
    told: list[tuple[Outcome | None, Trace]] = []
    ending = CallEnding(lambda outcome, trace: told.append((outcome, trace)))
    outcome, trace = Outcome(400, [], b""), Trace()
    steps = [lambda: ending.answered(outcome), lambda: ending.traced(trace)]
    for step in reversed(steps) if trace_first else steps:
        assert told == []
        step()
    assert told == [(outcome, trace)]


def test_a_call_that_has_no_answer_is_told_all_the_same() -> None:
    told: list[Outcome | None] = []
    ending = CallEnding(lambda outcome, trace: told.append(outcome))
    ending.traced(Trace())
    ending.answered(None)
    assert told == [None]
