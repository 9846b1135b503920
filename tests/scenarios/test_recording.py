"""What the event log has of renders: everything out of the ordinary, everything that is followed, and a count."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.conftest import COUNTER, HostProcess, Installed, init, installed, tenant, wait_for

SCRIPT = (
    COUNTER
    + """

@integration.component("warns")
def warns(element, context):
    context.log.warning("look here")
    return ui.block(ui.text("drawn"))


@integration.component("slow")
def slow(element):
    import time
    time.sleep(0.7)
    return ui.block(ui.text("drawn"))
"""
)
NO_OUTPUT = """
export default { async fetch() { return Response.json([1, 2]); } };
"""
SPECIAL = {"breaks": 500, "refuses": 422, "warns": 200, "slow": 200}
Start = Callable[..., Installed]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts a host that writes no ordinary render down, with an integration on it."""
    begun: list[HostProcess] = []

    def serve(*options: str, **environ: str) -> Installed:
        data: Path = tmp_path_factory.mktemp("recording")
        init(data, "First", "first@example.com")
        begun.append(HostProcess(data, *options, environ={"DEVKIT_RECORD_RENDERS": "0", **environ}).start())
        return installed(tenant(begun[-1], "WatchedProcess", "watched@example.com"), SCRIPT)

    yield serve
    for process in begun:
        assert process.stop() == 0


@pytest.fixture(scope="module")
def one(start: Start) -> Installed:
    return start()


def recorded(one: Installed) -> list[dict[str, Any]]:
    """All renders in the log, oldest first, with their traces."""
    items = one.owner.api.get(f"{one.path}/events", limit=1000).json["items"]
    renders = [item["id"] for item in items if item["payload"]["type"] == "ui_render"]
    return [one.owner.api.get(f"{one.path}/events/{event}").json for event in reversed(renders)]


def counted(one: Installed) -> int:
    """What `/metrics` says of renders that were not written."""
    text = requests.get(f"{one.owner.api.url}/metrics", timeout=60).text
    found = re.search(r'^host_calls_unrecorded_total\{type="ui_render"\} (\S+)$', text, re.MULTILINE)
    return int(float(found[1])) if found else 0


def test_ordinary_renders_are_counted_and_failures_are_written(one: Installed) -> None:
    before = counted(one)
    for _ in range(20):
        assert one.render().status == 200
    wait_for(lambda: counted(one) == before + 20)
    assert recorded(one) == []
    for component, status in SPECIAL.items():
        assert one.render(component).status == status
        assert one.render().status == 200
    wait_for(lambda: counted(one) == before + 24)
    wait_for(lambda: len(recorded(one)) == 4)
    found = recorded(one)
    assert [item["event"]["payload"]["componentId"] for item in found] == list(SPECIAL)
    assert found[0]["trace"]["fault"]["message"]
    assert [line["message"] for line in found[2]["trace"]["logs"]] == ["look here"]
    # Each says how many came since the one before.
    assert [item["trace"].get("unrecorded", 0) for item in found] == [20, 1, 1, 1]


def test_an_answer_that_is_no_render_is_a_failure(one: Installed) -> None:
    odd = installed(one.owner, NO_OUTPUT, runtime="v2")
    for _ in range(5):
        assert odd.render().status == 502
    wait_for(lambda: len(recorded(odd)) == 5)


def test_what_has_side_effects_is_always_written(one: Installed) -> None:
    other = installed(one.owner, SCRIPT)
    event = {"type": "space_content_updated", "spaceId": other.space, "revisionId": "r" * 20}
    assert other.owner.api.post(f"{other.path}/events", {"event": event, "count": 30}).status < 300
    for _ in range(30):
        assert (
            requests.get(
                f"{one.owner.api.url}{other.path}/installation/{other.installation}/hello", timeout=60
            ).status_code
            == 200
        )

    def kinds() -> list[str]:
        items = other.owner.api.get(f"{other.path}/events", limit=1000).json["items"]
        return [item["payload"]["type"] for item in items]

    wait_for(lambda: (kinds().count("space_content_updated"), kinds().count("fetch")) == (30, 30))


def test_who_follows_sees_every_render(one: Installed) -> None:
    follows_every_render(one)
    before = counted(one)

    def thinned_again() -> bool:
        assert one.render().status == 200
        return counted(one) > before

    wait_for(thinned_again, 60.0)  # a machine under load is slow to notice that the reader is gone


def test_who_follows_one_process_sees_the_renders_of_all(start: Start) -> None:
    follows_every_render(start("--workers", "2"))


def test_the_host_of_an_author_writes_everything(start: Start) -> None:
    one = start(DEVKIT_PREVIEW="1")
    for _ in range(20):
        assert one.render().status == 200
    wait_for(lambda: len(recorded(one)) == 20)
    assert counted(one) == 0


def follows_every_render(one: Installed) -> None:
    one.render()  # its worker is warm
    headers = {"Authorization": f"Bearer {one.owner.api.token}"}
    query = f"{one.path}/events/stream?type=ui_render&after={time.time() + 0.5}"
    time.sleep(0.6)
    with requests.get(one.owner.api.url + query, headers=headers, stream=True, timeout=(10, 60)) as answer:
        lines = answer.iter_lines()
        assert next(lines) == b": connected"
        with ThreadPoolExecutor(8) as threads:
            assert {got.status for got in threads.map(lambda _: one.render(), range(60))} == {200}
        seen: set[str] = set()
        while len(seen) < 60:
            line = next(lines)
            if line.startswith(b"data: "):
                seen.add(json.loads(line[6:])["event"]["id"])
    assert len(seen) == 60
