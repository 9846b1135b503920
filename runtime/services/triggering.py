"""Sends events by hand, for authors: the same matching, the same outbox and the same calls as real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.base import small
from runtime.contract.events import EVENTS, TriggerAnswer, TriggeredEvents, TriggerEvent
from runtime.contract.identifiers import new_id
from runtime.contract.rendering import RenderIntegration
from runtime.contract.validation import bad_request
from runtime.dispatch import outbox
from runtime.dispatch.deliveries import Plans, level_of
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.matching import matching, why_not
from runtime.dispatch.planning import Level
from runtime.services import event_room
from runtime.services.rendering import body_of
from runtime.store import installed, rows
from runtime.store.database import Database
from runtime.store.installed import Installed
from runtime.store.rows import HOST
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

PLACES = ("installationId", "spaceId", "siteId", "eventId")
MAX_TOGETHER = 16 << 20
"""Bytes of the copies of an event that are sent at once: they are written together, while others wait."""
TOO_MUCH = (
    "{copies:,} copies of an event of {size:,} bytes are too much at once; at most {most} MB are sent at once. "
    "Send a smaller `count` or event, or name one installation."
)
ANY = "*"
"""In place of an id: any installation of the owner's, any space or site it is installed on."""

CONTEXT_IDS = {
    "document": ("spaceId",),
    "configuration_account": ("organizationId",),
    "configuration_space": ("spaceId",),
    "configuration_site": ("siteId",),
    "configuration_contentsource": ("organizationId",),
}
"""Type of a render's context -> the ids it must have; those an author leaves out are filled in."""


def kind_of(body: TriggerEvent) -> str:
    """Return the type of an event; raises BadRequest for an unknown one, or a payload that is not of the type."""
    kind = body.event.get("type")
    model = EVENTS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise errors.BadRequest(f"one of {', '.join(EVENTS)}", field="event.type")
    try:
        model.model_validate(body.event)
    except ValidationError as error:
        raise bad_request(error, of=body.event, within="event") from None
    return str(kind)


def trigger(
    session: Session, integration: IntegrationRow, kind: str, body: TriggerEvent, candidates: Sequence[Installed]
) -> tuple[list[str], str | None]:
    """Commit an event for those of the owner's installations that it matches.

    Returns the ids, and the reason where nothing matched; raises BadRequest where one is named that is not there, or
    all copies together are too much, and TooManyRequests where too many wait already.
    """
    try:
        small(body.event)  # it waits as a row, and very many may wait
    except ValueError as large:
        raise errors.BadRequest(str(large), field="event") from None
    size = len(outbox.encoded(body.event))
    if kind == "task":
        _not_too_much(size, body.count)
        made = queue_tasks(session, integration, body.event["task"], count=body.count)
        return [str(row["id"]) for row in made], None
    candidates = _named(candidates, body)
    space_id, site_id = _place(session, integration, kind, body, candidates)
    chosen = matching(EVENTS[kind], candidates, space_id=space_id, site_id=site_id)
    copies = body.count * len(chosen)
    _not_too_much(size, copies)
    event_room.enforce(session, integration, copies, copies * size)
    return outbox.emit(
        session, kind, candidates, _fields(body), space_id=space_id, site_id=site_id, count=body.count, has_room=True
    )


def _not_too_much(size: int, copies: int) -> None:
    if copies > 1 and copies * size > MAX_TOGETHER:
        raise errors.BadRequest(TOO_MUCH.format(copies=copies, size=size, most=MAX_TOGETHER >> 20))


def queue_tasks(
    session: Session, integration: IntegrationRow, task: dict[str, Any], *, count: int = 1, delay: float = 0
) -> list[dict[str, Any]]:
    """Queue copies of a task that are due in `delay` seconds; returns their rows.

    Raises TooManyRequests where too many wait.
    """
    made = [outbox.task_row(integration.id, task, delay) for _ in range(count)]
    event_room.enforce(session, integration, count, sum(row["size"] for row in made))
    outbox.add(session, made)
    return made


class EventCaller:
    """Calls scripts with events that somebody waits for."""

    def __init__(self, database: Database, plans: Plans, invoker: Invoker) -> None:
        self._database, self._plans, self._invoker = database, plans, invoker

    def call(self, integration: IntegrationRow, kind: str, body: TriggerEvent) -> TriggeredEvents:
        """Call the script for the first installation that matches, and give its answer or why there was none.

        A `fetch` without an installation is for the integration's own endpoint; its `url` may be relative to that.
        """
        with self._database.transaction(writes=False) as session:
            level, fields, reason = _level(session, integration, kind, body)
        if level is None:
            return TriggeredEvents(events=[], reason=reason)
        space = level.space.space_id if level.space else None
        site = level.site.site_id if level.site else None
        installation = level.installation.id if level.installation else None

        def find(session: Session) -> Level | None:
            return level_of(session, integration.id, installation, space, site)

        plan = self._plans.get((integration.id, installation, space, site), self._database.basis(), find)
        if plan is None:
            return TriggeredEvents(events=[], reason="the integration was uninstalled meanwhile")
        content = body.body.encode() if isinstance(body.body, str) and body.body else None
        event_id = new_id()
        organization = level.installation.organization_id if level.installation else None
        complete = _complete(kind, fields, plan.endpoint, organization)
        outcome = self._invoker.call(plan, kind, complete, content, event_id, source="people")
        answer_body = outcome.failure.message.encode() if outcome.failure else body_of(outcome.body)
        answer = TriggerAnswer(
            status=outcome.status, headers=outcome.headers, body=answer_body.decode(errors="replace")
        )
        return TriggeredEvents(events=[event_id], answer=answer)


