"""The events of an integration and their results, for administrators of the owning organization."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from flask import Flask, Response

from runtime.api.host import Host
from runtime.contract import errors
from runtime.contract.events import EVENTS
from runtime.web.admin.browser import OperatorVisit, add_page
from runtime.web.admin.forms import NOTHING_REFUSED
from runtime.web.admin.integrations import ONE, installations_in
from runtime.web.admin.paging import Listed, page_of
from runtime.web.admin.places import about_the_form, filters, organization_of, place


def mount_integration_events(app: Flask, host: Host) -> None:
    """Add the pages."""
    add_page(app, host, f"{ONE}/events", _list, "GET")
    add_page(app, host, f"{ONE}/events/<event>", _one, "GET")


def _list(visit: OperatorVisit, organization: str, name: str) -> Response:
    within = organization_of(visit, organization)
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    _, installation = installations_in(visit, organization).get(name, (None, None))
    query = filters("type", "status", "installation", "since")
    events = Listed([], 0, "", "")
    refused = NOTHING_REFUSED
    try:
        sent = {**query, "since": _moment(query["since"])} if "since" in query else query
        sent = sent if "status" in sent else {**sent, "queued": "true"}
        events = page_of(visit, "listIntegrationEvents", {"integrationName": name}, filters=sent)
    except errors.ApiError as error:
        refused = about_the_form(error)
    return visit.page(
        "integration_events",
        refused.status,
        organization=within,
        here="integrations",
        at=place("orgs", organization, "integrations", name),
        integration=integration,
        installation=installation,
        types=sorted(EVENTS),
        events=events,
        query=query,
        problem=refused.message,
    )


def _moment(text: str) -> str:
    """Read the moment that a field gives, which is in UTC; raises BadRequest for what is none."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).isoformat()
    except ValueError:
        raise errors.BadRequest("Since: this is not a date with a time, such as 2026-01-31T12:00.") from None


def _one(visit: OperatorVisit, organization: str, name: str, event: str) -> Response:
    within = organization_of(visit, organization)
    integration = visit.do("getIntegrationByName", {"integrationName": name})
    detail = visit.do("getIntegrationEvent", {"integrationName": name, "eventId": event})
    return visit.page(
        "integration_event",
        organization=within,
        here="integrations",
        at=place("orgs", organization, "integrations", name),
        integration=integration,
        event=detail["event"],
        payload=json.dumps(detail["event"]["payload"], indent=2, ensure_ascii=False),
        trace=detail.get("trace"),
        body=detail.get("body"),
        answer=detail.get("answer"),
    )
