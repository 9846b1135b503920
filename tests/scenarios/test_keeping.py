"""What is kept, and what must not be: the history of events, and renders while a developer answers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from runtime.contract.identifiers import new_id
from runtime.engines.dev_tunnel.messages import ANSWER, BODY, END
from runtime.engines.frames import pack
from runtime.store import queue, rows, secrets
from runtime.store.database import Database, now
from runtime.store.rows import HOST
from runtime.store.tables.events import EventRow
from tests import databases
from tests.conftest import COUNTER, Api, HostProcess, Tenant, init, installed, tenant, wait_for
from tests.contract.requests_table import page_view
from tests.scenarios.reading import Reading

KEEP = 30
BREAKS = (
    COUNTER
    + """

@integration.on("site_view")
def seen(event):
    raise ValueError("no")


@integration.on("installation_setup")
def setup(event):
    raise ValueError("no")


@integration.fetch("GET", "/gone")
def gone(request):
    return Response("", status=404)
"""
)


def test_each_source_is_kept_by_itself(tmp_path: Path) -> None:
    secrets.use_keyring(secrets.load_keyring(tmp_path, None))
    with databases.opened(tmp_path) as database:
        _kept_by_source(database)


def _kept_by_source(database: Database) -> None:
    shared = {"integration_id": "i", "lane": "i", "type": "task", "payload": "{}", "attempts": 1, "due_at": 0.0}
    wanted = {(state, source): 5 for state in ("delivered", "given-up") for source in queue.SOURCES}
    with database.transaction(writes=True) as session:
        for number in range(20):
            for state, source in wanted:
                one = {"id": f"{state[0]}{source}{number}", "state": state, "source": source, "created_at": now()}
                queue.add(session, [shared | one])
        queue.add(session, [shared | {"id": "waits", "state": "failed", "created_at": now()}])
        queue.prune(session, "i", 5)
        left = rows.every(session, HOST, EventRow)
        assert len(left) == 5 * len(wanted) + 1
        assert {row.id[-2:] for row in left if row.state != "failed"} == {"15", "16", "17", "18", "19"}


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that keeps little, and looks for what to forget at the usual number of events."""
    data = tmp_path_factory.mktemp("forgetful")
    init(data, "First", "first@example.com")
    environ = {"DEVKIT_KEEP_EVENTS": str(KEEP), "DEVKIT_RETRY_SECONDS": "0", "DEVKIT_PREVIEW": "1"}
    process = HostProcess(data, environ=environ).start()
    yield process
    assert process.stop() == 0


def test_anonymous_calls_push_out_nothing_but_each_other(forgetful: HostProcess) -> None:
    owner = tenant(forgetful, "Kept", "kept@example.com")
    one = installed(owner, BREAKS)
    path = f"{one.path}/events"

    def failed(kind: str) -> list[str]:
        return [item["id"] for item in owner.api.get(path, type=kind, status="failed", limit="1000").json["items"]]

    assert one.render("breaks").status == 500
    wait_for(lambda: failed("installation_setup") and failed("ui_render"))
    kept = failed("installation_setup") + failed("ui_render")
    shown = owner.api.get(f"{one.path}/installations/{one.installation}").json
    address = shown["urls"]["publicEndpoint"] + "/gone"
    site = f"/v1/orgs/{owner.id}/sites/{one.site}"
    home = owner.api.call("PATCH", site, {"published": True, "visibility": "public"}).json["urls"]["published"]

    def call(many: int) -> None:
        session = requests.Session()
        for _ in range(many):
            assert session.get(address, timeout=60).status_code == 404

    view = page_view()
    view["location"]["url"] = home
    for _ in range(10):
        assert requests.post(f"{home}-/insights", json={"events": [view] * 10}, timeout=60).status_code == 204
    callers = [threading.Thread(target=call, args=(1100,)) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    # Looked for what to forget since: of thousands few are left.
    wait_for(lambda: len(failed("fetch")) < 1000)
    assert set(kept) <= set(failed("installation_setup") + failed("ui_render"))


class Developer:
    """A machine at the end of a tunnel that answers every call with the same render, to be kept for an hour."""

    def __init__(self, owner: Tenant) -> None:
        self._api: Api = owner.api
        self._tunnel = owner.api.post(f"/v1/orgs/{owner.id}/tunnels", {"name": new_id()}).json
        self._reading = Reading(owner.api, f"/v1/tunnels/{self._tunnel['id']}/stream")
        self.url, self.answered = self._tunnel["url"], 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self._reading.ended:
            calls = re.findall(r"event: end\nid: (\S+)", self._reading.text)
            for call in calls[self.answered :]:
                self.answered += 1
                text = {"type": "text", "children": [f"tunnel {self.answered}"]}
                output = {"type": "element", "props": {}, "state": {}, "element": {"type": "block", "children": [text]}}
                headers = [["Content-Type", "application/json"], ["Cache-Control", "max-age=3600"]]
                head = json.dumps({"status": 200, "headers": headers, "call": call}).encode()
                frames = pack(ANSWER, head) + pack(BODY, json.dumps(output).encode()) + pack(END, b"")
                path = f"/v1/tunnels/{self._tunnel['id']}/answers/{call}"
                self._api.call("POST", path, data=frames)
            threading.Event().wait(0.01)


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_what_a_developer_answers_is_never_kept(method: str, alpha: Tenant) -> None:
    one = installed(alpha)
    body = {"componentId": "cached", "props": {}, "context": one.context()}

    def render() -> str:
        from lzstring import LZString

        if method == "POST":
            return one.render("cached").text
        packed = LZString().compressToEncodedURIComponent(json.dumps(body))
        return alpha.api.get(f"{one.path}/render", request=packed).text

    assert "none" in render() and render() == render()
    developer = Developer(alpha)
    assert alpha.api.call("PUT", f"{one.path}/dev", {"tunnelUrl": developer.url}).status == 204
    drawn = [render() for _ in range(3)]
    assert ["tunnel 1" in drawn[0], "tunnel 2" in drawn[1], "tunnel 3" in drawn[2]] == [True] * 3, drawn
    assert alpha.api.call("DELETE", f"{one.path}/dev").status == 205
    assert "none" in render() and "tunnel" not in render()
