"""Events as lines of a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from devkit.events.traces import answer_text, as_text, handled
from devkit.terminal.output import styled, without_style

MOMENT = "2026-01-02T03:04:05.000Z"
ID = "0aB3dE5fG7hJ9kL1mN3p"
FETCH = {"type": "fetch", "request": {"method": "post", "url": "https://x.example/v1/integrations/a/integration/hook"}}
VIEW = {"type": "site_view", "url": "https://docs.example/guide"}


@pytest.mark.parametrize(
    ("payload", "delivery", "line"),
    [
        (FETCH, {"state": "delivered", "answer": 200, "durationMs": 3.42}, "fetch POST /hook success 3.4 ms"),
        (FETCH, {"state": "given-up", "answer": 401}, "fetch POST /hook refused (401)"),
        (FETCH, {"state": "given-up"}, "fetch POST /hook failed"),
        (VIEW, {"state": "delivered", "answer": 406, "durationMs": 1234}, "site_view /guide not handled 1.2 s"),
        (
            VIEW,
            {"state": "given-up", "answer": 500, "attempts": 7},
            "site_view /guide failed (500) (given up after 7 attempts)",
        ),
        (
            VIEW,
            {"state": "failed", "attempts": 2, "answer": 503, "nextAttemptAt": MOMENT},
            f"site_view /guide will be retried (503) (attempt 2, next attempt at {MOMENT})",
        ),
        (
            {"type": "task", "task": {"type": "sync"}},
            {"state": "pending", "attempts": 0, "nextAttemptAt": MOMENT},
            f"task sync queued (due at {MOMENT})",
        ),
    ],
)
def test_how_an_event_ended_is_one_line(payload: dict[str, Any], delivery: dict[str, Any], line: str) -> None:
    event = {"id": ID, "createdAt": MOMENT, "payload": payload, "delivery": {"attempts": 1, **delivery}}
    assert without_style(as_text({"event": event})) == f"{MOMENT} {ID} {line}"


def test_what_a_runtime_says_about_a_missing_handler_is_not_red() -> None:
    """Runtimes of scripts in JavaScript log an error then, which is none of the author."""
    event = {"id": ID, "createdAt": MOMENT, "payload": VIEW, "delivery": {"state": "delivered", "attempts": 1}}
    trace = {"logs": [{"level": "error", "message": "ExposableError: Integration does not handle"}]}
    red = styled("error", fg="red")
    event["delivery"] = {"state": "delivered", "attempts": 1, "answer": 406}
    assert not handled(event)
    assert red not in as_text({"event": event, "trace": trace})
    event["delivery"] = {"state": "given-up", "attempts": 1, "answer": 500}
    assert handled(event)
    assert red in as_text({"event": event, "trace": trace})


def test_an_answer_is_written_with_its_headers_and_its_body() -> None:
    headers = [["content-type", "text/plain"], ["set-cookie", "[secret]"]]
    text = answer_text({"status": 401, "headers": headers, "bytes": 12, "body": "who are you?"})
    assert text == "401, 12 bytes\ncontent-type: text/plain\nset-cookie: [secret]\n\nwho are you?"
    assert "not kept" in answer_text({"status": 200, "headers": [], "bytes": 200_000})
