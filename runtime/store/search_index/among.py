"""Queries about many values at once, each found by its index, whatever a database believes of a table's content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, any_, bindparam, func, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Session
from sqlalchemy.types import LargeBinary

from runtime.contract.batches import batched

AT_ONCE = 500
"""Words in one statement."""


def among(session: Session, column: Any, values: Sequence[str] | Sequence[int]) -> ColumnElement[bool]:
    """Match any of thousands of ids or numbers, which travel as one value."""
    if len(values) == 1:
        return column == values[0]  # type: ignore[no-any-return]
    if session.get_bind().dialect.name == "postgresql":
        return column == any_(bindparam(None, list(values), type_=ARRAY(column.type)))  # type: ignore[no-any-return]
    listed = func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(select(listed.c.value))  # type: ignore[no-any-return]


def of_each(session: Session, query: Any, column: Any, words: Sequence[bytes]) -> list[Any]:
    """Run a query for each of some words in a column."""
    found: list[Any] = []
    for batch in batched(words, AT_ONCE):
        found += session.execute(_joined(session, query, column, batch)).all()
    return found


def _joined(session: Session, query: Any, column: Any, words: Sequence[bytes]) -> Any:
    if session.get_bind().dialect.name != "postgresql":
        return query.where(column.in_(words))
    # A list would be compared with every row of the space as long as PostgreSQL has not counted what is in the table,
    # and the other way around in a plan that it keeps. Looked up word by word there is one way only.
    each = func.unnest(bindparam(None, list(words), type_=ARRAY(LargeBinary()))).table_valued("word").render_derived()
    matches = query.where(column == each.c.word).offset(0).lateral()
    return select(*matches.c).select_from(each.join(matches, true()))
