"""What an operation is, as data: routes, permissions, validation, the OpenAPI document and tests all read it."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypedDict, Unpack

from pydantic import TypeAdapter

from runtime.api.permission import Gate, Needs
from runtime.api.resource import PARAMETER, PathValue, Resource, chain_of
from runtime.contract.base import Body, ListOf, ListQuery, Query
from runtime.store.cursors import Order

Handler = Callable[..., Any]

SENT = ("body", "query", "upload")
NO_GATE = Gate("unbound", (), Needs())
FROM_SCRIPTS = ("4XX", "412", "500", "502", "504")
"""Further statuses (`also`) of an operation that waits for a script; the first is a refusal by the script."""
MAX_BODY = 2 * 1024 * 1024
"""Longest body, in bytes, unless an operation has another limit."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API.

    `name` is the operation id of the contract. The handler takes the rows that the path names (`arguments`) and what
    was sent (`inputs`); `gate` is its authorization, once the operation is bound. `shows` is the resource whose
    rows the handler gives, `listed` that it gives conditions for a page of them, ordered by `order`, as the resource
    is, or by the column that `sort` names in `sorts`. `answers` is the model, None without a body. With
    `own_transaction` the handler opens its own: it waits for a script or a turn, and none may be open
    meanwhile; one that only sometimes waits gives a `DeferredAnswer` then (`runtime/api/deferred_answers.py`). With
    `uploads` it takes a body of any type, which the handler reads once it is admitted. `lane` puts it on
    the short way past the web framework (`runtime/api/render_lane.py`). `recorded` has what is
    recorded of calls written before its transaction opens, which would not see it otherwise. With `deleted` it also
    shows what was deleted to whoever may restore it. `also` names the statuses that it may answer and that its method,
    its path and its body do not tell of (`runtime/api/statuses.py`).
    """

    name: str
    method: str
    path: str
    handler: Handler
    arguments: tuple[str, ...]
    inputs: tuple[str, ...]
    tag: str
    summary: str
    needs: Needs
    answers: Any
    shows: Resource[Any] | None
    body: type[Body] | None
    uploads: bool
    query: type[Query] | None
    status: int = 200
    listed: bool = False
    order: tuple[Order, ...] = ()
    sorts: typing.Mapping[str, Order] = field(default_factory=dict)
    body_optional: bool = False
    max_body_bytes: int = MAX_BODY
    own_transaction: bool = False
    lane: bool = False
    recorded: bool = False
    deleted: bool = False
    also: tuple[str, ...] = ()
    gate: Gate = NO_GATE
    slashes: frozenset[str] = frozenset()
    """The parameters that take the rest of the path."""

    @property
    def adapter(self) -> TypeAdapter[Any] | None:
        """Serializes the answers; None without a body. Created for the first answer."""
        return _adapter(self.answers) if self.answers is not None else None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the path's parameters, in order."""
        return tuple(PARAMETER.findall(self.path))

    @property
    def missing(self) -> frozenset[str]:
        """The parameter that may name nothing: of a DELETE of something gone, a publish of something new."""
        return frozenset({self.gate.chain[-1].parameter} if self.gate.missing else ())

    @property
    def paginated(self) -> bool:
        """Return whether the operation takes `page` and `limit`."""
        return self.query is not None and issubclass(self.query, ListQuery)


@cache
def _adapter(answers: Any) -> TypeAdapter[Any]:
    return TypeAdapter(answers)


class Options(TypedDict, total=False):
    """What a handler may be registered with; see `Operation`."""

    status: int
    body_optional: bool
    max_body_bytes: int
    own_transaction: bool
    lane: bool
    deleted: bool
    also: tuple[str, ...]


