"""Paging of long lists: one page at a time, with the addresses of the first and the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import request

from runtime.web.admin.browser import OperatorVisit

ON_A_PAGE = 50
ROWS_PER_REQUEST = 1000


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of a list, how much there is of it, and the queries that lead to the other pages."""

    items: list[dict[str, Any]]
    count: int
    next: str
    first: str


def page_of(
    visit: OperatorVisit,
    operation: str,
    path: Mapping[str, str],
    *,
    filters: Mapping[str, str] | None = None,
    name: str = "page",
) -> Listed:
    """Run an operation that lists, at the page that the address asks for as `name`; empty filters are left out."""
    kept = {key: value for key, value in (filters or {}).items() if value}
    at = request.args.get(name, "")
    query = {**kept, "limit": str(ON_A_PAGE), **({"page": at} if at else {})}
    answer = visit.do(operation, path, query=query)
    following = answer.get("next", {}).get("page", "")
    return Listed(
        answer["items"],
        answer["count"],
        "?" + urlencode({**kept, name: following}) if following else "",
        "?" + urlencode(kept) if at else "",
    )


def every(visit: OperatorVisit, operation: str, path: Mapping[str, str], **query: str) -> Iterator[dict[str, Any]]:
    """Go through a list to its end."""
    more: dict[str, str] = {}
    while True:
        page = visit.do(operation, path, query={"limit": str(ROWS_PER_REQUEST), **query, **more})
        yield from page["items"]
        if not page.get("next"):
            return
        more = {"page": page["next"]["page"]}
