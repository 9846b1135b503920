"""A clock that is set back by an hour: what waits does not wait for an hour more.

No test may set the clock of its machine. For a host it is the same when what it has written lies an hour ahead.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.conftest import HostProcess, Installed, init, installed, tenant, wait_for

HOUR = 3600.0
ENVIRON = {"DEVKIT_LEASE_SECONDS": "2", "DEVKIT_RETRY_SECONDS": ",".join(["1"] * 60)}
FAILS_FIRST = """
import time

from runtime.sdk import Integration, ui

integration = Integration()


@integration.on("space_content_updated")
def updated(event, context):
    if event.get("revisionId") == "slow":
        time.sleep(8)
    if event.get("revisionId") == "fails" and time.time() < UNTIL:
        raise RuntimeError("not yet")
"""


def send(one: Installed, revision: str) -> str:
    event = {"type": "space_content_updated", "revisionId": revision}
    sent = one.owner.api.post(f"{one.path}/events", {"event": event})
    assert sent.status == 202, sent.text
    (made,) = sent.json["events"]
    return str(made)


def state(one: Installed, event: str) -> Any:
    answer = one.owner.api.get(f"{one.path}/events/{event}")
    return answer.json["event"]["delivery"]["state"]


@pytest.mark.parametrize("restarted", [False, True])
def test_events_wait_for_no_clock(tmp_path: Path, restarted: bool) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ=ENVIRON).start()
    owner = tenant(host, "First", "first@example.com")
    failing, slow = (installed(owner, FAILS_FIRST.replace("UNTIL", str(time.time() + 15)), blocks=[]) for _ in range(2))
    events = [(failing, send(failing, "fails")), (failing, send(failing, "r")), (slow, send(slow, "slow"))]
    wait_for(lambda: state(*events[0]) == "failed" and state(*events[2]) == "claimed")
    if restarted:
        host.kill()
    databases.ask(
        tmp_path,
        f"UPDATE events SET due_at = due_at + {HOUR}, lease_until = lease_until + {HOUR}, ended_at = ended_at + {HOUR}",
    )
    if restarted:
        host.start()
    events += [(slow, send(slow, "r"))]
    wait_for(lambda: {state(*event) for event in events} == {"delivered"}, 60)
    assert "was the clock set back?" in (tmp_path / "host.log").read_text() or not restarted
    assert host.stop() == 0


def test_changes_are_not_held_back_by_those_that_ended_at_a_moment_to_come(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ=ENVIRON).start()
    owner = tenant(host, "First", "first@example.com")
    one = installed(owner, FAILS_FIRST.replace("UNTIL", "0").replace("space_content_updated", "installation_setup"))
    path = f"{one.path}/installations/{one.installation}"

    def heard() -> int:
        listed = owner.api.get(f"{one.path}/events", type="installation_setup", status="success", limit=100)
        return int(listed.json["count"])

    for number in range(9):
        assert owner.api.call("PATCH", path, {"configuration": {"number": number}}).status == 200
    wait_for(lambda: heard() == 10)
    databases.ask(tmp_path, f"UPDATE events SET due_at = due_at + {HOUR}, ended_at = ended_at + {HOUR}")
    assert owner.api.call("PATCH", path, {"configuration": {"number": 10}}).status == 200
    wait_for(lambda: heard() == 11)
    assert host.stop() == 0
