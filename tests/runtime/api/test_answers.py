"""Errors leave in one shape, whatever they were."""

from __future__ import annotations

import json

import pytest
from sqlalchemy.exc import OperationalError
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
