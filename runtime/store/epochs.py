"""Epochs: counters that advance whenever a row that affects access or dispatch changes, one for each owner of rows.

A counter advances in the transaction of the change, so no change is missed. This is the last step before the commit,
always in the same order: concurrent transactions wait at most for the end of a commit, and cannot deadlock. An owner
without a row here counts as 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, MetaData, Result, String, Table, event, inspect, select
from sqlalchemy.orm import ORMExecuteState, Session, sessionmaker

from runtime.store.epoch_rules import EVERYBODY, GLOBAL, EpochRules, Of, owner_named, owners
from runtime.store.inserting import insert_into

metadata = MetaData()
counters = Table(
    "epochs", metadata, Column("owner", String(24), primary_key=True), Column("n", BigInteger, nullable=False)
)
TO_MOVE = "owners of epochs to move"
MOVED = "epochs moved"


def read(connection: Connection, owners_: Collection[str]) -> dict[str, int]:
    """Read the counters of some owners."""
    query = select(counters.c.owner, counters.c.n).where(counters.c.owner.in_(owners_))
    return {**dict.fromkeys(owners_, 0), **dict(connection.execute(query).all())}


def move(connection: Connection, owners_: Iterable[str]) -> None:
    """Advance the counters of some owners."""
    first = [{"owner": owner, "n": 1} for owner in sorted(owners_)]  # sorted, to avoid deadlocks
    moved = insert_into(connection, counters).values(first)
    connection.execute(moved.on_conflict_do_update(index_elements=[counters.c.owner], set_={"n": counters.c.n + 1}))


class Watch:
    """Advances the counters in every transaction of some sessions that changes relevant columns.

    Rows that decide must not be changed past the sessions: over a connection of their own, or by SQL as text.
    """

    def __init__(self, sessions: sessionmaker[Session], tables: MetaData) -> None:
        self._tables = tables
        event.listen(sessions, "before_flush", self._before_flush)
        event.listen(sessions, "after_flush", self._after_flush)
        event.listen(sessions, "do_orm_execute", self._on_execute)
        event.listen(sessions, "before_commit", _before_commit)

    def _before_flush(self, session: Session, _context: Any, _instances: Any) -> None:
        """Note what changes and what goes, while the rows that say whose it is are still there."""
        named = [one for row in session.deleted for one in _named(row, going=True)]
        for row in session.dirty:
            rules: EpochRules | None = row.epoch_rules
            changed = _changed(row) if rules is not None else {}
            if rules is not None and changed.keys() - rules.content:
                named += _named(row)
                # What changes hands is over for whom it belonged to.
                named += [(of, old) for of in rules.moves for old in changed.get(of.column, ())]
        self._note(session, named)

    def _after_flush(self, session: Session, _context: Any) -> None:
        """Note what is new: by now it has its id, and what it belongs to is there."""
        self._note(session, [one for row in session.new for one in _named(row)])

    def _on_execute(self, state: ORMExecuteState) -> Result[Any] | None:
        """Note what a statement changes that finds its rows itself; they tell whose they are as they change.

        Asked for before, others could match by the time of the change; afterwards some would be gone.
        """
        if not (state.is_insert or state.is_update or state.is_delete):
            return None
        statement: Any = state.statement
        rules: EpochRules | None = statement.table.info.get("epoch_rules")
        if rules is None:
            return None
        changed = _set_by(statement) if state.is_update and not state.parameters else None
        if changed is not None and changed <= rules.content:
            return None
        told = state.is_insert or (changed is not None and not changed & rules.named_by) or state.is_delete
        if not told or statement._returning or EVERYBODY in rules.moves:
            self._note_owners(state.session, {GLOBAL})
            return None
        if state.is_delete and rules.going:
            self._note_owners(state.session, {GLOBAL})
        columns = [statement.table.c[of.column] for of in rules.moves]
        result = state.invoke_statement(statement.returning(*columns)).freeze()
        rows = result().all()
        self._note(state.session, [(of, row[place]) for row in rows for place, of in enumerate(rules.moves)])
        return result()

    def _note(self, session: Session, named: Collection[tuple[Of, Any]]) -> None:
        if named:
            self._note_owners(session, owners(session, self._tables, named))

    def _note_owners(self, session: Session, owners_: set[str]) -> None:
        session.info.setdefault(TO_MOVE, set()).update(owners_)


def _before_commit(session: Session) -> None:
    if session.in_nested_transaction():
        return
    session.flush()
    owners_ = session.info.pop(TO_MOVE, None)
    if owners_:
        session.info[MOVED] = True
        move(session.connection(), owners_)


def moved(session: Session) -> bool:
    """Return whether a session has moved counters, or was about to."""
    return bool(session.info.get(MOVED))


def _named(row: Any, *, going: bool = False) -> Iterator[tuple[Of, Any]]:
    rules: EpochRules | None = row.epoch_rules
    if rules is not None:
        for of in (*rules.moves, *(rules.going if going else ())):
            yield owner_named(row, of)


def _changed(row: Any) -> dict[str, Collection[Any]]:
    """Return the columns that change, with what was in them."""
    histories = {attribute.key: attribute.history for attribute in inspect(row).attrs}
    return {key: history.deleted or (None,) for key, history in histories.items() if history.has_changes()}


def _set_by(statement: Any) -> set[str] | None:
    """Return the columns a statement sets; None where it does not say so in the usual way."""
    values = statement._values
    return {getattr(column, "key", column) for column in values} if values else None
