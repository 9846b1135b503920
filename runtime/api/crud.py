"""The regular operations of a resource: most resources are listed, read, changed and deleted in the same way.

Each is registered as a separate operation with its name, summary, status and needs, so that the API remains visible
in the families. Irregular operations have handlers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import MISSING, BaseModel

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import Needs
from runtime.api.resource import Resource
from runtime.contract.base import Body
from runtime.services import quotas
from runtime.store import rows as rows_
from runtime.store.cursors import Order
from runtime.store.database import Table, now

R = TypeVar("R", bound=Table)


def list_of(
    family: Family,
    resource: Resource[R],
    name: str,
    summary: str,
    *,
    needs: Needs,
    route: str = "",
    order: Sequence[Order] = (),
) -> None:
    """Register the list of a resource: all in its parent, as far as the actor may see them."""

    def handler(call: Call, **parents: Any) -> list[Any]:
        parent = parents.get(resource.within.name) if resource.within is not None else None
        return [getattr(resource.row, resource.parent_column or "") == parent.id] if parent is not None else []

    within = [resource.within] if resource.within is not None else []
    described(handler, name, summary, {parent.name: parent.row for parent in within})
    family.list(route or f"GET {resource.collection}", resource, needs=needs, order=order)(handler)


def get(family: Family, resource: Resource[R], name: str, summary: str, *, needs: Needs) -> None:
    """Register the operation that reads one."""

    def handler(call: Call, **rows: Any) -> Any:
        return rows[resource.name]

    described(handler, name, summary, {resource.name: resource.row})
    family.operation(f"GET {resource.path}", resource, needs=needs)(handler)


def update(family: Family, resource: Resource[R], name: str, summary: str, *, needs: Needs, body: type[Body]) -> None:
    """Register the operation that changes one: fields in the body replace the columns of the same names."""

    def handler(call: Call, body: Any, **rows: Any) -> Any:
        return patched(rows[resource.name], body)

    described(handler, name, summary, {resource.name: resource.row, "body": body})
    family.operation(f"PATCH {resource.path}", resource, needs=needs)(handler)


def create(
    family: Family,
    resource: Resource[R],
    name: str,
    summary: str,
    *,
    needs: Needs,
    body: type[Body],
    most: int,
    full: str,
    method: str = "POST",
) -> None:
    """Register the operation that creates one inside its parent: fields of the body become columns of the same names.

    A parent has at most `most` of them; `full` says so (`runtime/services/quotas.py`).
    """

    def handler(call: Call, body: Any, **parents: Any) -> Any:
        parent = parents.get(resource.within.name) if resource.within is not None else None
        values = given(body)
        if parent is not None and resource.parent_column is not None:
            values[resource.parent_column] = parent.id
            quotas.enforce(call.session, resource.row, most, full, **{resource.parent_column: parent.id})
        row = resource.row(**values)
        call.session.add(row)
        call.session.flush()
        return row

    within = [resource.within] if resource.within is not None else []
    described(handler, name, summary, {**{parent.name: parent.row for parent in within}, "body": body})
    family.operation(f"{method} {resource.collection}", resource, needs=needs, status=201)(handler)


def delete(
    family: Family,
    resource: Resource[R],
    name: str,
    summary: str,
    *,
    needs: Needs,
    status: int = 205,
    by: Callable[[Call, R], None] | None = None,
) -> None:
    """Register the operation that deletes one; 204 if it does not exist. `by` replaces deleting the row."""

    def handler(call: Call, **rows: Any) -> None:
        row = rows[resource.name]
        if row is None:
            call.status = 204
        elif by is not None:
            by(call, row)
        elif not rows_.remove(call.session, row):
            call.status = 204  # somebody else did, at the same time

    described(handler, name, summary, {resource.name: resource.row | None})
    family.operation(f"DELETE {resource.path}", needs=needs, status=status)(handler)


def described(handler: Callable[..., Any], name: str, summary: str, arguments: Mapping[str, Any]) -> None:
    """Set the attributes of a handler that the registry reads: its name, summary and arguments."""
    parameters = [inspect.Parameter(name_, inspect.Parameter.KEYWORD_ONLY) for name_ in arguments]
    call = inspect.Parameter("call", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    handler.__name__, handler.__doc__ = name, summary
    handler.__annotations__ = {"call": Call, **arguments}
    handler.__signature__ = inspect.Signature([call, *parameters])  # type: ignore[attr-defined]


def patched(row: R, body: BaseModel) -> R:
    """Set the columns that a body names; others stay unchanged."""
    for column, value in given(body).items():
        setattr(row, column, value)
    if hasattr(row, "updated_at"):
        row.updated_at = now()
    return row


def given(body: BaseModel) -> dict[str, Any]:
    """Return the fields of a body that were sent or have a default, by name."""
    return {name: value for name in type(body).model_fields if (value := getattr(body, name)) is not MISSING}
