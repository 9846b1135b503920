"""What a snapshot is said to weigh is at least what it takes, whatever its pages are made of."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot, in_order
from runtime.store.content.weights import weight_of

LETTER = "\U00010348"
PAGES = 400


def variables(text: str) -> Callable[[int], dict[str, Any]]:
    return lambda number: {"variables": json.loads(text)}


@pytest.mark.parametrize(
    "fields",
    [
        lambda number: {},
        lambda number: {"title": f"{number}{LETTER * 900}"},
        lambda number: {"slug": f"{number}{LETTER * 90}"},
        lambda number: {"former_paths": tuple(f"{number}/{place}" for place in range(100))},
        variables(json.dumps({"a": [[] for _ in range(1000)]})),
        variables(json.dumps({"a": [{"b": {"c": None}} for _ in range(300)]})),
        variables(json.dumps({f"n{number}": LETTER * 50 for number in range(50)}, ensure_ascii=False)),
    ],
    ids=["bare", "title", "slug", "former paths", "lists", "objects", "letters"],
)  # fmt: skip
def test_no_snapshot_is_heavier_than_it_is_said(fields: Callable[[int], dict[str, Any]]) -> None:
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    pages = [
        Page(f"p{number}", **{"type": "document", "title": f"Page {number}", "slug": f"s{number}", **fields(number)})
        for number in range(PAGES)
    ]
    snapshot = Snapshot(in_order(pages), [], [], {})
    assert len(snapshot.page_by_path) == len(snapshot.page_by_id) == PAGES
    assert snapshot.page_by_former_path is not None
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    taken = after - before
    assert taken / 1.2 < weight_of(snapshot) < taken * 4, (taken, weight_of(snapshot))
