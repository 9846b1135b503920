"""`/metrics` counts every request of all serving processes once, and has what the dashboard shows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from tests.conftest import COUNTER, HostProcess, Installed, init, installed, tenant, wait_for

DASHBOARD = Path(__file__).parents[2] / "docs" / "grafana-dashboard.json"
STREAMS = ("streamIntegrationEvents", "streamAskInOrganization", "holdTunnel")
NAMES = re.compile(r"\bhost_[a-z_]+\b")
Labels = frozenset[tuple[str, str]]


@pytest.fixture(scope="module", params=["1", "2"])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host with so many serving processes."""
    data = tmp_path_factory.mktemp("measured")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_WORKERS": request.param, "DEVKIT_RETRY_SECONDS": "600"}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def one(host: HostProcess) -> Installed:
    failing = COUNTER.replace('context.log.info("revision %s", event["revisionId"])', 'raise RuntimeError("not now")')
    return installed(tenant(host, "Measured", "measured@example.com"), failing)


def measured(url: str) -> dict[tuple[str, Labels], float]:
    """Read all samples; none may be there twice."""
    found: dict[tuple[str, Labels], float] = {}
    for family in text_string_to_metric_families(requests.get(f"{url}/metrics", timeout=30).text):
        for sample in family.samples:
            key = (sample.name, frozenset(sample.labels.items()))
            assert key not in found, key
            found[key] = sample.value
    return found


def grown(before: dict[tuple[str, Labels], float], url: str, name: str, **labels: str) -> float:
    key = (name, frozenset(labels.items()))
    return measured(url).get(key, 0) - before.get(key, 0)


def test_every_request_is_counted_once(host: HostProcess, one: Installed) -> None:
    api, url = one.owner.api, host.url
    one.render("cached")
    before = measured(url)
    lookups = {"operation": "getIntegrationByName"}
    render = {"operation": "renderIntegrationUIWithPost"}
    for _ in range(20):
        # Connections of their own, so that both processes have a part.
        assert api.get(one.path).status == 200
        assert api.get("/v1/integrations/not-there").status == 404
        assert requests.get(f"{url}{one.path}", headers={"Authorization": "Bearer no"}, timeout=30).status_code == 401
        assert one.render("cached").status == 200
        assert requests.post(f"{url}{one.path}/render", json={}, timeout=30).status_code == 401
        assert requests.get(f"{url}/nowhere", timeout=30).status_code == 404
    for status in ("200", "404", "401"):
        assert grown(before, url, "host_requests_total", **lookups, status=status) == 20
    assert grown(before, url, "host_requests_total", **render, status="200") == 20
    assert grown(before, url, "host_requests_total", **render, status="401") == 20
    assert grown(before, url, "host_requests_total", operation="none", status="404") == 20
    assert grown(before, url, "host_request_seconds_count", **lookups) == 60
    assert grown(before, url, "host_request_seconds_bucket", **lookups, le="+Inf") == 60
    hits = [grown(before, url, "host_render_cache_total", result=result) for result in ("hit", "miss")]
    assert sum(hits) == 20, hits


def test_streams_are_counted_by_their_operations(host: HostProcess, one: Installed) -> None:
    token = {"Authorization": f"Bearer {one.owner.api.token}"}
    ask = f"/v1/orgs/{one.owner.id}/ask/stream?query=x"
    before = measured(host.url)
    for path in (f"{one.path}/events/stream", ask, "/v1/tunnels/" + "x" * 20 + "/stream"):
        for headers in (token, {}):
            requests.get(host.url + path, headers=headers, stream=True, timeout=30).close()
    assert grown(before, host.url, "host_requests_total", operation="none", status="401") == 0
    counted = {
        name: sum(
            grown(before, host.url, "host_requests_total", operation=name, status=status)
            for status in ("200", "401", "404")
        )
        for name in STREAMS
    }
    assert counted == dict.fromkeys(STREAMS, 2)


def test_the_queue_is_shown_as_it_is(host: HostProcess, one: Installed) -> None:
    event = {"type": "space_content_updated", "revisionId": "r"}
    sent = one.owner.api.post(f"{one.path}/events", {"event": event, "count": 3})
    assert sent.status == 202

    def waiting() -> bool:
        now = measured(host.url)
        depth = {state: now["host_events", frozenset({("state", state)})] for state in ("pending", "claimed", "failed")}
        return depth == {"pending": 2, "claimed": 0, "failed": 1}

    wait_for(waiting)
    time.sleep(0.2)
    now = measured(host.url)
    assert now["host_database_up", frozenset()] == 1
    assert now["host_oldest_event_seconds", frozenset({("state", "pending")})] >= 0.2
    assert now["host_oldest_event_seconds", frozenset({("state", "failed")})] == 0, "it comes again in ten minutes"
    assert now["host_oldest_event_seconds", frozenset({("state", "claimed")})] == 0


def test_the_dashboard_asks_for_what_there_is(host: HostProcess, one: Installed) -> None:
    one.render("cached")
    there = {name for name, _ in measured(host.url)}
    board = json.loads(DASHBOARD.read_text())
    expressions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    asked = {name for expression in expressions for name in NAMES.findall(expression)}
    asked.remove("host_broker_up")  # which only a host with a broker has: test_broker.py
    assert asked <= there, asked - there
    families = {re.sub(r"_(bucket|count|sum|created|total)$", "", name) for name in there if name.startswith("host_")}
    assert families == {re.sub(r"_(bucket|total)$", "", name) for name in asked}, (
        "each metric has its place on the dashboard"
    )
    groups = [group for expression in expressions for group in re.findall(r"by \(([^)]*)\)", expression)]
    labels = {label for group in groups for label in group.split(", ")}
    assert labels <= {label for _, pairs in measured(host.url) for label, _ in pairs}