class Family:
    """The operations of one kind of resource; `resources` are those its paths bring into the API."""

    def __init__(self, tag: str, *resources: Resource[Any] | PathValue) -> None:
        self.tag, self.resources = tag, resources
        self.operations: list[Operation] = []

    def operation(
        self, route: str, answers: Any = None, *, needs: Needs, **options: Unpack[Options]
    ) -> Callable[[Handler], Handler]:
        """Register a handler: `route` is `"METHOD /path"`, the docstring's first line the summary.

        The handler's name is the contract's operation id in snake case. Its arguments are the call, the rows that the
        path names, by the names of their resources, the request models `body` and `query`, or an `Upload` as `upload`;
        a row that may be missing is annotated `Row | None`. With a resource as `answers` it gives rows, and the one
        mount shows them.
        """
        return self._register(route, answers, needs, **options)

    def list(
        self,
        route: str,
        resource: Resource[Any],
        *,
        needs: Needs,
        order: Sequence[Order] = (),
        sorts: typing.Mapping[str, Order] | None = None,
        recorded: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Register a list: the handler gives the conditions for its rows, which are paged, ordered and shown.

        `sorts` names the columns that `sort` may ask for; `order` of the query is their direction.
        """
        options = {"order": tuple(order), "sorts": sorts or {}, "recorded": recorded}
        return self._register(route, resource, needs, listed=True, **options)

    def _register(
        self, route: str, answers: Any, needs: Needs, *, listed: bool = False, **options: Any
    ) -> Callable[[Handler], Handler]:
        method, path = route.split(" ")
        addressed = PARAMETER.findall(path)
        if needs.own and addressed and addressed[0] != "integrationName":
            raise ValueError(f"{route}: `own(...)` is for paths that begin with an integration; use `scoped(...)`")
        shows = answers if isinstance(answers, Resource) else None
        model = answers if shows is None else ListOf[shows.model] if listed else shows.model  # type: ignore[name-defined]

        def register(handler: Handler) -> Handler:
            hints = typing.get_type_hints(handler)
            names = tuple(inspect.signature(handler).parameters)[1:]
            self.operations.append(
                Operation(
                    name=camel(handler.__name__),
                    method=method,
                    path=path,
                    handler=handler,
                    arguments=tuple(name for name in names if name not in SENT),
                    inputs=tuple(name for name in names if name in SENT),
                    tag=self.tag,
                    summary=(inspect.getdoc(handler) or "").split("\n")[0],
                    needs=needs,
                    answers=model,
                    shows=shows,
                    body=hints.get("body"),
                    uploads="upload" in names,
                    query=hints.get("query", ListQuery if listed else None),
                    listed=listed,
                    **options,
                )
            )
            return handler

        return register


def bound(operation: Operation, resources: Sequence[Resource[Any] | PathValue]) -> Operation:
    """Bind an operation to what its path names.

    Raises LookupError for a parameter that names no resource, TypeError for an argument the path does not give, and
    ValueError for needs that no row of the path could decide: such an operation does not start.
    """
    chain = chain_of(operation.path, resources)
    hints = typing.get_type_hints(operation.handler)
    given = {resource.name: resource for resource in chain}
    missing = False
    for argument in operation.arguments:
        resource = given.get(argument)
        if resource is None:
            raise TypeError(f"{operation.name}: its path names no `{argument}`")
        optional = _may_be_none(hints[argument])
        if hints[argument] != (resource.row | None if optional else resource.row):
            raise TypeError(f"{operation.name}: `{argument}` is a {resource.row.__name__}")
        if optional and resource is not chain[-1]:
            raise TypeError(f"{operation.name}: only the last thing its path names may be missing")
        missing = missing or optional
    gate = Gate(operation.name, chain, operation.needs, missing, operation.deleted)
    long = [name for place in resources if place.slashes for name in PARAMETER.findall(place.at)]
    return replace(operation, gate=gate, slashes=frozenset(long).intersection(operation.parameters))


def _may_be_none(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType) and type(None) in typing.get_args(hint)


def camel(name: str) -> str:
    """Write the name of a handler as the contract's operation id."""
    first, *rest = name.split("_")
    return first + "".join(_WORDS.get(word, word.capitalize()) for word in rest)


_WORDS = {"ui": "UI", "sso": "SSO", "saml": "SAML", "pdf": "PDF", "openapi": "OpenAPI"}
