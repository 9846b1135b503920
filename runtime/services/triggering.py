"""Sends events by hand, for authors: the same matching and the same outbox as real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.events import EVENTS, TriggerEvent
from runtime.dispatch import outbox
from runtime.store import installed
from runtime.store.installed import Installed
from runtime.store.tables.integrations import IntegrationRow

PLACES = ("installationId", "spaceId", "siteId", "eventId")


def trigger(session: Session, integration: IntegrationRow, body: TriggerEvent) -> tuple[list[str], str | None]:
    """Commit an event for the owner's installations; returns the ids, and the reason where nothing matched.

    Raises BadRequest for an unknown type or a payload that is not of the type.
    """
    kind = body.event.get("type")
    model = EVENTS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise errors.BadRequest(f"event.type: one of {', '.join(EVENTS)}")
    if model.waits:
        raise errors.BadRequest(
            f"event.type: `{kind}` is answered while somebody waits; send the request it comes from"
        )
    try:
        model.model_validate(body.event)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(["event", *map(str, first["loc"])])
        raise errors.BadRequest(f"{where}: {first['msg']}") from None
    fields = {key: value for key, value in body.event.items() if key not in (*PLACES, "type")}
    if kind == "task":
        return [outbox.emit_task(session, integration.id, body.event["task"], 0) for _ in range(body.count)], None
    return _emit(session, integration, str(kind), fields, body)


def _emit(
    session: Session, integration: IntegrationRow, kind: str, fields: dict[str, Any], body: TriggerEvent
) -> tuple[list[str], str | None]:
    candidates = installed.in_organization(session, integration.organization_id, integration.id)
    place = {key: body.event.get(wire) for key, wire in (("space_id", "spaceId"), ("site_id", "siteId"))}
    target = EVENTS[kind].target
    if target in ("space", "site") and not place[f"{target}_id"]:
        place[f"{target}_id"] = _any_part(candidates, target)
    return outbox.emit(
        session,
        kind,
        candidates,
        fields,
        space_id=place["space_id"],
        site_id=place["site_id"],
        count=body.count,
    )


def _any_part(candidates: Sequence[Installed], target: str) -> str | None:
    """Choose a space or site the integration is installed on, where the author named none; raises BadRequest."""
    for one in candidates:
        parts = one.spaces if target == "space" else one.sites
        if parts:
            return next(iter(parts))
    if not candidates:
        return None
    raise errors.BadRequest(f"event.{target}Id: the integration is not installed on any {target}; name one")
