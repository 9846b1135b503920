"""Reads of rows that count how often they happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy.orm import Session

from runtime.store import rows
from runtime.store.reach import HOST
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.store.conftest import named

SPACE, SPACE_THERE = named("spaces", "here"), named("spaces", "there")


def visibility(session: Session) -> str:
    row = rows.find(session, HOST, SpaceRow, id=SPACE)
    assert row is not None
    return row.visibility


def nobody(_key: object, _value: object) -> str:
    return ""


class Counted:
    """Makes a value, and counts how often."""

    def __init__(self, make: Callable[[Session], Any] = visibility) -> None:
        self._make, self.times = make, 0

    def __call__(self, session: Session) -> Any:
        self.times += 1
        return self._make(session)
