"""Declarations of tables: which columns affect access or dispatch, and whose epochs they advance.

Values that a process caches are derived from rows and valid until an epoch that they depend on advances
(`runtime/store/epoch_cache.py`). An epoch belongs to an organization, an integration or a person, so that a change in
one organization costs the others nothing; `GLOBAL` is for what cannot be told, and everything rests on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import MetaData, select
from sqlalchemy.orm import Session

from runtime.store.loaded import loaded
from runtime.store.locks import others_write

GLOBAL = "*"
FACE = "="
"""Before the id of an organization: the epoch of how it looks to others, which its members' doings do not move."""


@dataclass(frozen=True, slots=True)
class Of:
    """The owner of an epoch, as a row names it: by a column, or through the row of another table that the column names.

    `through` gives tables by name, with the owner as their rows name it; the first table with such a row counts.
    """

    column: str
    through: tuple[tuple[str, Of], ...] = ()
    face: bool = False


@dataclass(frozen=True, slots=True)
class EpochRules:
    """Which epochs a row moves: when it comes, when it goes, and with each column that is not named as `content`.

    A column nobody thought of decides: moving too often costs time, moving too seldom shows what is over.
    `rests_on` are the epochs of which one moves whenever what is made of the row may be over, also because it goes with
    another row (ON DELETE CASCADE); those that the row itself moves, where nothing else is said. `going` are those that
    move when the row goes, where these are more.
    """

    moves: tuple[Of, ...] = ()
    content: frozenset[str] = frozenset()
    rests_on: tuple[Of, ...] | None = None
    going: tuple[Of, ...] = ()

    @property
    def needs(self) -> tuple[Of, ...]:
        """The owners of the epochs that what is made of a row rests on."""
        return self.moves if self.rests_on is None else self.rests_on

    @property
    def named_by(self) -> set[str]:
        """The columns that name the owners of epochs a row moves."""
        return {of.column for of in self.moves}


NOT_KEPT: EpochRules | None = None
"""For tables whose rows are never cached: they are read each time."""
EVERYBODY = Of("")
UNKNOWN = EpochRules((EVERYBODY,))
"""The default for a table without a declaration."""
ORGANIZATION = Of("organization_id")
USER = Of("user_id")
INTEGRATION = Of("integration_id")


def owner_named(row: Any, of: Of) -> tuple[Of, Any]:
    """Return how a row names the owner of an epoch, with the value it has there."""
    return of, None if of is EVERYBODY else getattr(row, of.column)


def owners(session: Session, metadata: MetaData, named: Iterable[tuple[Of, Any]]) -> set[str]:
    """Return the owners of epochs that rows name, asking other tables where they stand there; `GLOBAL` for the rest."""
    values: dict[Of, set[Any]] = {}
    for of, value in named:
        values.setdefault(of, set()).add(value)
    return {owner for of, several in values.items() for owner in _owners(session, metadata, of, several)}


def _owners(session: Session, metadata: MetaData, of: Of, values: Collection[Any]) -> set[str]:
    known = {value for value in values if isinstance(value, str) and value}
    owners_ = set() if len(known) == len(values) else {GLOBAL}
    if not of.through:
        return owners_ | {FACE + value if of.face else value for value in known}
    for name, at in of.through:
        table = metadata.tables[name]
        # Where others write, the owner of a row may have changed since it was loaded.
        here = {} if others_write(session) else loaded(session, table.info["class"], known)
        parents = {id_: getattr(row, at.column) for id_, row in here.items()}
        if known := known - parents.keys():
            query = select(table.c.id, table.c[at.column]).where(table.c.id.in_(known))
            parents |= dict(session.execute(query).all())
            known -= parents.keys()
        owners_ |= _owners(session, metadata, at, set(parents.values()))
    return owners_ | ({GLOBAL} if known else set())
