"""What is left of an event for who may not read its installation, held against every event there is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract.event_examples import EVENTS as EXAMPLES
from runtime.contract.event_privacy import (
    CUT,
    MAX_PIECES,
    SHOWN,
    found_in,
    pieces_of,
    texts_of,
    withheld_payload,
    withheld_trace,
)
from runtime.contract.events import EVENTS

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)
WORD = "what-nobody-else-reads"


def marked(value: Any) -> Any:
    """Put the word in place of every text."""
    if isinstance(value, dict):
        return {name: marked(one) for name, one in value.items()}
    if isinstance(value, list):
        return [marked(one) for one in value]
    return WORD if isinstance(value, str) else value


@pytest.mark.parametrize("kind", EVENTS)
def test_of_each_event_ids_and_words_of_the_contract_are_left(kind: str) -> None:
    for name, field in EVENTS[kind].model_fields.items():
        alias = field.alias or name
        assert alias in SHOWN or alias in CUT or alias in ("task", "auth"), f"{kind}.{alias}: shown or withheld?"
    payload = {"eventId": "e", "installationId": "i", **EXAMPLES[kind], "type": kind}
    held = withheld_payload(payload)
    assert (held["eventId"], held["type"], held["installationId"]) == ("e", kind, "i")
    for name, value in withheld_payload({**marked(payload), "type": kind}).items():
        if name not in SHOWN:
            assert {*texts_of(value)} <= (
                {WORD} if name in ("previous", "context", "action", "feedback", "request") else set()
            )


@given(st.dictionaries(st.sampled_from([*CUT, "unknown", "task", "auth", "installation"]), JSON))
def test_nothing_gets_through_that_is_not_named(payload: dict[str, Any]) -> None:
    held = withheld_payload(payload)
    assert set(held) <= set(CUT)
    for name in ("props", "state", "dependencies", "visitor", "cookies", "searchParams", "url", "referrer", "location"):
        assert not [*texts_of(held.get(name))]
    previous = held.get("previous")
    assert not isinstance(previous, dict) or not previous.get("configuration")


@given(JSON, st.text(min_size=6, max_size=20).filter(lambda text: "withheld" not in text and text.strip() == text))
def test_what_is_private_is_not_in_a_trace(value: Any, word: str) -> None:
    trace = {
        "logs": [{"level": "info", "timestamp": "2026", "message": f"it is {word}, as configured"}],
        "fault": {"message": word, "traceback": [value, word]},
        "subrequests": [{"method": "GET", "url": f"https://api.example/{word}?key=other-secret"}],
        "failure": {"kind": "timeout", "message": word, "limit": "wall"},
    }
    told = withheld_trace(trace, {word})
    left = repr([told["logs"][0]["message"], told["fault"]["message"], told["subrequests"], told["failure"]["message"]])
    assert word not in left or word in "it is , as configured [withheld] https://api.example/ GET url method"
    assert "other-secret" not in left


@pytest.mark.parametrize(
    ("body", "logged"),
    [
        ('{"customer": {"acme-corporation": [12345.678, "of-note"]}}', ("acme-corporation", "12345.678", "of-note")),
        ("customer=acme+corporation&plan=enterprise", ("acme corporation", "acme+corporation", "enterprise")),
        ("payload=%7B%22user%22%3A%7B%22name%22%3A%22alice+smith%22%7D%7D", ("alice smith",)),
        ('{"Message": "{\\"customer\\": \\"acme inc\\"}"}', ("acme inc",)),
        ('{"a": "alice.smith"}\n{"b": "bob.jones"}', ("alice.smith", "bob.jones")),
        ('"alice.smith"', ("alice.smith",)),
        ("<order><customer>alice.smith</customer></order>", ("alice.smith",)),
        ('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nalice.smith\r\n--b--', ("alice.smith",)),
        ("{ not json", ("{ not json",)),
        ("[" * 100_000, ()),
    ],
)
def test_what_a_script_reads_out_of_a_body_is_withheld(body: str, logged: tuple[str, ...]) -> None:
    pieces = pieces_of({}, body)
    assert pieces is not None and {*logged} <= pieces


def test_what_a_script_reads_out_of_an_event_is_withheld() -> None:
    headers = {"cookie": "a=firsts; b=second", "authorization": "Basic YWxpY2Uuc21pdGg6aHVudGVyMg=="}
    request = {"url": "https://x.example/hook?customer=acme%20corporation", "headers": headers}
    payload = {"request": request, "props": {"number-one": 1234567, "installation": {"greeting": "welcome"}}}
    pieces = pieces_of(payload, None) or set()
    assert {"acme corporation", "second", "alice.smith", "hunter2", "number-one", "1234567", "welcome"} <= pieces
    assert "greeting" not in pieces, "the manifest names it"


def test_of_more_than_is_looked_for_nothing_is_shown() -> None:
    assert pieces_of({}, "&".join(f"a{place}=b" for place in range(MAX_PIECES))) is None
    line = {"level": "info", "timestamp": "2026", "message": "something"}
    told = withheld_trace({"logs": [line], "fault": {"message": "something"}, "usage": {"wallMs": 1}}, None)
    assert told == {"logs": [line | {"message": "[withheld]"}], "subrequests": [], "usage": {"wallMs": 1}}


@given(st.lists(st.text(min_size=6, max_size=9), max_size=80), st.lists(st.text(max_size=30), max_size=5))
def test_words_are_found_however_many_there_are(words: list[str], texts: list[str]) -> None:
    texts += words[::3]
    whole = "\n".join(texts)
    assert {*found_in(words, texts)} == {word for word in words if word in whole}
