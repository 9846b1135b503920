"""Errors leave in one shape, whatever they were."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    DBAPIError,
    IntegrityError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.orm.exc import StaleDataError

from runtime.api.answers import error_answer
from runtime.contract import errors
from runtime.store import conflicts


def test_a_change_of_what_went_meanwhile_is_a_conflict() -> None:
    answer = error_answer(StaleDataError("UPDATE statement on table 'x' expected to update 1 row(s)"), "PATCH /v1/x")
    assert answer.status == 409
    assert json.loads(answer.body)["error"] == {"code": 409, "message": conflicts.REMOVED}


@pytest.mark.parametrize("kind", [errors.ApiError, *errors.ApiError.__subclasses__(), errors.Inactive])
def test_who_came_too_early_is_told_when_to_come_again(kind: type[errors.ApiError]) -> None:
    error = kind(502, "It failed.") if issubclass(kind, errors.ScriptAnswered) else kind()
    headers = dict(error_answer(error, "GET /v1/x").headers)
    expected = {429: "60", 503: "1"} if kind is not errors.Inactive else {}
    assert headers.get("Retry-After") == expected.get(errors.status_of(error))


def test_without_the_database_there_is_a_time_to_come_again() -> None:
    answer = error_answer(OperationalError("SELECT 1", {}, Exception("gone")), "GET /v1/x")
    assert (answer.status, dict(answer.headers)["Retry-After"]) == (503, "1")


@pytest.mark.parametrize("kind", [DataError, IntegrityError, ProgrammingError])
def test_a_bug_is_no_database_that_is_away(kind: type[DBAPIError], caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(sqlite3.IntegrityError) as refused, closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE x (y NOT NULL)")
        connection.execute("INSERT INTO x VALUES (NULL)")
    answer = error_answer(kind("INSERT INTO x", {}, refused.value), "POST /v1/x")
    assert (answer.status, dict(answer.headers).get("Retry-After")) == (500, None)
    assert b"NOT NULL" not in answer.body and caplog.records[-1].exc_info is not None


@pytest.mark.parametrize("kind", [OperationalError, InternalError, DatabaseError])
def test_what_the_database_cannot_do_for_now_can_be_tried_again(kind: type[DBAPIError]) -> None:
    assert error_answer(kind("INSERT INTO x", {}, Exception("read-only transaction")), "POST /v1/x").status == 503
    gone = ProgrammingError("SELECT 1", {}, Exception("closed"), connection_invalidated=True)
    assert error_answer(gone, "GET /v1/x").status == 503
