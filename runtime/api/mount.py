"""Operations -> routes: authenticate, find, permit, parse, run in one transaction, answer.

The order decides between errors: 401 before 404 before 403 before 400 (contract/errors.md section 3).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flask import Flask, Request, Response, request
from pydantic import BaseModel, ValidationError

from runtime.api.call import Call
from runtime.api.host import Host
from runtime.api.operation import Operation
from runtime.api.permitting import permit
from runtime.api.resolve import resolve
from runtime.api.warm_lane import WarmLane
from runtime.contract import errors
from runtime.dispatch import metrics
from runtime.dispatch.outbox import WAKE

MAX_BODY = 2 * 1024 * 1024
MAX_PUBLISH_BODY = 24 * 1024 * 1024
"""A script of 10 MB, escaped, with its pictures."""


def mount(app: Flask, host: Host, operations: list[Operation]) -> None:
    """Add a route for each operation, and the short way to a warm render."""
    for operation in operations:
        path = re.sub(r"{(\w+)}", r"<\1>", operation.path)
        app.add_url_rule(path, operation.name, _view(host, operation), methods=[operation.method])
        if operation.name == "renderIntegrationUIWithPost":
            app.wsgi_app = WarmLane(app.wsgi_app, host, operation)  # type: ignore[method-assign]


def _view(host: Host, operation: Operation) -> Callable[..., Response]:
    run = _run_alone if operation.own_transaction else _run_in_transaction

    def view(**path: str) -> Response:
        epoch = host.database.epoch()
        actor = host.authenticator.actor(request.headers.get("Authorization"), epoch)
        call = Call(host, actor, path, epoch)
        answer = run(call, operation)
        for work in call.after:
            work()
        metrics.request_ended(operation.name, answer.status_code)
        return answer

    return view


def _run_in_transaction(call: Call, operation: Operation) -> Response:
    with call.host.database.transaction(writes=operation.method != "GET") as session:
        call.opened = session
        _enter(call, operation)
        answer = _answer(call, operation, operation.handler(call, **_inputs(call, operation)))
        if session.info.get(WAKE):
            call.after.append(call.host.dispatcher.wake)
        return answer


def _run_alone(call: Call, operation: Operation) -> Response:
    """Run an operation that waits for a script: no transaction is open meanwhile.

    What its path names is remembered until the epoch moves, so that a render reads no row but the epoch.
    """
    key = (call.actor.reach, operation.name, *call.path.values())
    known = call.host.named.get(key, call.epoch)
    if known is None:
        with call.host.database.transaction(writes=False) as session:
            call.opened = session
            _enter(call, operation)
            call.opened = None
        call.host.named.keep(key, call.epoch, call.objects)
    else:
        call.objects = known
        permit(call, operation.needs)
    return _answer(call, operation, operation.handler(call, **_inputs(call, operation)))


def _enter(call: Call, operation: Operation) -> None:
    resolve(call, operation.parameters, operation.missing)
    permit(call, operation.needs)


def _inputs(call: Call, operation: Operation) -> dict[str, BaseModel]:
    inputs: dict[str, BaseModel] = {}
    if operation.query is not None:
        inputs["query"] = parse(operation.query, query=request)
    if operation.body is not None:
        body = call.host.places.read(call.actor.owner, lambda: read_body(operation))
        inputs["body"] = parse(operation.body, body=body)
    return inputs


def read_body(operation: Operation) -> bytes:
    """Read the body of an operation; raises TooLarge, UnsupportedMediaType, BadRequest."""
    most = MAX_PUBLISH_BODY if operation.name == "publishIntegration" else MAX_BODY
    return read_json(most, optional=operation.body_optional)


def read_json(most: int = MAX_BODY, *, optional: bool = False) -> bytes:
    """Read a JSON body: its size first, then its type; raises TooLarge, UnsupportedMediaType, BadRequest."""
    length = request.content_length
    if length is not None and length > most:
        raise errors.TooLarge(f"The body has {length} bytes; this operation takes at most {most}.")
    content = request.stream.read(most + 1)
    if len(content) > most:
        raise errors.TooLarge(f"The body is larger than the {most} bytes this operation takes.")
    if content and not request.is_json:
        raise errors.UnsupportedMediaType
    if not content and optional:
        return b"{}"
    if not content:
        raise errors.BadRequest("This operation needs a JSON object as its body.")
    return content


def parse(model: type[BaseModel], *, body: bytes | None = None, query: Request | None = None) -> BaseModel:
    """Read a body or query parameters as a model; raises BadRequest naming the field."""
    try:
        if body is not None:
            return model.model_validate_json(body)
        values = {name: texts[-1] for name, texts in query.args.lists()} if query is not None else {}
        return model.model_validate(values)
    except ValidationError as error:
        raise errors.BadRequest(sentence(error)) from None


def sentence(error: ValidationError) -> str:
    """Word a validation error: where, and what is wrong; never the value itself."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "json_invalid":
        return f"The body is not valid JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
    if not where:
        return f"The body is not valid: {first['msg']}"
    more = error.error_count() - 1
    return f"{where[:200]}: {first['msg']}" + (f" (and {more} more)" if more else "")


def _answer(call: Call, operation: Operation, value: Any) -> Response:
    status = call.status or operation.status
    headers = {"Location": call.location} if call.location else {}
    if isinstance(value, Response):
        return value
    if operation.adapter is None or status in (204, 205):
        return Response(b"", status, headers)
    content = operation.adapter.dump_json(value, by_alias=True)
    return Response(content, status, headers, mimetype="application/json")
