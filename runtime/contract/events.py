"""Every event a script may receive (docs/contract/scripts.md, "Events"), one class each."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import (
    Body,
    GivenMoment,
    JsonObject,
    ListQuery,
    Moment,
    Query,
    SmallJsonObject,
    Text,
    WireModel,
)
from runtime.contract.event_descriptions import Ending
from runtime.contract.installations import Status
from runtime.contract.invocation import LogLevel
from runtime.contract.spaces import ContentVisibility

EventId = Annotated[Text, StringConstraints(min_length=1, max_length=100)]
LongText = Annotated[Text, StringConstraints(max_length=8192)]


class Visitor(Body):
    """Who looked at a page."""

    anonymous_id: LongText
    cookies: dict[str, LongText]
    user_agent: LongText
    ip: LongText
    language: LongText | MISSING = MISSING


class FetchRequest(Body):
    method: Literal["get", "post", "put", "delete"]
    url: LongText
    headers: dict[str, LongText]


class EventUserUrls(Body):
    location: LongText


class EventUser(Body):
    """A person; this host sends scripts no e-mail addresses."""

    object: Literal["user"]
    id: EventId
    display_name: LongText
    email: LongText | MISSING = MISSING
    photo_url: LongText | MISSING = Field(MISSING, alias="photoURL")
    urls: EventUserUrls


class Feedback(Body):
    rating: Literal["bad", "ok", "good"]
    comment: Annotated[Text, StringConstraints(min_length=1, max_length=512)] | MISSING = MISSING


class Previous(Body):
    status: Status
    configuration: JsonObject | MISSING = MISSING


class PreviousConfiguration(Body):
    configuration: JsonObject | MISSING = MISSING


class Event(Body):
    """What all events share. `scope` is the integration scope without which the event is not sent.

    `target` tells which installation the event belongs to, `waits` whether somebody waits for the answer: such events
    are called at once and never repeated. `by_visitors` tells that whoever looks at a site causes it.
    """

    scope: ClassVar[str | None] = None
    target: ClassVar[Literal["integration", "organization", "space", "site", "any"]] = "organization"
    waits: ClassVar[bool] = False
    repeats: ClassVar[bool] = True
    lifecycle: ClassVar[bool] = False
    by_visitors: ClassVar[bool] = False

    installation_id: EventId | MISSING = MISSING
    space_id: EventId | MISSING = MISSING
    site_id: EventId | MISSING = MISSING


class InstallationSetup(Event):
    lifecycle = True
    type: Literal["installation_setup"]
    status: Status
    previous: Previous | MISSING = MISSING


class InstallationDeleted(Event):
    lifecycle = True
    type: Literal["installation_deleted"]
    previous: PreviousConfiguration


class SpaceInstallationSetup(Event):
    lifecycle = True
    target = "space"
    type: Literal["space_installation_setup"]
    status: Status
    previous: Previous | MISSING = MISSING


class SpaceInstallationDeleted(Event):
    lifecycle = True
    target = "space"
    type: Literal["space_installation_deleted"]
    previous: PreviousConfiguration


class SiteInstallationSetup(Event):
    lifecycle = True
    target = "site"
    type: Literal["site_installation_setup"]
    status: Status
    previous: Previous | MISSING = MISSING


class SiteInstallationDeleted(Event):
    lifecycle = True
    target = "site"
    type: Literal["site_installation_deleted"]
    previous: PreviousConfiguration


class SiteView(Event):
    by_visitors = True
    scope = "site:views:read"
    target = "site"
    type: Literal["site_view"]
    site_space_id: EventId | MISSING = MISSING
    page_id: EventId | MISSING = MISSING
    visitor: Visitor
    url: LongText
    referrer: LongText


class PageFeedback(Event):
    by_visitors = True
    scope = "page:feedback:read"
    target = "site"
    type: Literal["page_feedback"]
    page_id: EventId | MISSING = MISSING
    feedback: Feedback
    visitor: Visitor
    url: LongText
    referrer: LongText


class SpaceContentUpdated(Event):
    scope = "space:content:read"
    target = "space"
    type: Literal["space_content_updated"]
    revision_id: EventId
    updated_by: Annotated[list[EventUser], Field(max_length=100)] | MISSING = MISSING


class SpaceGitSyncStarted(Event):
    scope = "space:git:sync"
    target = "space"
    type: Literal["space_gitsync_started"]
    revision_id: EventId
    commit_id: EventId


class SpaceGitSyncCompleted(Event):
    scope = "space:git:sync"
    target = "space"
    type: Literal["space_gitsync_completed"]
    state: Literal["success", "failure"]
    revision_id: EventId
    commit_id: EventId


class SpaceVisibilityUpdated(Event):
    scope = "space:metadata:read"
    target = "space"
    type: Literal["space_visibility_updated"]
    previous_visibility: ContentVisibility
    visibility: ContentVisibility


class Fetch(Event):
    target = "any"
    waits = True
    repeats = False
    type: Literal["fetch"]
    request: FetchRequest


class FetchPublishedScript(Event):
    scope = "site:script:inject"
    target = "site"
    waits = True
    repeats = False
    type: Literal["fetch_published_script"]


class FetchVisitorAuthentication(Event):
    scope = "site:visitor:auth"
    target = "site"
    waits = True
    repeats = False
    type: Literal["fetch_visitor_authentication"]
    location: LongText | MISSING = MISSING
    search_params: dict[str, LongText] | MISSING = MISSING
    cookies: dict[str, LongText] | MISSING = MISSING
    action: Literal["logout"] | MISSING = MISSING


class UiRender(Event):
    target = "any"
    waits = True
    repeats = False
    type: Literal["ui_render"]
    component_id: EventId
    props: JsonObject
    state: JsonObject | MISSING = MISSING
    context: JsonObject
    action: JsonObject | MISSING = MISSING


class ContentComputeRevision(Event):
    target = "space"
    waits = True
    repeats = False
    type: Literal["content_compute_revision"]
    source_id: EventId
    props: JsonObject
    dependencies: JsonObject


class ContentComputeDocument(Event):
    target = "space"
    waits = True
    repeats = False
    type: Literal["content_compute_document"]
    source_id: EventId
    props: JsonObject
    dependencies: JsonObject


class Task(Event):
    target = "integration"
    repeats = False
    type: Literal["task"]
    task: SmallJsonObject


EVENTS: dict[str, type[Event]] = {
    "installation_setup": InstallationSetup,
    "installation_deleted": InstallationDeleted,
    "space_installation_setup": SpaceInstallationSetup,
    "space_installation_deleted": SpaceInstallationDeleted,
    "site_installation_setup": SiteInstallationSetup,
    "site_installation_deleted": SiteInstallationDeleted,
    "site_view": SiteView,
    "page_feedback": PageFeedback,
    "space_content_updated": SpaceContentUpdated,
    "space_gitsync_started": SpaceGitSyncStarted,
    "space_gitsync_completed": SpaceGitSyncCompleted,
    "space_visibility_updated": SpaceVisibilityUpdated,
    "fetch": Fetch,
    "fetch_published_script": FetchPublishedScript,
    "fetch_visitor_authentication": FetchVisitorAuthentication,
    "ui_render": UiRender,
    "content_compute_revision": ContentComputeRevision,
    "content_compute_document": ContentComputeDocument,
    "task": Task,
}
"""Event type -> model; every place that knows events reads this table."""


class TriggerEvent(Body):
    """The body that sends an event by hand (extension, for authors): `event` is the payload without its id.

    `installationId` in it sends it to that installation alone; `*` instead of an id is any that is there. `count`
    repeats what nobody waits for, each time with an id of its own. `body` is what a `fetch` event carries.
    """

    event: dict[str, Any]
    count: Annotated[int, Field(ge=1, le=10_000)] = 1
    body: Annotated[Text, StringConstraints(max_length=1_000_000)] | MISSING = MISSING


class TriggerAnswer(WireModel):
    """A script's answer to an event that somebody waits for; `body` is always text."""

    status: int
    headers: list[tuple[str, str]]
    body: str


