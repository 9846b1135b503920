"""What an event was about and how it ended, in words: held against every event there is."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.contract.event_descriptions import LONGEST, ending, subject, unhandled, word
from runtime.contract.event_examples import EVENTS as EXAMPLES
from runtime.contract.event_privacy import withheld_payload
from runtime.contract.events import EVENTS

ENDPOINT = "https://host.example/v1/integrations/shop"


@pytest.mark.parametrize(
    ("kind", "state", "answer", "words"),
    [
        ("task", "pending", None, "queued"),
        ("task", "claimed", None, "running"),
        ("site_view", "failed", 500, "will be retried"),
        ("site_view", "delivered", 200, "success"),
        ("site_view", "delivered", 406, "not handled"),
        ("task", "delivered", 406, "not handled"),
        ("site_view", "given-up", 500, "failed"),
        ("site_view", "given-up", None, "failed"),
        ("fetch", "given-up", 401, "refused"),
        ("fetch", "given-up", 403, "refused"),
        ("fetch", "given-up", 404, "not found"),
        ("fetch", "given-up", 405, "not found"),
        ("fetch", "given-up", 406, "rejected"),
        ("fetch", "given-up", 422, "rejected"),
        ("fetch", "given-up", 429, "busy"),
        ("fetch", "given-up", 502, "failed"),
        ("fetch", "given-up", 503, "busy"),
        ("fetch", "given-up", 504, "timed out"),
        ("fetch", "delivered", 302, "success"),
    ],
)
def test_endings_are_called_by_what_they_mean(kind: str, state: str, answer: int | None, words: str) -> None:
    assert word(ending(kind, state, answer)) == words


@pytest.mark.parametrize("kind", EVENTS)
def test_nobody_misses_a_handler_where_nobody_waits(kind: str) -> None:
    assert unhandled(kind, 406) != EVENTS[kind].waits
    assert not unhandled(kind, 200)


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({"type": "fetch", "request": {"method": "post", "url": f"{ENDPOINT}/integration/hook?a=1"}}, "POST /hook"),
        ({"type": "fetch", "request": {"method": "get", "url": f"{ENDPOINT}/installation/i1"}}, "GET /"),
        ({"type": "fetch", "request": {"method": "get", "url": f"{ENDPOINT}/integration//hook/a?b"}}, "GET //hook/a"),
        ({"type": "fetch", "request": {"method": "get", "url": f"{ENDPOINT}/space-installation/i/s/a/b"}}, "GET /a/b"),
        ({"type": "fetch", "request": {"method": "PATCH", "url": "/there"}}, "PATCH /there"),
        ({"type": "ui_render", "componentId": "counter"}, "counter"),
        ({"type": "ui_render", "componentId": "counter", "action": {"action": "up"}}, "counter · up"),
        ({"type": "fetch_visitor_authentication", "location": "/guide"}, "/guide"),
        ({"type": "fetch_visitor_authentication", "location": "/guide", "action": "logout"}, "logout"),
        ({"type": "site_view", "url": "https://docs.example/guide?q=secret"}, "/guide"),
        ({"type": "page_feedback", "url": "https://docs.example/", "feedback": {"rating": "good"}}, "good /"),
        ({"type": "content_compute_revision", "sourceId": "docs"}, "docs"),
        ({"type": "task", "task": {"type": "sync", "left": 3}}, "sync"),
        ({"type": "task", "task": {"left": 3}}, ""),
        ({"type": "installation_setup", "status": "active"}, ""),
        ({"type": "fetch", "request": {"method": "get", "url": "http://[broken/x?y"}}, "GET http://[broken/x"),
        ({"type": "fetch", "request": None}, ""),
        ({}, ""),
    ],
)
def test_what_an_event_was_about(payload: dict[str, Any], text: str) -> None:
    assert subject(payload) == text


@pytest.mark.parametrize("kind", EVENTS)
def test_every_event_has_words_also_where_most_of_it_is_withheld(kind: str) -> None:
    payload = {**EXAMPLES[kind], "type": kind}
    for shown in (payload, withheld_payload(payload)):
        text = subject(shown)
        assert "\n" not in text
        assert "?" not in text


def test_a_long_address_is_cut() -> None:
    text = subject({"type": "fetch", "request": {"method": "get", "url": "/" + "a" * 5000}})
    assert len(text) == LONGEST + 1
    assert text.endswith("…")
