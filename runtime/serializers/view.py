"""Who looks at rows, and through which session: what every serializer is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.organizations import Role
from runtime.store import levels, rows
from runtime.store.database import Table
from runtime.store.reach import Reach

R = TypeVar("R", bound=Table)


class View:
    """One actor's look at rows. `extended` asks for whole spaces and sites where their ids would do.

    Levels that a query brought along are noted, so that serializers ask for those of other rows only.
    """

    def __init__(self, session: Session, at: Addresses, reach: Reach, *, extended: bool = False) -> None:
        self.session, self.at, self.reach, self.extended = session, at, reach, extended
        self._levels: dict[Table, Role | None] = {}

    def note(self, seen: Iterable[Table], levels_: Iterable[Role | None]) -> None:
        """Remember the levels of rows."""
        self._levels.update(zip(seen, levels_, strict=True))

    def levels(self, seen: Sequence[Table]) -> list[Role | None]:
        """Return the actor's levels on rows of one table, with at most one query."""
        unknown = [row for row in seen if row not in self._levels]
        self.note(unknown, levels.levels_on(self.session, self.reach, unknown))
        return [self._levels[row] for row in seen]

    def by_id(self, table: type[R], ids: Iterable[str]) -> dict[str, R]:
        """Load rows that others name, in one query; whoever may see those may know of them."""
        return rows.by_id(self.session, table, ids)

    def seen(self, table: type[R], ids: Iterable[str]) -> dict[str, R]:
        """Load rows that others name, in one query; of people, only those that they may see."""
        if self.reach.kind != "user":
            return self.by_id(table, ids)
        return rows.seen_by_id(self.session, self.reach, table, ids)

    def at_hand(self, table: type[R], ids: Iterable[str]) -> dict[str, R]:
        """Load rows as `by_id` does, except for those whose levels were noted: these are here already."""
        keys = set(ids)
        here = {row.id: row for row in self._levels if isinstance(row, table) and row.id in keys}  # type: ignore[attr-defined]
        return here | self.by_id(table, keys - here.keys())
