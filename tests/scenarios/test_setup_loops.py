"""A script that changes the configuration it hears of: every change is told, and no loop takes the host for itself."""

from __future__ import annotations

from typing import Any

from tests.conftest import Installed, Tenant, installed, wait_for

LOOPS = """
from runtime.sdk import Integration

integration = Integration()


@integration.on("installation_setup")
def setup(event, context):
    installation = context.environment["installation"]
    seen = installation["configuration"].get("seen", 0)
    path = f"/integrations/{context.environment['integration']['name']}/installations/{installation['id']}"
    while 0 < seen < 14:  # each change is an event, and this handler hears of it
        seen += 1
        context.api.patch(path, {"configuration": {"seen": seen}})


@integration.on("space_content_updated")
def updated():
    pass
"""


def heard(one: Installed, kind: str) -> list[Any]:
    listed = one.owner.api.get(f"{one.path}/events", type=kind, limit=1000).json["items"]
    return [item for item in reversed(listed) if item["status"] == "success"]


def test_a_loop_of_setup_events_is_slowed_down_and_says_so(alpha: Tenant) -> None:
    one, other = installed(alpha, LOOPS, blocks=[]), installed(alpha, LOOPS, blocks=[])
    path = f"{one.path}/installations/{one.installation}"
    wait_for(lambda: len(heard(one, "installation_setup")) == 1)
    assert alpha.api.call("PATCH", path, {"configuration": {"seen": 1}}).status == 200
    wait_for(lambda: len(heard(one, "installation_setup")) >= 10)

    # Meanwhile nothing else waits: other events of this installation, changes of another one.
    event = {"type": "space_content_updated", "revisionId": "r"}
    assert alpha.api.post(f"{one.path}/events", {"event": event}).status == 202
    wait_for(lambda: heard(one, "space_content_updated"))
    place = f"{other.path}/installations/{other.installation}"
    assert alpha.api.call("PATCH", place, {"configuration": {"seen": 0, "a": 1}}).status == 200
    wait_for(lambda: len(heard(other, "installation_setup")) == 2)

    wait_for(lambda: len(heard(one, "installation_setup")) == 15, 90)
    told = heard(one, "installation_setup")
    assert [item["payload"].get("previous", {}).get("configuration") for item in told][:3] == [None, {}, {"seen": 1}]
    assert alpha.api.get(path).json["configuration"] == {"seen": 14}
    notes = []
    for item in told:
        logs = alpha.api.get(f"{one.path}/events/{item['id']}").json["trace"]["logs"]
        notes += [line for line in logs if "held back" in line["message"]]
    assert notes and all(line["level"] == "warn" and "10 times" in line["message"] for line in notes)
    shown = [alpha.api.get(f"{one.path}/events/{item['id']}").text for item in told[:5]]
    assert not any("held back" in text for text in shown)
    assert "held back" not in alpha.api.get(f"{other.path}/events/{heard(other, 'installation_setup')[1]['id']}").text
