"""What a search in a space finds."""

from __future__ import annotations

from typing import Any

from tests.conftest import Api, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space


def titles(api: Api, space: str, query: str, **more: Any) -> list[str]:
    return [one["title"] for one in ok(api.get(f"/v1/spaces/{space}/search", query=query, **more))["items"]]


def found(space: Space, query: str, *expected: str) -> None:
    """Wait until a query finds pages with these titles, in this order."""
    wait_for(lambda: titles(space.api, space.id, query) == list(expected))
