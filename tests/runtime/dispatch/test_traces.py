"""Traces as they are stored."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from runtime.contract.invocation import Limits, LogLine, Subrequest, Trace
from runtime.contract.masking import BY_SHAPE
from runtime.dispatch.traces import trace_of, trace_text

CREATED = datetime(2026, 1, 31, 12, tzinfo=UTC)


def stored(trace: Trace, seconds: float = 0.25) -> dict[str, dict[str, float]]:
    shown: dict[str, dict[str, float]] = json.loads(trace_text(trace, Limits(), BY_SHAPE, CREATED, seconds))
    return shown


def test_a_call_and_its_requests_lie_on_one_axis_that_begins_with_the_event() -> None:
    since = CREATED.timestamp()
    trace = Trace(sent=since + 0.1, began=since + 0.15)
    trace.subrequests.append(Subrequest(since + 0.2, "GET", "https://x.example/", 200, 12.5))
    trace.logs.append(LogLine(since + 0.3, "info", "done"))
    shown = stored(trace)
    moments = shown["moments"]
    assert {name: moments[name] for name in ("sentMs", "beganMs", "answeredMs")} == {
        "sentMs": 100.0,
        "beganMs": 150.0,
        "answeredMs": 350.0,
    }
    assert moments["endedMs"] >= 350.0
    (request,) = shown["subrequests"]
    assert (request["startMs"], request["durationMs"]) == (200.0, 12.5)


def test_a_call_that_found_no_process_has_no_beginning() -> None:
    since = CREATED.timestamp()
    assert set(stored(Trace(sent=since))["moments"]) == {"sentMs", "answeredMs", "endedMs"}


def test_a_clock_that_was_set_back_gives_no_time_before_the_event() -> None:
    assert stored(Trace(sent=CREATED.timestamp() - 5))["moments"]["sentMs"] == 0.0


@pytest.mark.parametrize("said", [r"\u0000", r"a\\u0000b", r"\\\u0000", "\\", r'{"a": "\u0000"}'])
def test_a_text_that_names_a_character_nobody_stores_stays_as_it_is(said: str) -> None:
    trace = Trace(logs=[LogLine(CREATED.timestamp(), "info", message) for message in (said, f"\0{said}\0")])
    assert [line["message"] for line in stored(trace)["logs"]] == [said, said]


def test_what_is_stored_and_no_json_is_no_trace() -> None:
    assert trace_of('{"logs":[{"message":"\\"}]}') is None
    assert trace_of(None) is None
    assert trace_of('{"logs":[]}') == {"logs": []}
