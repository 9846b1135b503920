"""Operations -> routes: authenticate, read, find, permit, run in one transaction, show, answer.

The order decides between errors: 401 before 404 before 403 before 400 (docs/contract/api.md, "Errors"). A body is read
before the transaction opens, since whoever sends it slowly would hold the database; what is wrong with it is said only
when the rights were checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from flask import Flask, Response, request
from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.counting import counted_as
from runtime.api.deferred_answers import DeferredAnswer
from runtime.api.entrance import admit_alone, admit_sharing, caller, provisional_owner
from runtime.api.host import Host
from runtime.api.operation import Operation
from runtime.api.requests import parse_body, parse_query, read_body
from runtime.api.resource import Resource, RowsOf
from runtime.api.stored_json import StoredJson
from runtime.api.uploads import Upload
from runtime.contract import errors
from runtime.contract.base import ListOf, ListQuery, Next
from runtime.dispatch.outbox import WAKE
from runtime.services import disk_room
from runtime.store import rows
from runtime.store.cursors import BadCursor, Order

Inputs = dict[str, Any]
"""The models of query and body, by these names, and an upload."""
View = Callable[..., Response]
"""Answers a request, with what its path names."""


def mount(app: Flask, host: Host, operations: Sequence[Operation], lane: Callable[[Operation], View]) -> None:
    """Add a route for each operation; `lane` makes the view of operations that have a lane."""
    for operation in operations:
        view = lane(operation) if operation.lane else _view(host, operation)
        app.add_url_rule(rule_of(operation), operation.name, view, methods=[operation.method])


def rule_of(operation: Operation) -> str:
    """Write the path of an operation as Flask knows it."""
    slashes = operation.slashes
    return re.sub(r"{(\w+)}", lambda named: f"<{'tail:' if named[1] in slashes else ''}{named[1]}>", operation.path)


def _view(host: Host, operation: Operation) -> View:
    def view(**path: str) -> Response:
        counted_as(request.environ, operation.name)
        authorization = request.headers.get("Authorization")
        with host.capacity.turns.of(*provisional_owner(host, request.environ)) as turn:
            call = caller(host, authorization, path, public=operation.needs.public)
            if call.actor.owner:
                turn.become(call.actor.owner, call.actor.part)
            return run(call, operation, _inputs(call, operation))

    return view


def run(call: Call, operation: Operation, inputs: Inputs | errors.ApiError) -> Response:
    """Run an operation for who calls, and what follows when it is committed; raises what is wrong with `inputs`."""
    if operation.recorded:
        call.host.recorder.flush()
    run_it = _run_alone if operation.own_transaction else _run_in_transaction
    with call.host.capacity.turns.of(call.actor.owner, call.actor.part):
        answer = run_it(call, operation, inputs)
        for work in call.after:
            work()
    return answer


def _inputs(call: Call, operation: Operation) -> Inputs | errors.ApiError:
    """Read what was sent; the error is given back, to be raised when the rights were checked."""
    inputs: Inputs = {}
    try:
        if operation.query is not None:
            inputs["query"] = parse_query(operation.query, request.args.lists())
        if operation.body is not None:
            actor, capacity = call.actor, call.host.capacity
            content = capacity.read(
                actor.owner, lambda: read_body(operation, request.environ), actor.part, again=call.reauthenticate
            )
            inputs["body"] = parse_body(operation.body, content)
        if operation.uploads:
            inputs["upload"] = Upload(request.environ, operation.max_body_bytes)
    except errors.Unauthorized:
        raise  # while the body arrived, the token ended
    except errors.ApiError as error:
        return error
    return inputs


def _run_in_transaction(call: Call, operation: Operation, inputs: Inputs | errors.ApiError) -> Response:
    with call.host.database.transaction(writes=operation.method != "GET") as session:
        call.opened = session
        admit_sharing(call, operation.gate, session, _share_key(inputs))
        sent = checked(inputs)
        if operation.status == 201:  # what only changes something, ends it or takes it away is let through
            disk_room.enforce(session)
        value = call_handler(call, operation, sent)
        if not isinstance(value, DeferredAnswer):
            answer = _answer(call, operation, sent, value)
            if session.info.get(WAKE):
                call.after.append(call.host.dispatcher.wake)
            return answer
    return _answer(call, operation, sent, value.finish())


def _share_key(inputs: Inputs | errors.ApiError) -> str | None:
    """Return the key of a share link that was sent; one that is not well formed opens nothing."""
    return None if isinstance(inputs, errors.ApiError) else getattr(inputs.get("query"), "share_key", None)


def _run_alone(call: Call, operation: Operation, inputs: Inputs | errors.ApiError) -> Response:
    """Run an operation that waits for a script or a turn: no transaction is open meanwhile."""
    admit_alone(call, operation.gate)
    sent = checked(inputs)
    value = call_handler(call, operation, sent)
    if operation.shows is None:
        return _answer(call, operation, sent, value)
    with call.host.database.transaction(writes=False) as session:
        call.opened = session
        return _answer(call, operation, sent, value)


def checked(inputs: Inputs | errors.ApiError) -> Inputs:
    """Give what was sent, or raise what is wrong with it."""
    if isinstance(inputs, errors.ApiError):
        raise inputs
    return inputs


def call_handler(call: Call, operation: Operation, inputs: Inputs) -> Any:
    """Call the handler of an operation with the rows that the path names, and what was sent."""
    arguments: dict[str, Any] = {name: call.named.rows.get(name) for name in operation.arguments}
    return operation.handler(call, **arguments, **{name: inputs[name] for name in operation.inputs})


def _answer(call: Call, operation: Operation, inputs: Inputs, value: Any) -> Response:
    if operation.listed:
        value = _page(call, operation, inputs["query"], value)
    elif operation.shows is not None and value is not None:
        value = call.show(operation.shows.serialize, value)
        if operation.status == 201 and operation.shows.located:
            call.location = call.location or getattr(getattr(value, "urls", None), "location", None)
    if isinstance(value, StoredJson):
        return value.response(call.host.capacity, call.actor.owner, call.actor.part)
    status = call.status or operation.status
    headers = {"Location": call.location} if call.location else {}
    if operation.adapter is None or status in (204, 205):
        return Response(b"", status, headers)
    content = operation.adapter.dump_json(value, by_alias=True)
    return Response(content, status, headers, mimetype="application/json")


def _page(call: Call, operation: Operation, query: Any, selected: rows.Conditions | RowsOf) -> ListOf[Any]:
    """Show one page of the rows that match a handler's conditions; raises BadRequest for a foreign cursor."""
    resource, conditions, seen = selected if isinstance(selected, RowsOf) else (operation.shows, selected, None)
    assert resource is not None and isinstance(query, ListQuery)
    orders = _orders(operation, resource, query)
    reach, session = call.actor.reach, call.session
    try:
        page = rows.page(
            session,
            reach,
            resource.row,
            *conditions,
            orders=orders,
            cursor=query.page,
            limit=query.limit,
            beside=resource.beside,
            seen=seen,
        )
    except BadCursor:
        raise errors.BadRequest(
            "not a cursor of this list; send `next.page` of the page before", field="page"
        ) from None
    view = call.view(session)
    view.note(page.rows, page.levels)
    following = Next(page=page.next) if page.next else MISSING
    return ListOf[Any](items=list(resource.serialize(view, page.rows)), count=page.count, next=following)


def _orders(operation: Operation, resource: Resource[Any], query: ListQuery) -> Sequence[Order]:
    """Give the order of a page: the list's own, or what `sort` and `order` of the query ask for."""
    sort, direction = getattr(query, "sort", None), getattr(query, "order", None)
    orders: Sequence[Order] = operation.order or resource.order
    if sort is not None:
        orders = (operation.sorts[sort], orders[-1])
    return orders if direction is None else [replace(order, descending=direction == "desc") for order in orders]
