"""A host that is killed while it indexes a merge of many pages goes on where it was: all is found, nothing twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests import databases
from tests.conftest import HostProcess, init, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page

PAGES = 200
FILLER = " ".join(f"word{number}" for number in range(1500))
"""So many that a batch of the index holds few pages."""


def indexed(data: Path, space: str) -> int:
    ((count,),) = databases.ask(data, "SELECT count(*) FROM search_pages WHERE space_id = ?", (space,))
    return int(count)


def every(space: Space, query: str) -> Counter[str]:
    """Find the pages of a query, through all pages of the answer; how often each is there."""
    found: Counter[str] = Counter()
    more: dict[str, Any] = {}
    while True:
        answer = ok(space.api.get(f"{space.path}/search", query=query, limit="50", **more))
        found.update(one["title"] for one in answer["items"])
        if "next" not in answer:
            assert answer["count"] == len(found)
            return found
        more = {"page": answer["next"]["page"]}


@pytest.mark.parametrize("after", [1, PAGES // 2])
def test_indexing_survives_the_host(tmp_path: Path, after: int) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    try:
        space = Space(tenant(host, "Alpha", f"{new_id()}@example.com"))
        space.merge(page("Old one", "Only the okapi.", id="old"), page("Gone", "Only the okapi.", id="gone"))
        wait_for(lambda: len(every(space, "okapi")) == 2)
        path = space.change_request(
            {"type": "update_page", "id": "old", "document": {"markdown": "Now a walrus."}},
            {"type": "delete_page", "id": "gone"},
        )
        for begin in range(0, PAGES, 50):
            pages = [
                page(f"Page {number}", f"A walrus, unique{number}q. {FILLER}") for number in range(begin, begin + 50)
            ]
            ok(space.api.post(f"{path}/content", {"changes": pages}))
        ok(space.api.post(f"{path}/merge"))
        wait_for(lambda: indexed(tmp_path, space.id) > after)
        host.kill()
        held = indexed(tmp_path, space.id)
        host.start()
        titles = ["Old one", *(f"Page {number}" for number in range(PAGES))]
        wait_for(lambda: indexed(tmp_path, space.id) == len(titles), 60)
        wait_for(lambda: every(space, "walrus") == Counter(titles), 60)
        assert held <= len(titles) + 1
        assert every(space, "okapi") == Counter()
        assert every(space, f"unique{PAGES - 1}q") == Counter([f"Page {PAGES - 1}"])
        statement = "SELECT revision_id FROM search_spaces WHERE space_id = ?"
        ((revision,),) = databases.ask(tmp_path, statement, (space.id,))
        assert revision == ok(space.api.get(space.path))["revision"]
        assert host.stop() == 0
    finally:
        if host.process is not None and host.process.poll() is None:
            host.kill()
