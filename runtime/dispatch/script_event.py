"""What a script is told in one call: the event, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from runtime.dispatch.planning import Plan


@dataclass(frozen=True, slots=True)
class ScriptEvent:
    """An event but for its id, so that what is sent again and again is written as JSON once.

    `rest` is the JSON text that follows the id.
    """

    kind: str
    rest: bytes

    @classmethod
    def of(cls, plan: Plan, kind: str, fields: dict[str, Any]) -> ScriptEvent:
        """Write an event of this kind, with `fields` besides what every event has."""
        event: dict[str, Any] = {"type": kind}
        if plan.installation_id is not None:
            event["installationId"] = plan.installation_id
        return cls(kind, json.dumps(event | fields, separators=(",", ":"))[1:].encode())

    def fields(self) -> dict[str, Any]:
        """Give all of it but the id."""
        fields: dict[str, Any] = json.loads(b"{" + self.rest)
        return fields

    def written(self, event_id: str) -> bytes:
        """Give the JSON text of the event under an id."""
        return b'{"eventId":"%b",%b' % (event_id.encode(), self.rest)
