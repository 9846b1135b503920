"""What an operation is, as data: routes, permissions, validation, the OpenAPI document and tests all read it."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from runtime.api.permission import Needs
from runtime.contract.base import Body, ListQuery, Query

Handler = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API.

    `name` is the operation id of the contract. `missing` names path parameters that may name nothing: the handler
    finds None for them (a DELETE of something gone, a publish of something new). `answers` is None without a body.
    With `own_transaction` the handler opens its own: it waits for a script, and no transaction may wait for that.
    """

    name: str
    method: str
    path: str
    handler: Handler
    tag: str
    summary: str
    needs: Needs
    status: int
    answers: Any
    body: type[Body] | None
    body_optional: bool
    query: type[Query] | None
    missing: frozenset[str]
    own_transaction: bool
    adapter: TypeAdapter[Any] | None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the path's parameters, in order."""
        return tuple(re.findall(r"{(\w+)}", self.path))

    @property
    def paginated(self) -> bool:
        """Tell whether the operation takes `page` and `limit`."""
        return self.query is not None and issubclass(self.query, ListQuery)


class Family:
    """The operations of one kind of resource."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.operations: list[Operation] = []

    def operation(
        self,
        route: str,
        answers: Any = None,
        *,
        needs: Needs,
        status: int = 200,
        missing: str = "",
        body_optional: bool = False,
        own_transaction: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Register a handler: `route` is `"METHOD /path"`, the docstring's first line the summary.

        The handler's name is the contract's operation id in snake case; its annotations `body` and `query` are the
        request models.
        """
        method, path = route.split(" ")
        addressed = re.findall(r"{(\w+)}", path)
        if needs.own and addressed and addressed[0] != "integrationName":
            raise ValueError(f"{route} is about something of a tenant: it is no script's own, and needs a scope")

        def register(handler: Handler) -> Handler:
            hints = typing.get_type_hints(handler)
            self.operations.append(
                Operation(
                    name=_camel(handler.__name__),
                    method=method,
                    path=path,
                    handler=handler,
                    tag=self.tag,
                    summary=(inspect.getdoc(handler) or "").split("\n")[0],
                    needs=needs,
                    status=status,
                    answers=answers,
                    body=hints.get("body"),
                    body_optional=body_optional,
                    query=hints.get("query"),
                    missing=frozenset(missing.split()),
                    own_transaction=own_transaction,
                    adapter=TypeAdapter(answers) if answers is not None else None,
                )
            )
            return handler

        return register


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join({"ui": "UI", "by": "By"}.get(word, word.capitalize()) for word in rest)
