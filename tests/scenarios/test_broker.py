"""Of two hosts that share PostgreSQL and RabbitMQ, one answers and the other one works, also while RabbitMQ is away."""

from __future__ import annotations

from pathlib import Path

import requests

from tests import databases
from tests.conftest import HostProcess, Installed, init_with, installed, tenant_with, wait_for
from tests.rabbitmq_server import RabbitServer, rabbit_server  # noqa: F401  # a fixture

ONLY_ANSWERS = {"DEVKIT_DISPATCH_THREADS": "0", "DEVKIT_JOB_THREADS": "0"}


def _measured(host: HostProcess) -> float | None:
    lines = requests.get(f"{host.url}/metrics", timeout=30).text.splitlines()
    return next((float(line.split()[1]) for line in lines if line.startswith("host_broker_up ")), None)


def _deliver(one: Installed) -> None:
    event = {"event": {"type": "space_content_updated", "revisionId": "r"}}
    sent = one.owner.api.post(f"{one.path}/events", event)
    assert sent.status == 202, sent.text
    (event_id,) = sent.json["events"]
    wait_for(lambda: one.owner.api.get(f"{one.path}/events/{event_id}").json["event"]["status"] == "success")


def _work(one: Installed) -> None:
    specs = f"/v1/orgs/{one.owner.id}/openapi"
    text = '{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}'
    made = one.owner.api.call("PUT", f"{specs}/pets", {"source": {"text": text}})
    assert made.status in (200, 201), made.text
    wait_for(lambda: one.owner.api.get(f"{specs}/pets").json.get("processingState") == "complete")
    assert one.owner.api.call("DELETE", f"{specs}/pets").status < 300


def test_one_host_answers_and_another_one_works(server: RabbitServer, tmp_path: Path) -> None:
    options = ["--database-url", databases.address_of(tmp_path, "postgresql")]
    init_with(options, tmp_path, "First", "first@example.com")
    broker = {"DEVKIT_BROKER_URL": server.url}
    asked = HostProcess(tmp_path, *options, environ=broker | ONLY_ANSWERS).start()
    works = HostProcess(tmp_path, *options, environ=broker).start()
    hosts = (asked, works)
    one = installed(tenant_with(options, asked, "First", "first@example.com"))
    wait_for(lambda: [_measured(host) for host in hosts] == [1, 1])
    _deliver(one)
    _work(one)

    server.kill()
    wait_for(lambda: [_measured(host) for host in hosts] == [0, 0])
    for host in hosts:
        ready = requests.get(f"{host.url}/readyz", timeout=30)
        assert (ready.status_code, ready.json()["broker"]) == (200, False), "what there is to do is in the database"
    _deliver(one)
    _work(one)

    server.start()
    wait_for(lambda: [_measured(host) for host in hosts] == [1, 1])
    _deliver(one)
    _work(one)
    assert [host.stop() for host in hosts] == [0, 0]
    assert "Traceback" not in (tmp_path / "host.log").read_text()