def _level(
    session: Session, integration: IntegrationRow, kind: str, body: TriggerEvent
) -> tuple[Level | None, dict[str, Any], str]:
    fields = _fields(body)
    if kind == "fetch" and "installationId" not in body.event:
        return level_of(session, integration.id, None, None, None), fields, ""
    found = installed.in_organization(session, integration.organization_id, integration.id)
    candidates = _named(found, body)
    space_id, site_id = _place(session, integration, kind, body, candidates)
    place = {"spaceId": space_id} if space_id else {}
    place |= {"siteId": site_id} if site_id else {}
    chosen = matching(EVENTS[kind], candidates, space_id=space_id, site_id=site_id)
    if not chosen:
        reasons = [why_not(EVENTS[kind], candidate, space_id=space_id, site_id=site_id) for candidate in candidates]
        return None, fields, str(reasons[-1] if reasons else "there is no installation that could receive it")
    level = level_of(session, integration.id, chosen[0].installation_id, space_id, site_id)
    return level, {**place, **fields}, "the integration was uninstalled meanwhile"


def _complete(kind: str, fields: dict[str, Any], endpoint: str, organization: str | None) -> dict[str, Any]:
    """Fill in what only the host knows: where an endpoint is, and whose context a render has; raises BadRequest."""
    if kind == "fetch" and fields["request"]["url"].startswith(("/", "?")):
        return {**fields, "request": {**fields["request"], "url": endpoint + fields["request"]["url"]}}
    if kind != "ui_render":
        return fields
    context = fields["context"]
    ids = {"organizationId": organization, "spaceId": fields.get("spaceId"), "siteId": fields.get("siteId")}
    keys = CONTEXT_IDS.get(str(context.get("type")), ())
    filled = {**{key: ids[key] for key in keys if ids[key]}, **context}
    whole = {**fields, "context": filled}
    try:
        render = RenderIntegration.model_validate(whole)
    except ValidationError as error:
        raise bad_request(error, of=whole, within="event") from None
    return {**fields, **render.model_dump(by_alias=True)}


def _fields(body: TriggerEvent) -> dict[str, Any]:
    return {key: value for key, value in body.event.items() if key not in (*PLACES, "type")}


def _named(candidates: Sequence[Installed], body: TriggerEvent) -> Sequence[Installed]:
    installation_id = body.event.get("installationId")
    if installation_id is None or installation_id == ANY:
        return candidates
    chosen = [candidate for candidate in candidates if candidate.installation_id == installation_id]
    if not chosen:
        raise errors.BadRequest(
            "the owner has no such installation; leave it out to send to all of the owner's",
            field="event.installationId",
        )
    return chosen


def _place(
    session: Session, integration: IntegrationRow, kind: str, body: TriggerEvent, candidates: Sequence[Installed]
) -> tuple[str | None, str | None]:
    """Return the space and the site an event is for, chosen where its type needs one and the author named none."""
    space_id, site_id = body.event.get("spaceId"), body.event.get("siteId")
    target = EVENTS[kind].target
    if kind == "ui_render":
        context = body.event["context"]
        space_id, site_id = space_id or _text(context, "spaceId"), site_id or _text(context, "siteId")
        keys = CONTEXT_IDS.get(str(context.get("type")), ())
        target = "space" if "spaceId" in keys else "site" if "siteId" in keys else target
    if space_id == ANY or (target == "space" and not space_id):
        space_id = _any_part(session, integration, candidates, "space")
    if site_id == ANY or (target == "site" and not site_id):
        site_id = _any_part(session, integration, candidates, "site")
    return space_id, site_id


def _text(context: dict[str, Any], key: str) -> str | None:
    """Read a text of a context, which may hold anything; raises BadRequest for anything else."""
    value = context.get(key)
    if value is not None and (not isinstance(value, str) or not 0 < len(value) <= 100 or "\x00" in value):
        raise errors.BadRequest("must be an id", field=f"event.context.{key}")
    return value


def _any_part(
    session: Session, integration: IntegrationRow, candidates: Sequence[Installed], target: str
) -> str | None:
    """Choose a space or site the integration is installed on, where the author named none; raises BadRequest."""
    for candidate in candidates:
        parts = candidate.spaces if target == "space" else candidate.sites
        if parts:
            return next(iter(parts))
        if (candidate.space_selection if target == "space" else candidate.site_selection) == "all":
            table: type[SpaceRow] | type[SiteRow] = SpaceRow if target == "space" else SiteRow
            contents = rows.every(session, HOST, table, organization_id=integration.organization_id, deleted_at=None)
            if contents:
                return contents[0].id
    if not candidates:
        return None
    raise errors.BadRequest(f"the integration is not installed on any {target}; name one", field=f"event.{target}Id")
