"""Levels of an actor on a row: `None < read < comment < edit < review < create < admin`.

The rule is SQL next to each table (`Table.level_for`), so that single rows and lists of thousands use the same rule,
without a query for each row. This module has the shared parts. Source: docs/contract/api.md, "Roles".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Integer, case, false, inspect, literal, select, tuple_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

from runtime.contract.organizations import ROLES, Role
from runtime.store.database import Table
from runtime.store.epoch_cache import record_of
from runtime.store.reach import Reach

NONE = 0
"""The number for no level; 1 to 6 are the roles from weak to strong."""


class Highest(FunctionElement[int]):
    """The highest of several numbers, of which none is null; databases do not agree on what that is called."""

    type = Integer()
    name = "highest"
    inherit_cache = True


@compiles(Highest)
def _highest(element: Highest, compiler: Any, **more: Any) -> str:
    name = "max" if compiler.dialect.name == "sqlite" else "greatest"
    return f"{name}({compiler.process(element.clauses, **more)})"


def number_of(level: Role | None) -> int:
    """Return a level as SQL compares it."""
    return NONE if level is None else ROLES.index(level) + 1


def level_of(number: int | None) -> Role | None:
    """Return the level that SQL found."""
    return ROLES[number - 1] if number else None


def role_level(reach: Reach, organization_id: Any) -> ColumnElement[int]:
    """Return the level of a person's role in the organization that a column names; scripts have scopes instead."""
    held: dict[Role, list[str]] = {}
    for place, role in reach.roles:
        if role is not None:
            held.setdefault(role, []).append(place)
    if reach.kind != "user" or not held:
        return literal(NONE)
    roles = sorted(held, key=number_of, reverse=True)
    return case(*((organization_id.in_(held[role]), number_of(role)) for role in roles), else_=NONE)


class SeenByMembers:
    """Mixin for tables whose rows belong to an organization and are visible to its members.

    Needs a column `organization_id`, and must precede `Table` among the bases.
    """

    if TYPE_CHECKING:
        organization_id: Any

    @classmethod
    def visible_to(cls, reach: Reach) -> ColumnElement[bool]:
        """Members of the organization."""
        seen: ColumnElement[bool] = cls.organization_id.in_(reach.organizations)
        return seen if reach.kind == "user" else false()

    @classmethod
    def level_for(cls, reach: Reach) -> ColumnElement[int]:
        """The member's role in the organization."""
        return role_level(reach, cls.organization_id)


def level_on(session: Session, reach: Reach, row: Table) -> Role | None:
    """Return the level an actor has on a row."""
    return levels_on(session, reach, [row])[0]


def levels_on(session: Session, reach: Reach, rows: Sequence[Table]) -> list[Role | None]:
    """Return the levels an actor has on rows of one table, in one query."""
    if not rows or reach.kind != "user":
        return [None] * len(rows)
    table = type(rows[0])
    mapper = inspect(table)
    keys = [tuple(mapper.primary_key_from_instance(row)) for row in rows]
    one_of = tuple_(*mapper.primary_key).in_(keys)
    query = select(table.level_for(reach), *mapper.primary_key).where(one_of)
    if (record := record_of(session)) is not None:
        record.looked(reach.rests_on, rows)
    numbers = {tuple(key): number for number, *key in session.execute(query)}
    return [level_of(numbers.get(key)) for key in keys]
