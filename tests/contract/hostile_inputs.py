"""What somebody may write where a number, a moment or an id belongs; walked on both databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import get_args

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from runtime.api.operation import Operation
from runtime.contract.openapi_specs import is_slug
from runtime.engines.dev_tunnel.messages import ANSWER
from runtime.engines.frames import pack
from tests.conftest import Api
from tests.contract.requests_table import GOOD, World

NO_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999", "-1E+400", "1" + "0" * 400 + ".5")
ENDLESS = "9" * 40
IDS = (
    ENDLESS,
    f"-{ENDLESS}",
    "9" * 5000,
    "%00",
    "a%00b",
    "%ff%fe",
    "..%2f..",
    "%2e%2e",
    "NaN",
    "x" * 3000,
    "'%20OR%201=1",
)
PLACES = (*NO_NUMBERS, ENDLESS, "9" * 5000, "-1", "", "%00", "1.5", "0x10", "１２")
MOMENTS = (
    *PLACES,
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-01-01T00:00:00",
    "2026-13-45T99:99:99Z",
    "99999-01-01T00:00:00Z",
)


def bodies(world: World, operation: Operation) -> Iterator[bytes]:
    """Give a good body with each number that is none: beside its fields, deep in what is free, and doubled."""
    good = GOOD[operation.name].body
    assert good is not None
    text = json.dumps(good(world))
    assert text.endswith("}")
    comma = ", " if len(text) > 2 else ""
    for number in NO_NUMBERS:
        yield f'{text[:-1]}{comma}"unknown": {number}}}'.encode()
        yield f'{text[:-1]}{comma}"props": {{"a": [{{"b": {number}}}]}}, "configuration": {{"a": {number}}}}}'.encode()
        yield f'{{"unknown": {number}, "unknown": 1{comma}{text[1:]}'.encode()


def moments(world: World, operation: Operation) -> Iterator[bytes]:
    """Give a good body with each moment that is none, or has no year in UTC, where it has one."""
    good = GOOD[operation.name].body
    for name, field in operation.body.model_fields.items() if operation.body else ():
        if good is not None and "datetime" in str(field.annotation).lower():
            for value in MOMENTS:
                yield json.dumps(good(world) | {field.alias or name: value}).encode()


EACH = 4
"""Values that are tried in one place; each is tried in many, since they take turns."""


def queries(operation: Operation) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give every parameter that is no plain text, with what is none of its values or only just."""
    for name, field in operation.query.model_fields.items() if operation.query else ():
        kinds = {field.annotation, *get_args(field.annotation)}
        if not kinds <= {str, type(None)}:
            yield field.alias or name, MOMENTS if datetime in kinds or name == "since" else PLACES


class Turns:
    """Deals values out over many places, so that each place gets a few and all are tried."""

    def __init__(self) -> None:
        self._next = 0

    def some(self, values: tuple[str, ...]) -> list[str]:
        """Give the next few."""
        first = self._next
        self._next += EACH
        return [values[place % len(values)] for place in range(first, first + EACH)]


def walk(world: World, api: Api, operation: Operation, turns: Turns) -> None:
    """Ask an operation with hostile addresses and parameters: nothing is found, and nothing breaks."""
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {api.token}"
    # Where an address leads nowhere the body is not read, and the connection may be closed under the next request.
    session.mount("http://", HTTPAdapter(max_retries=Retry(total=5, status=0, allowed_methods=None)))
    good = GOOD[operation.name]
    body = good.body(world) if good.body else None
    for parameter in operation.parameters:
        for value in turns.some(IDS):
            if operation.name == "createOrUpdateOpenAPISpecBySlug" and is_slug(value):
                continue  # a good name
            address = api.url + world.path(operation, **{parameter: value})
            answer = session.request(operation.method, address, json=body, timeout=60)
            assert 400 <= answer.status_code < 500 or answer.status_code == 204, (value, answer.text)
    if operation.method != "GET":
        return
    for name, values in queries(operation):
        for value in turns.some(values):
            address = f"{api.url}{world.path(operation)}?{name}={value}"
            answer = session.get(address, timeout=60)
            assert answer.status_code < 500, (name, value, answer.text)


def walk_raw(world: World, api: Api, tunnel: str) -> None:
    """Ask the routes beside the operations."""
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {api.token}"
    one = world.installed
    for value in IDS:
        for place in (
            f"{one.path}/assets/{value}/icon.png",
            f"{one.path}/assets/1/preview-{value}.png",
            f"{one.path}/assets/1/{value}",
            f"/v1/integrations/{value}/assets/1/icon.png",
            f"/v1/integrations/{value}/integration/x",
            f"{one.path}/installation/{value}",
            f"{one.path}/space-installation/{one.installation}/{value}",
            f"{one.path}/published-script/{one.installation}/{value}/1-2.js",
            f"/v1/integrations/{value}/events/stream?follow=false",
            f"/sites/{value}/",
            f"/tunnels/{value}",
            f"/v1/tunnels/{value}/stream",
            f"/preview/api/{value}",
            f"/preview/api/{value}/events",
            f"/preview/api/{value}/stream",
        ):
            with session.get(api.url + place, timeout=60, stream=True) as answer:
                told = (
                    answer.raw.read(400, decode_content=True).decode(errors="replace") if "stream" not in place else ""
                )
                # A name nobody took yet may be watched by its author.
                watched = place.startswith("/preview/api/") and answer.status_code == 200
                assert 300 <= answer.status_code < 500 or watched, (place, answer.status_code, told)
                assert "Traceback" not in told
    for value in MOMENTS:
        for name in ("since", "after", "last"):
            place = f"{one.path}/events/stream?follow=false&{name}={value}"
            with session.get(api.url + place, timeout=60, stream=True) as answer:
                assert answer.status_code in (200, 400), (place, answer.status_code)
        place = f"/preview/api/{one.name}/events?limit={value}"
        with session.get(api.url + place, timeout=60, stream=True) as answer:
            assert answer.status_code in (200, 404), (place, answer.status_code)
    for number in NO_NUMBERS:
        head = f'{{"status": {number}, "headers": [], "call": "{tunnel}.{tunnel}"}}'.encode()
        place = f"{api.url}/v1/tunnels/{tunnel}/answers/{tunnel}.{tunnel}"
        answer = session.post(place, data=pack(ANSWER, head), timeout=60)
        assert answer.status_code == 400, answer.text
