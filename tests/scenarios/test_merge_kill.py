"""A merge of a change request is whole or not at all, whenever its host is killed."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import requests

from tests import databases
from tests.conftest import HostProcess, init, installed, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page

ROUNDS = 6
PAGES = 40


def test_a_merge_is_whole_or_not_at_all(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    try:
        owner = tenant(host, "Alpha", "alpha@example.com")
        one = installed(owner)
        space = Space.__new__(Space)
        space.api, space.id, space.path = owner.api, one.space, f"/v1/spaces/{one.space}"
        chance = random.Random(7)
        merged, began = 0, time.monotonic()
        space.merge(page("First", "Text"))
        took = time.monotonic() - began
        merged += 1
        for number in range(ROUNDS):
            pages = [page(f"Page {number}-{inner}", f"Text {inner}\n\n" * 20) for inner in range(PAGES)]
            path = space.change_request(*pages)
            before = ok(space.api.get(space.path))["revision"]

            def merge(url: str = f"{host.url}{path}/merge", token: str | None = owner.api.token) -> None:
                try:
                    requests.post(url, headers={"Authorization": f"Bearer {token}"}, timeout=30)
                except requests.RequestException:  # the host was killed
                    pass

            asking = threading.Thread(target=merge)
            asking.start()
            time.sleep(chance.uniform(0, took))
            host.kill()
            asking.join()
            host.start()
            request, shown = ok(space.api.get(path)), ok(space.api.get(space.path))
            done = request["status"] == "merged"
            assert done == (shown["revision"] != before)
            assert shown["changeRequests"] == number + 2
            assert shown["changeRequestsDraft"] + shown["changeRequestsOpen"] == (0 if done else 1)
            titles = {title for (title,) in space.outline()}
            if done:
                assert request["revisionMerged"] == shown["revision"]
                assert ok(space.api.get(f"{space.path}/revisions/{shown['revision']}"))["parents"][0] == before
            else:
                assert not titles & {f"Page {number}-{inner}" for inner in range(PAGES)}
                assert ok(space.api.post(f"{path}/merge"))["result"] == "merge"
                titles = {title for (title,) in space.outline()}
            merged += 1
            assert titles >= {f"Page {number}-{inner}" for inner in range(PAGES)}
            assert events(tmp_path) == merged, "one of each merge, and none without"
        delivered = f"{one.path}/events"
        wait_for(lambda: len(ok(owner.api.get(delivered, type="space_content_updated"))["items"]) == merged, 60)
        assert host.stop() == 0
    finally:
        if host.process is not None and host.process.poll() is None:
            host.kill()


def events(data: Path) -> int:
    """Count what integrations are told of changes of content."""
    ((count,),) = databases.ask(data, "SELECT count(*) FROM events WHERE type = 'space_content_updated'")
    return int(count)
