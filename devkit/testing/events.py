"""Payloads of events as a test names them: completed, and held against their type.

Imported where it is needed: the types of events take a tenth of a second, which tests of renders do without.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from devkit.events import payloads
from devkit.testing.installed import Where
from runtime.contract import event_examples
from runtime.contract.events import EVENTS


def payload(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a realistic payload with these fields over it, without those that are None; raises ValueError."""
    if kind not in EVENTS:
        raise ValueError(f"there is no event {kind!r}; events are {', '.join(EVENTS)}")
    event = {**event_examples.payload(kind), **fields}
    return {name: value for name, value in event.items() if value is not None}


def level(event: Mapping[str, Any]) -> Where:
    """Return the level an event belongs to: what it names, else what its type asks for."""
    if "siteId" in event or "spaceId" in event:
        return "site" if "siteId" in event else "space"
    if event["type"] == "fetch":
        return "installation" if "installationId" in event else "integration"
    target = EVENTS[event["type"]].target
    return target if target in ("space", "site", "integration") else "installation"


def check(event: dict[str, Any]) -> None:
    """Raise ValueError where an event does not fit its type."""
    findings = payloads.check(payloads.ParsedText("the event", event))
    if findings:
        raise ValueError(f"{event['type']}: {findings[0].message}")
