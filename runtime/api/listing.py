"""Pages of lists that are in memory instead of in a table, in their own order."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import MISSING

from runtime.contract import errors
from runtime.contract.base import ListOf, ListQuery, Next

T = TypeVar("T")


def page_of(items: Sequence[T], query: ListQuery, key: Callable[[T], str]) -> tuple[Sequence[T], Next | None]:
    """Return a page of a list; `key` identifies items. Raises BadRequest for a cursor whose item is not in the list."""
    start = 0
    if query.page is not None:
        places = {_cursor(key(item)): place for place, item in enumerate(items)}
        if query.page not in places:
            raise errors.BadRequest(
                "not a cursor of this list, or the list has changed; start again without it", field="page"
            )
        start = places[query.page] + 1
    page = items[start : start + query.limit]
    more = page and start + len(page) < len(items)
    return page, Next(page=_cursor(key(page[-1]))) if more else None


def list_of(page: Sequence[Any], count: int, following: Next | None) -> ListOf[Any]:
    """Wrap a page as a list."""
    return ListOf[Any](items=list(page), count=count, next=following or MISSING)


def _cursor(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")
