"""A host is backed up while it works, and restored elsewhere with all that it had."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from sqlalchemy import create_engine, make_url, text

from runtime.store.migrate import HEAD
from tests import databases
from tests.conftest import COUNTER, Api, HostProcess, Tenant, init, installed, wait_for
from tests.devkit.dev_process import Ran, devkit
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page

WAITS = (
    COUNTER
    + """
import requests


@integration.on("space_content_updated")
def waits(event, context):
    requests.get("http://127.0.0.1:PORT/").raise_for_status()


@integration.fetch("GET", "/backwards")
def backwards(context):
    return Response(context.secrets["KEY"][::-1])
"""
)
EVENTS = 5


class Gate(http.server.BaseHTTPRequestHandler):
    """Answers 503 until it is open."""

    open = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200 if self.open.is_set() else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@pytest.fixture
def gate() -> Iterator[int]:
    Gate.open.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def elsewhere(data: Path) -> list[str]:
    """Give the options that name an empty database for a new data folder."""
    return [] if databases.CHOSEN == "sqlite" else ["--database-url", databases.empty(databases.CHOSEN, data)]


def backed_up(home: Path, data: Path, name: str = "host.zip") -> Ran:
    return devkit(home, "backup", name, "--data", str(data), *databases.options_for(data), "--json")


def put_file(space: Space, name: str, content: bytes) -> None:
    path = space.change_request(page(f"About {name}", f"The file `{name}`."))
    ok(space.api.call("POST", f"{path}/content/files", data=content, params={"name": name}), 201)
    ok(space.api.post(f"{path}/merge"))


def test_what_waits_is_delivered_by_the_restored_host(gate: int, tmp_path: Path) -> None:
    data, restored = tmp_path / "data", tmp_path / "restored"
    made = init(data, "Company", "me@example.com")
    environ = {"DEVKIT_ALLOW_EGRESS": f"127.0.0.1:{gate}", "DEVKIT_RETRY_SECONDS": ",".join(["0.5"] * 2000)}
    host = HostProcess(data, environ=environ).start()
    owner = Tenant(made["organization"], made["user"], Api(host.url, made["token"]))
    one = installed(owner, WAITS.replace("PORT", str(gate)), secrets={"KEY": "drawkcab"})
    space = Space(owner)
    put_file(space, "first.bin", b"first" * 9000)
    sent = owner.api.post(
        f"{one.path}/events", {"event": {"type": "space_content_updated", "revisionId": "r"}, "count": EVENTS}
    )
    assert sent.status == 202
    ids = [*sent.json["events"]]
    done = threading.Event()
    numbers = iter(range(1, 10_000))

    def work() -> None:
        while not done.is_set():
            put_file(space, f"{next(numbers)}.bin", f"{next(numbers)}".encode() * 5000)

    working = threading.Thread(target=work)
    working.start()
    try:
        backup = backed_up(tmp_path, data)
    finally:
        done.set()
        working.join()
    assert backup.code == 0, backup.err
    assert backup.json["files"] >= 1 and backup.json["missing"] == []
    assert (tmp_path / "host.zip").stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob(".host.zip*"))
    assert backed_up(tmp_path, data).code == 1, "a backup never replaces a file"
    assert host.stop() == 0
    options = elsewhere(restored)
    back = devkit(tmp_path, "restore", "host.zip", "--data", str(restored), *options, "--json")
    assert back.code == 0, back.err
    assert {path.stat().st_mode & 0o077 for path in restored.rglob("*")} == {0}
    Gate.open.set()
    second = HostProcess(restored, *options, environ=environ).start()
    try:
        api = Api(second.url, made["token"])
        for event in ids:
            wait_for(lambda event=event: api.get(f"{one.path}/events/{event}").json["event"]["status"] == "success")
        endpoint = urlsplit(owner.api.url)._replace(netloc=urlsplit(second.url).netloc).geturl()
        shown = api.get(one.path).json["urls"]["publicEndpoint"]
        assert shown.startswith(endpoint)
        assert requests.get(f"{shown}/backwards", timeout=30).text == "backward"
        path = f"/v1/spaces/{space.id}/content"
        titles = [found["title"] for found in ok(api.get(f"{path}/pages"))["pages"]]
        assert "About first.bin" in titles
        files = ok(api.get(f"{path}/files", limit=1000))["items"]
        assert {f"About {file['name']}" for file in files} == {*titles}
        for file in files:
            read = requests.get(file["downloadURL"], timeout=30)
            assert read.status_code == 200 and len(read.content) == file["size"], file["name"]
        put_file(Space(Tenant(owner.id, owner.user, api)), "after.bin", b"written after the restore")
        again = api.post(f"{one.path}/events", {"event": {"type": "space_content_updated", "revisionId": "s"}})
        assert again.status == 202, "new events have places of their own in the queue"
    finally:
        assert second.stop() == 0


def test_only_what_is_empty_is_filled(tmp_path: Path) -> None:
    data = tmp_path / "data"
    init(data, "Company", "me@example.com")
    assert backed_up(tmp_path, data).code == 0
    full = devkit(tmp_path, "restore", "host.zip", "--data", str(data), *databases.options_for(data))
    assert full.code == 1 and "is not empty" in full.err
    fresh = tmp_path / "fresh"
    where = ["--database-url", databases.address_of(data)] if databases.CHOSEN != "sqlite" else []
    if where:
        taken = devkit(tmp_path, "restore", "host.zip", "--data", str(fresh), *where)
        assert taken.code == 1 and "the database is not empty" in taken.err
        assert not fresh.exists()
        other = devkit(tmp_path, "restore", "host.zip", "--data", str(fresh))
        assert other.code == 1 and "cannot be restored on sqlite" in other.err
    wrong = devkit(
        tmp_path, "restore", "host.zip", "--data", str(fresh), *elsewhere(fresh), DEVKIT_SECRET_KEY="another-key-12345"
    )
    assert wrong.code == 1 and "secret key is not that of" in wrong.err
    assert not fresh.exists()


def test_a_key_that_is_a_setting_is_needed_again(tmp_path: Path) -> None:
    data, restored = tmp_path / "data", tmp_path / "restored"
    key = {"DEVKIT_SECRET_KEY": "a key that somebody chose"}
    options = databases.options_for(data)
    assert devkit(tmp_path, "init", "--data", str(data), *options, **key).code == 0
    lacking = backed_up(tmp_path, data)
    assert lacking.code == 1 and "set DEVKIT_SECRET_KEY" in lacking.err
    made = devkit(tmp_path, "backup", "host.zip", "--data", str(data), *options, **key)
    assert made.code == 0 and "not in the backup" in made.err
    to = ["--data", str(restored), *elsewhere(restored)]
    assert "the backup has no key" in devkit(tmp_path, "restore", "host.zip", *to).err
    assert devkit(tmp_path, "restore", "host.zip", *to, **key).code == 0


def test_an_older_release_refuses_a_newer_database(tmp_path: Path) -> None:
    data = tmp_path / "data"
    init(data, "Company", "me@example.com")
    engine = create_engine(make_url(databases.address_of(data)).set(drivername=DRIVERS[databases.CHOSEN]))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    options = ["--data", str(data), *databases.options_for(data)]
    for command in (["serve", "--port", "1"], ["init"], ["reindex"], ["backup", "host.zip"]):
        refused = devkit(tmp_path, *command, *options)
        assert refused.code == 1 and "9999" in refused.err and HEAD in refused.err, refused.err
        assert "Traceback" not in refused.err
    assert not (tmp_path / "host.zip").exists()


DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