class TriggeredEvents(WireModel):
    """The ids of the events that were sent; empty if nothing matched."""

    events: list[str]
    reason: str | MISSING = MISSING
    answer: TriggerAnswer | MISSING = MISSING


class Delivery(WireModel):
    """How far an event has come (extension): `state` is one of pending, claimed, delivered, failed, given-up.

    `ending` says the same for people, with the status of the script's answer in mind: queued, running, retrying,
    success, not-handled, refused, not-found, rejected, busy, timed-out, failed.
    """

    state: Literal["pending", "claimed", "delivered", "failed", "given-up"]
    attempts: int
    ending: str
    next_attempt_at: Moment | MISSING = MISSING
    answer: int | MISSING = MISSING
    duration_ms: float | MISSING = MISSING


class IntegrationEvent(WireModel):
    """One dispatched event (docs/contract/scripts.md, "Event log").

    `withheld` (extension) tells that its payload lacks what belongs to an installation the reader may not read.
    `subject` (extension) says in a few words what it was about, "" where its type says all.
    """

    id: str
    integration_id: str
    installation_id: str | MISSING = MISSING
    created_at: Moment
    subject: str
    payload: dict[str, Any]
    status: Literal["success", "failed"]
    delivery: Delivery
    withheld: bool | MISSING = MISSING


class KeptAnswer(WireModel):
    """What the script answered, without secrets: always for endpoints, else if it refused or failed.

    `body` is present if it was text of at most 64 KB; of other calls than to endpoints, it is cut at 4,000 characters.
    """

    status: int
    headers: list[tuple[str, str]]
    bytes: int
    body: str | MISSING = MISSING


class EventDetail(WireModel):
    """An event with its trace, and the body of its request if that was text of at most 64 KB."""

    event: IntegrationEvent
    trace: dict[str, Any] | MISSING = MISSING
    body: str | MISSING = MISSING
    answer: KeptAnswer | MISSING = MISSING


class EventFilters(Query):
    """Filters of events; all are extensions. `ending` is that of `delivery`, which tells more than `status`."""

    type: Annotated[Text, StringConstraints(max_length=100)] | None = None
    status: Literal["success", "failed"] | None = None
    ending: Ending | None = None
    installation: Annotated[Text, StringConstraints(max_length=100)] | None = None
    since: GivenMoment | None = None


class EventQuery(EventFilters, ListQuery):
    """Parameters of the event list; `queued` includes events that are due later (extension)."""

    queued: bool = False


class EventStreamQuery(EventFilters):
    """Parameters of the live stream of events.

    `level` is the least level of a log line an event must have, `text` what must occur in its type, its logs or its
    fault, `event` the one event wanted. `last` is how many past events come first; without
    `follow` nothing comes after them. `after` is the id of the last event of the stream that was received, from where
    it goes on.
    """

    level: LogLevel | None = None
    text: Annotated[Text, StringConstraints(max_length=200)] | None = None
    event: Annotated[Text, StringConstraints(max_length=100)] | None = None
    last: Annotated[int, Field(ge=0, le=1000)] = 0
    follow: bool = True
    after: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
