"""What is written down of an attempt at an event: how it ended, whatever else of it cannot be shown."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from runtime.contract.identifiers import new_id
from runtime.contract.invocation import Limits, LogLine, Trace
from runtime.contract.masking import BY_SHAPE, Masker
from runtime.dispatch.attempts import LONG, Attempt, store
from runtime.dispatch.in_flight import Flight
from runtime.dispatch.retention import Retention
from runtime.store import secrets
from runtime.store.database import now
from runtime.store.tables.events import EventRow
from tests import databases

PAYLOAD = {"type": "space_content_updated", "token": "hush"}


class Broken(Masker):
    """One that cannot mask."""

    def payload(self, text: str) -> str:
        raise RecursionError


def attempt(masker: Masker, state: str = "delivered") -> Attempt:
    event = EventRow(
        id="e", seq=7, type="space_content_updated", payload=json.dumps(PAYLOAD), created_at=datetime.now(UTC)
    )
    trace = Trace(logs=[LogLine(0.0, "info", "said")])
    flight = Flight(event, "o", 0.0)  # type: ignore[arg-type]
    return Attempt(flight, state, "i", 200, trace=trace, seconds=0.5, masker=masker, ended=1.0)


def test_an_attempt_is_written_down_and_told_without_secrets() -> None:
    values, told = attempt(BY_SHAPE).values(Limits()), attempt(BY_SHAPE).told()
    assert (values["place"], values["state"], values["answer"], values["duration_ms"]) == (7, "delivered", 200, 500.0)
    assert "said" in values["trace"] and "hush" not in values["kept"] and "hush" not in json.dumps(told, default=str)


def test_what_comes_again_is_kept_as_it_was_committed() -> None:
    assert attempt(BY_SHAPE, "failed").values(Limits())["kept"] is None


@pytest.mark.parametrize("state", ["delivered", "failed"])
def test_one_that_cannot_be_shown_ends_all_the_same(state: str) -> None:
    values, told = attempt(Broken(), state).values(Limits()), attempt(Broken(), state).told()
    assert (values["place"], values["state"]) == (7, state)
    assert values["kept"] == ('{"type": "space_content_updated"}' if state == "delivered" else None)
    assert "hush" not in json.dumps(told, default=str)


class Counting(Masker):
    """One that tells how often it masked a payload."""

    masked = 0

    def payload(self, text: str) -> str:
        self.masked += 1
        return super().payload(text)


def test_what_is_long_is_masked_once_and_before_it_is_written_down() -> None:
    masker = Counting()
    one = attempt(masker)
    assert not one.is_long
    assert one.trace is not None
    one.trace.logs.append(LogLine(0.0, "info", "x" * LONG))
    assert one.is_long
    one.prepare(Limits(), told=True)
    assert masker.masked == 1
    assert "hush" not in one.values(Limits())["kept"] and "hush" not in json.dumps(one.told(), default=str)
    assert masker.masked == 1
    again = attempt(Broken())
    again.prepare(Limits(), told=True)
    assert again.values(Limits())["state"] == "delivered" and "hush" not in json.dumps(again.told(), default=str)


class HalfACharacter(Masker):
    """One that makes a text that no database takes."""

    def payload(self, text: str) -> str:
        return "\ud800"


def test_one_that_cannot_be_stored_ends_all_the_same_and_holds_no_other_up(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    owner = new_id()
    with databases.opened(tmp_path) as database:
        seqs: list[int] = []
        with database.transaction(writes=True) as session:
            for _ in range(4):
                row = EventRow(
                    id=new_id(), integration_id="i", lane="i", type="installation_setup", payload=json.dumps(PAYLOAD),
                    state="claimed", due_at=0.0, lease_owner=owner, lease_until=2e9, created_at=now(),
                )  # fmt: skip
                session.add(row)
                session.flush()
                seqs.append(row.seq)
        with database.transaction(writes=False) as session:
            flights = {seq: Flight(session.get_one(EventRow, seq), "o", 0.0) for seq in seqs}  # type: ignore[arg-type]
            attempts = [
                Attempt(flights[seq], "delivered", "i", 200, trace=Trace(), seconds=0.5, masker=masker, ended=1.0)
                for seq, masker in zip(seqs, (BY_SHAPE, HalfACharacter(), BY_SHAPE), strict=False)
            ]
            results = [(attempt, attempt.values(Limits())) for attempt in attempts]
        unbegun = [seqs[3]]
        store(results, unbegun, database, owner, Retention(10))
        assert unbegun == []
        with database.transaction(writes=False) as session:
            ended = [session.get_one(EventRow, seq) for seq in seqs]
            assert [row.state for row in ended] == ["delivered", "delivered", "delivered", "pending"]
            assert [row.trace is None for row in ended] == [False, True, False, True]
            assert "hush" not in "".join(row.payload for row in ended[:3])
