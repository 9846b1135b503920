"""A host whose PostgreSQL goes away and comes back, or has no connection left: who asks is told soon to come again."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import requests

from tests.conftest import HostProcess, Installed, free_port, init_with, installed, tenant_with, wait_for
from tests.postgres_server import PostgresServer
from tests.scenarios.browsing import Browser

SLOW = """
import time

from runtime.sdk import Integration, ui

integration = Integration()


@integration.component("counter")
def counter(element):
    return ui.block()


@integration.on("space_content_updated")
def updated(event):
    time.sleep(8)
"""

SOON = 20
"""Seconds within which every answer comes, also on a busy machine; a connection was once waited for for 30."""
AT_ONCE = 90
"""Requests that each hold a connection, more than a host has."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    server = PostgresServer(free_port())
    try:
        server.start("max_connections=200")
        yield server
    finally:
        server.remove()


@pytest.fixture(scope="module")
def one(server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """An integration on a host that uses this server."""
    data = tmp_path_factory.mktemp("away")
    options = ["--database-url", server.url]
    init_with(options, data, "First", "first@example.com")
    host = HostProcess(data, *options, environ={"DEVKIT_RETRY_SECONDS": ",".join(["0.2"] * 20)}).start()
    yield installed(tenant_with(options, host, "First", "first@example.com"))
    assert host.stop() == 0


@pytest.fixture(scope="module")
def browser(one: Installed) -> Browser:
    """A browser in which the administrator is signed in."""
    signed_in = Browser(one.owner.api.url)
    assert signed_in.submit("/app/sign-in", "/app/sign-in", token=str(one.owner.api.token)).status_code == 303
    return signed_in


def asked(one: Installed, browser: Browser) -> dict[str, requests.Response]:
    """Ask for something of each way into the host."""
    api, headers = one.owner.api, {"Authorization": f"Bearer {one.owner.api.token}"}
    event = {"event": {"type": "space_content_updated", "revisionId": "r"}}
    render = {"componentId": "counter", "props": {}, "context": one.context()}
    ways = {
        "render": ("POST", f"{one.path}/render", render),
        "cached render": ("POST", f"{one.path}/render", render | {"componentId": "cached"}),
        "event": ("POST", f"{one.path}/events", event),
        "list": ("GET", f"{one.path}/events", None),
        "stream": ("GET", f"{one.path}/events/stream", None),
        "person": ("GET", "/v1/user", None),
        "organization": ("GET", f"/v1/orgs/{one.owner.id}", None),
        "public endpoint": ("POST", f"{one.path}/integration/echo", {}),
        "address": ("GET", "/v1/urls/published?url=https://docs.example/", None),
        "readiness": ("GET", "/readyz", None),
    }
    answers = {}
    for name, (method, path, body) in ways.items():
        answer = requests.request(method, api.url + path, json=body, headers=headers, timeout=SOON, stream=True)
        answer.close()
        answers[name] = answer
    for path in ("/app", f"/app/orgs/{one.owner.id}"):
        answers[path] = browser.ask("GET", path)
    return answers


def test_everything_answers_that_it_is_unavailable_while_the_database_is_away(
    server: PostgresServer, one: Installed, browser: Browser
) -> None:
    before = {name: answer.status_code for name, answer in asked(one, browser).items()}
    assert max(before.values()) < 500, before
    server.stop()
    while_away = [asked(one, browser) for _ in range(2)]
    counted = requests.get(f"{one.owner.api.url}/metrics", timeout=SOON)
    server.start("max_connections=200")
    for answers in while_away:
        told = {name: (answer.status_code, answer.headers.get("Retry-After")) for name, answer in answers.items()}
        assert {name: answer for name, answer in told.items() if answer != (503, "1")} == {}
    assert counted.status_code == 200 and "host_database_up 0.0" in counted.text
    assert 'status="503"' in counted.text and "host_events{" not in counted.text
    wait_for(lambda: {name: answer.status_code for name, answer in asked(one, browser).items()} == before)
    sent = one.owner.api.post(f"{one.path}/events", {"event": {"type": "space_content_updated", "revisionId": "x"}})
    (event,) = sent.json["events"]
    wait_for(lambda: one.owner.api.get(f"{one.path}/events/{event}").json["event"]["status"] == "success", 60)


def test_who_finds_no_connection_is_told_soon_to_come_again(server: PostgresServer, one: Installed) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool, psycopg.connect(server.url) as locker:
        locker.execute("LOCK TABLE organizations")
        answers = [pool.submit(_organization, one) for _ in range(AT_ONCE)]
        refused = [wait_for(lambda: next((done for done in answers if done.done()), None), SOON)]
        assert (refused[0].result().status_code, refused[0].result().headers["Retry-After"]) == (503, "1")
        locker.rollback()
        found = [answer.result().status_code for answer in answers]
    assert set(found) == {200, 503}
    assert one.owner.api.get(f"/v1/orgs/{one.owner.id}").status == 200


def _organization(one: Installed) -> requests.Response:
    headers = {"Authorization": f"Bearer {one.owner.api.token}"}
    return requests.get(f"{one.owner.api.url}/v1/orgs/{one.owner.id}", headers=headers, timeout=90)


def test_what_a_script_did_is_stored_by_a_host_that_stops_while_the_database_is_away(
    server: PostgresServer, tmp_path: Path
) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS stopping WITH (FORCE)")  # of a run of this test that failed
        connection.execute("CREATE DATABASE stopping")
    url = server.url.rpartition("/")[0] + "/stopping"
    options = ["--database-url", url]
    init_with(options, tmp_path, "Second", "second@example.com")
    host = HostProcess(tmp_path, *options).start()
    assert host.process is not None
    try:
        slow = installed(tenant_with(options, host, "Second", "second@example.com"), SLOW)
        kind = {"type": "space_content_updated", "revisionId": "r"}
        sent = slow.owner.api.post(f"{slow.path}/events", {"event": kind})
        (event,) = sent.json["events"]
        assert wait_for(lambda: _stored(url, event)[0] != "pending") and _stored(url, event)[0] == "claimed"
        server.stop()
        host.process.send_signal(signal.SIGTERM)
        wait_for(lambda: "1 results could not be written" in (tmp_path / "host.log").read_text())
        server.start("max_connections=200")
        assert host.process.wait(timeout=60) == 0
        assert _stored(url, event) == ("delivered", 1)
    finally:
        host.process.kill()


def _stored(url: str, event: str) -> tuple[str, int]:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT state, attempts FROM events WHERE id = %s", (event,)).fetchone()
    assert row is not None
    return str(row[0]), int(row[1])


def test_a_host_that_starts_without_its_database_says_so(tmp_path: Path) -> None:
    host = HostProcess(tmp_path, "--database-url", f"postgresql://postgres@127.0.0.1:{free_port()}/postgres")
    with pytest.raises(AssertionError, match="the database cannot be used"):
        host.start()
