"""The event of a call, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from runtime.dispatch.planning import Plan


@dataclass(frozen=True, slots=True)
class ScriptEvent:
    """An event except for its id, so that what is sent again and again is written as JSON once.

    `rest` is the JSON text that follows the id.
    """

    kind: str
    rest: bytes

    @classmethod
    def of(cls, plan: Plan, kind: str, fields: dict[str, Any]) -> ScriptEvent:
        """Return an event of this type, with `fields` in addition to those of every event."""
        event: dict[str, Any] = {"type": kind}
        if plan.installation_id is not None:
            event["installationId"] = plan.installation_id
        return cls(kind, json.dumps(event | fields, separators=(",", ":"))[1:].encode())

    def fields(self) -> dict[str, Any]:
        """Return all of it but the id."""
        fields: dict[str, Any] = json.loads(b"{" + self.rest)
        return fields

    def written(self, event_id: str) -> bytes:
        """Return the JSON text of the event under an id."""
        return b'{"eventId":"%b",%b' % (event_id.encode(), self.rest)
