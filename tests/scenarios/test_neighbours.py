"""One integration that is slow, or floods, does not keep the others waiting."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import requests

from tests import databases
from tests.conftest import COUNTER, HostProcess, Installed, init, init_with, installed, tenant, tenant_with, wait_for
from tests.scenarios.sent_events import delivered, send

SLOW = COUNTER.replace('context.log.info("revision %s", event["revisionId"])', "import time; time.sleep(3)") + (
    "\n@integration.fetch('GET', '/slow')\ndef slow(request):\n"
    "    import time\n    time.sleep(4)\n    return Response('slow')\n"
)


def test_slow_integrations_leave_room(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ={"DEVKIT_WALL_SECONDS": "6", "DEVKIT_DISPATCH_THREADS": "4"}).start()
    owner = tenant(host, "First", "first@example.com")
    slow, quick = installed(owner, SLOW), installed(owner)
    endpoint = owner.api.get(slow.path).json["urls"]["publicEndpoint"]
    send(slow, count=200)
    for _ in range(20):
        task(slow)
    with ThreadPoolExecutor(160) as pool:
        flood = [pool.submit(requests.get, f"{endpoint}/slow", timeout=60) for _ in range(150)]
        wait_for(lambda: sum(call.done() for call in flood) > 50)
        assert sum(call.done() for call in flood) < 150
        assert quick.render().status == 200
        sent = send(quick)["events"][0]
        wait_for(lambda: sent in [item["id"] for item in delivered(quick, "space_content_updated")])
        statuses = Counter(call.result().status_code for call in flood)
    assert statuses[200] >= 4 and statuses[503] > 100
    refused = next(call.result() for call in flood if call.result().status_code == 503)
    assert "busy" in refused.json()["error"]["message"] and refused.headers["Retry-After"] == "1"
    assert host.stop() == 0


def task(one: Installed) -> None:
    send(one, type="task", task={"type": "x"})


def test_requests_that_wait_for_each_other_leave_connections_to_others(tmp_path: Path) -> None:
    address = databases.address_of(tmp_path, "postgresql")  # writers of SQLite queue before they take a connection
    there = ["--database-url", address]
    init_with(there, tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, *there).start()
    busy, other = (tenant_with(there, host, name, f"{name.lower()}@example.com") for name in ("Busy", "Other"))
    spaces = f"/v1/orgs/{busy.id}/spaces"
    with (
        psycopg.connect(address, autocommit=True) as connection,
        ThreadPoolExecutor(100) as pool,
    ):
        locked = (f"content of {busy.id}",)
        connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", locked)
        many = [pool.submit(busy.api.post, spaces, {"title": "One of many"}) for _ in range(100)]
        waits = "SELECT count(*) > 20 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        wait_for(lambda: connection.execute(waits).fetchone() == (True,))
        for _ in range(5):
            assert requests.get(f"{host.url}/readyz", timeout=20).status_code == 200
            assert other.api.get("/v1/user").status == 200
            assert other.api.post(f"/v1/orgs/{other.id}/spaces", {"title": "Mine"}).status == 201
        wait_for(lambda: any(one.done() for one in many))
        connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", locked)
        statuses = Counter(one.result().status for one in many)
    assert set(statuses) == {201, 503} and statuses[201] >= 20
    assert host.stop() == 0


def test_streams_that_wait_for_the_database_leave_connections_to_others(tmp_path: Path) -> None:
    address = databases.address_of(tmp_path, "postgresql")
    there = ["--database-url", address]
    init_with(there, tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, *there).start()
    busy, other = (tenant_with(there, host, name, f"{name.lower()}@example.com") for name in ("Busy", "Other"))
    assert busy.api.post(f"/v1/orgs/{busy.id}/spaces", {}).status == 201
    asking = f"/v1/orgs/{busy.id}/ask/stream?query=anything"
    with psycopg.connect(address) as connection, ThreadPoolExecutor(100) as pool:
        connection.execute("LOCK TABLE search_spaces")  # what a question is looked for in
        many = [pool.submit(busy.api.get, asking) for _ in range(100)]
        waits = "SELECT count(*) > 20 FROM pg_locks WHERE locktype = 'relation' AND NOT granted"
        wait_for(lambda: connection.execute(waits).fetchone() == (True,))
        for _ in range(5):
            assert requests.get(f"{host.url}/readyz", timeout=20).status_code == 200
            assert other.api.post(f"/v1/orgs/{other.id}/spaces", {"title": "Mine"}).status == 201
        wait_for(lambda: any(one.done() for one in many))
        connection.rollback()
        statuses = Counter(one.result().status for one in many)
    assert set(statuses) == {200, 503} and statuses[200] >= 10  # more of those that wait are too late by then
    assert host.stop() == 0


def test_long_payloads_of_one_organization_leave_the_deliveries_of_others_alone(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path).start()
    many = installed(tenant(host, "Long", "long@example.com"))
    quick = installed(tenant(host, "Quick", "quick@example.com"))
    slow_to_mask = ["secretvalue0<&'" * 280] * 30
    for _ in range(3):  # as many at a time as may be sent together
        send(many, count=90, type="task", task={"type": "x", "long": slow_to_mask})
    sent = send(quick)["events"][0]
    wait_for(lambda: sent in [item["id"] for item in delivered(quick, "space_content_updated")])
    assert many.owner.api.get(f"{many.path}/events", type="task", status="success").json["count"] < 270
    assert host.stop() == 0
