"""Resources of paths, as data: the table, the place in paths, the order and the serializer (CONTRIBUTING.md).

Its table decides who sees a row, and with which level (`Table.visible_to`, `Table.level_for`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Integer
from sqlalchemy.orm import Session

from runtime.contract.base import WireModel
from runtime.contract.organizations import Role
from runtime.store.cursors import Order
from runtime.store.database import Table
from runtime.store.reach import Reach
from runtime.store.rows import Conditions

R = TypeVar("R", bound=Table)

PARAMETER = re.compile(r"{(\w+)}")
NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""A number in a path, which fits a column of four bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Resource(Generic[R]):
    """One kind of object.

    `name` is the argument under which handlers get it, and what a 404 calls it. `at` is its place in a path below the
    resource it is `within`, such as `teams/{teamId}`; one that is within none is below `/v1`, and `anywhere` in a
    path when it is nobody's part (an integration of the catalogue). `key` is the column that the parameter names,
    `parent_column` the column that holds the id of the parent. `model` is what `serialize` shows rows as, many at a
    time, to the `View` it is given first. `order` is that of its lists; the last column is unique. With `slashes` its
    parameter takes the rest of the path. `alias` is another column, unique within the parent, that may name it where
    the key finds nothing; if it holds numbers, only numbers are looked up in it. With `lower` the key is kept in lower
    case, and may be sent in any.
    `level_source` says where the level on it comes from, to whoever lacks it. `beside` is the SQL for the length of
    what is shown with a row of a list, but stands in other tables: a page has as many rows as fit with it. `deleted`
    finds a deleted one that somebody may restore, for the operations that show it. Without `located`, the answer to
    whoever creates one has no `Location`, as the contract has it for a few.
    """

    name: str
    row: type[R]
    at: str
    model: type[WireModel]
    serialize: Callable[[Any, Sequence[R]], Sequence[WireModel]]
    order: tuple[Order, ...]
    within: Resource[Any] | None = None
    key: str = "id"
    parent_column: str | None = None
    level_source: str = ""
    anywhere: bool = False
    slashes: bool = False
    lower: bool = False
    alias: str = ""
    beside: ColumnElement[int] | None = None
    deleted: Callable[[Session, Reach, str], tuple[R, Role] | None] | None = None
    located: bool = True

    def __post_init__(self) -> None:
        if len(PARAMETER.findall(self.at)) != 1 or not self.at.endswith("}"):
            raise ValueError(f"the place of `{self.name}` ends with its one parameter, as in `teams/{{teamId}}`")
        if (self.within is None) != (self.parent_column is None):
            raise ValueError(f"`{self.name}` is within another resource and has a `parent_column` for it, or neither")

    @property
    def parameter(self) -> str:
        """The name of its path parameter."""
        return PARAMETER.findall(self.at)[0]  # type: ignore[no-any-return]

    @property
    def path(self) -> str:
        """The path of one of them."""
        return f"{self.within.path if self.within is not None else '/v1'}/{self.at}"

    @property
    def collection(self) -> str:
        """The path of all of them."""
        return self.path.rpartition("/")[0]

    @property
    def word(self) -> str:
        """What people call it."""
        return self.name.rstrip("_").replace("_", " ")

    @property
    def has_levels(self) -> bool:
        """Return whether its table says which level an actor has on a row."""
        return self.row.level_for.__func__ is not Table.level_for.__func__  # type: ignore[attr-defined]

    def by(self, value: str, parent: Any, column: str = "") -> dict[str, Any]:
        """Return the values of the row that a parameter names by a column (default: the key), inside its parent."""
        values: dict[str, Any] = {column or self.key: value.lower() if self.lower and not column else value}
        if self.within is not None and self.parent_column is not None:
            values[self.parent_column] = parent.id if parent is not None else None
        return values

    def by_alias(self, value: str, parent: Any) -> dict[str, Any] | None:
        """Return the column values that find a row by its alias; None where the parameter cannot be one."""
        if not self.alias:
            return None
        values = self.by(value, parent, self.alias)
        if isinstance(getattr(self.row, self.alias).type, Integer):
            return {**values, self.alias: int(value)} if NUMBER.fullmatch(value) else None
        return values

    def shown_as(
        self,
        model: type[WireModel],
        serialize: Callable[[Any, Sequence[R]], Sequence[WireModel]],
        beside: ColumnElement[int] | None = None,
    ) -> Resource[R]:
        """Return the same resource as another operation shows it, with what is shown beside its rows there."""
        return replace(self, model=model, serialize=serialize, beside=self.beside if beside is None else beside)


@dataclass(frozen=True, slots=True)
class PathValue:
    """A parameter that names no row: `at` is its place, as in `email-domains/{emailDomain}`.

    A whole path below `/v1` as `at` is one that names nothing the requester may see (yet), all its parameters included.
    Handlers find it in `call.path` and check it themselves. With `slashes` it takes the rest of the path.
    """

    at: str
    slashes: bool = False


class RowsOf(NamedTuple):
    """What the handler of a list returns if the request decides what it lists, or (`seen`) which rows are shown."""

    resource: Resource[Any]
    conditions: Conditions
    seen: ColumnElement[bool] | None = None


Chain = tuple[Resource[Any], ...]


def chain_of(path: str, resources: Sequence[Resource[Any] | PathValue]) -> Chain:
    """Read a path as a chain of resources, each by its place; raises LookupError for a parameter that names none."""
    values = {one.at for one in resources if isinstance(one, PathValue)}
    if path.removeprefix("/v1/") in values:
        return ()
    described = [one for one in resources if isinstance(one, Resource)]
    chain: list[Resource[Any]] = []
    between: list[str] = []
    for segment in path.removeprefix("/v1/").split("/"):
        between.append(segment)
        if PARAMETER.search(segment):
            place = "/".join(between)
            if place not in values:
                chain.append(_at(place, chain, described, path))
            between = []
    return tuple(chain)


def _at(place: str, chain: Sequence[Resource[Any]], resources: Sequence[Resource[Any]], path: str) -> Resource[Any]:
    parent = chain[-1] if chain else None
    here = [resource for resource in resources if resource.at == place]
    for within in reversed(chain) if chain else (None,):
        for resource in here:
            if resource.within is within:
                return resource
    for resource in here:
        if resource.anywhere:
            return resource
    after = f" after `{parent.name}`" if parent is not None else ""
    raise LookupError(f"{path}: there is no resource at `{place}`{after}")
