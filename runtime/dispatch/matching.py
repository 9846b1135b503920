"""Which installations an event is for: pure decisions."""

from __future__ import annotations

from collections.abc import Iterable

from runtime.contract.events import Event
from runtime.store.installed import Installed


def matching(
    event: type[Event], candidates: Iterable[Installed], *, space_id: str | None, site_id: str | None
) -> list[Installed]:
    """Return the installations that have the event's scope, cover its space or site, and are active on all levels."""
    return [
        candidate for candidate in candidates if why_not(event, candidate, space_id=space_id, site_id=site_id) is None
    ]


def why_not(event: type[Event], candidate: Installed, *, space_id: str | None, site_id: str | None) -> str | None:
    """Return why an installation does not get an event, or None when it does."""
    if event.scope is not None and event.scope not in candidate.scopes:
        return f"the integration does not ask for the scope `{event.scope}`"
    if event.lifecycle:
        return None
    if candidate.status != "active":
        return f"the installation is {candidate.status}"
    if event.target == "space":
        return _covered("space", candidate.space_selection, candidate.spaces, space_id)
    if event.target == "site":
        return _covered("site", candidate.site_selection, candidate.sites, site_id)
    return None


def _covered(kind: str, selection: str, parts: dict[str, str], part_id: str | None) -> str | None:
    status = parts.get(part_id or "", "active" if selection == "all" else None)
    if status is None:
        return f"the integration is not installed on this {kind}"
    return None if status == "active" else f"the installation on this {kind} is {status}"
