"""Operations for pages: actions on pages use the operations of the API, with the same permissions and errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from flask import Response

from runtime.api.auth import Actor
from runtime.api.call import Call
from runtime.api.host import Host
from runtime.api.mount import Inputs, run
from runtime.api.operation import Operation
from runtime.api.requests import parse_body, parse_query
from runtime.api.table import operations
from runtime.api.uploads import Upload
from runtime.contract import errors
from runtime.store.epoch_cache import Basis


@cache
def _named() -> dict[str, Operation]:
    return {operation.name: operation for operation in operations()}


def perform(
    host: Host,
    actor: Actor,
    basis: Basis,
    name: str,
    path: Mapping[str, str],
    *,
    query: Mapping[str, str | list[str]] | None = None,
    body: Mapping[str, Any] | None = None,
    upload: Upload | None = None,
) -> Any:
    """Run an operation by its name as an actor; returns its JSON answer, None if there is none.

    `path` names its path parameters, `query` and `body` are as clients send them, or what it takes as `upload`. Raises
    what the operation raises.
    """
    answer = answered(host, actor, basis, name, path, query=query, body=body, upload=upload)
    return json.loads(answer.get_data()) if answer.get_data() else None


def answered(
    host: Host,
    actor: Actor,
    basis: Basis,
    name: str,
    path: Mapping[str, str],
    *,
    query: Mapping[str, str | list[str]] | None = None,
    body: Mapping[str, Any] | None = None,
    upload: Upload | None = None,
) -> Response:
    """Run an operation like `perform`, and return its answer unparsed: it may be long."""
    operation = _named()[name]
    call = Call(host, actor, dict(path), basis)
    return run(call, operation, _inputs(operation, query or {}, body, upload))


def _inputs(
    operation: Operation,
    query: Mapping[str, str | list[str]],
    body: Mapping[str, Any] | None,
    upload: Upload | None,
) -> Inputs | errors.ApiError:
    inputs: Inputs = {}
    try:
        if operation.query is not None:
            given = [(key, value if isinstance(value, list) else [value]) for key, value in query.items()]
            inputs["query"] = parse_query(operation.query, given)
        if operation.body is not None:
            inputs["body"] = parse_body(operation.body, json.dumps(body or {}).encode())
        if operation.uploads:
            if upload is None:
                raise errors.BadRequest("Choose a file.")
            inputs["upload"] = upload
    except errors.ApiError as error:
        return error
    return inputs
