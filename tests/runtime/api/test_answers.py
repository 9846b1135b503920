"""Errors leave in one shape, whatever they were."""

from __future__ import annotations

import json

from sqlalchemy.orm.exc import StaleDataError

from runtime.api.answers import error_answer
from runtime.store import conflicts


def test_a_change_of_what_went_meanwhile_is_a_conflict() -> None:
    answer = error_answer(StaleDataError("UPDATE statement on table 'x' expected to update 1 row(s)"), "PATCH /v1/x")
    assert answer.status == 409
    assert json.loads(answer.body)["error"] == {"code": 409, "message": conflicts.REMOVED}
