"""The organizations of events, among which scarce resources are divided."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from runtime.store import claims
from runtime.store.claims import Claimed

_KEPT = 50_000


class Owners:
    """The organization of each installation and integration with events; it never changes for either."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def learn(self, session: Session, events: Sequence[Claimed]) -> None:
        """Read the organizations of these events, in one query for those not known yet."""
        unknown = [event for event in events if _key(event) not in self._known]
        if not unknown:
            return
        if len(self._known) > _KEPT:
            self._known = {}
            unknown = list(events)
        self._known |= claims.owners(session, unknown)

    def of(self, event: Claimed) -> str:
        """Return the organization of an event; its integration stands for one whose installation is gone."""
        return self._known.get(_key(event), event.integration_id)


def _key(event: Claimed) -> str:
    return event.installation_id or event.integration_id
