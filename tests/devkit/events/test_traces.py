"""Events as lines of a terminal."""

from __future__ import annotations

from typing import Any

import click
import pytest

from devkit.events.traces import as_text

MOMENT = "2026-01-02T03:04:05.000Z"


@pytest.mark.parametrize(
    ("status", "delivery", "line"),
    [
        ("success", {"state": "delivered", "attempts": 1, "answer": 200, "durationMs": 1.25}, "fetch success 1.2 ms"),
        ("failed", {"state": "given-up", "attempts": 1, "answer": 400}, "fetch failed answered 400"),
        ("failed", {"state": "given-up", "attempts": 1}, "fetch failed"),
        (
            "failed",
            {"state": "failed", "attempts": 2, "nextAttemptAt": MOMENT},
            f"fetch failed (attempt 2, next attempt at {MOMENT})",
        ),
    ],
)
def test_how_an_event_ended_is_one_line(status: str, delivery: dict[str, Any], line: str) -> None:
    event = {"createdAt": MOMENT, "payload": {"type": "fetch"}, "status": status, "delivery": delivery}
    assert click.unstyle(as_text({"event": event})) == f"{MOMENT} {line}"
