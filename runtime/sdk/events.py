"""The events that a script can receive, typed (docs/contract/scripts.md, "Events")."""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypedDict

BackgroundEvent = Literal[
    "installation_setup",
    "installation_deleted",
    "space_installation_setup",
    "space_installation_deleted",
    "site_installation_setup",
    "site_installation_deleted",
    "site_view",
    "space_content_updated",
    "space_gitsync_completed",
    "space_gitsync_started",
    "space_visibility_updated",
    "page_feedback",
]

# Written out again, because asking a Literal for its members costs more than this line; a test compares the two.
BACKGROUND_EVENTS: Final[tuple[BackgroundEvent, ...]] = (
    "installation_setup",
    "installation_deleted",
    "space_installation_setup",
    "space_installation_deleted",
    "site_installation_setup",
    "site_installation_deleted",
    "site_view",
    "space_content_updated",
    "space_gitsync_completed",
    "space_gitsync_started",
    "space_visibility_updated",
    "page_feedback",
)

# Events with an answer of their own, and the decorator that registers their handler.
ANSWERED_EVENTS: Final[dict[str, str]] = {
    "ui_render": '@integration.component("id")',
    "fetch": '@integration.fetch("GET", "/path")',
    "fetch_published_script": "@integration.published_script",
    "fetch_visitor_authentication": "@integration.visitor_authentication",
    "content_compute_revision": '@integration.content_source("id").revision',
    "content_compute_document": '@integration.content_source("id").document',
    "task": "@integration.task",
}

InstallationStatus = Literal["active", "pending", "paused"]
SpaceVisibility = Literal["public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"]


class Previous(TypedDict):
    """An installation before its change."""

    status: NotRequired[InstallationStatus]
    configuration: NotRequired[dict[str, Any]]


class Visitor(TypedDict):
    """A visitor of a published site; `cookies` has the consent as `__gitbook_cookie_granted`."""

    anonymousId: str
    cookies: dict[str, str]
    userAgent: str
    ip: str
    language: NotRequired[str]


class UserUrls(TypedDict):
    """`location` is the address in the API."""

    location: str


class User(TypedDict):
    """A person, without an e-mail address."""

    object: Literal["user"]
    id: str
    displayName: str
    urls: UserUrls


class Feedback(TypedDict):
    """A visitor's rating of a page."""

    rating: Literal["bad", "ok", "good"]
    comment: NotRequired[str]


class Event(TypedDict):
    """Fields of every event."""

    eventId: str
    type: str


class InstallationEvent(Event):
    """An event for one installation."""

    installationId: str


class SpaceEvent(InstallationEvent):
    """An event of a space the integration is installed on."""

    spaceId: str


class SiteEvent(InstallationEvent):
    """An event of a site the integration is installed on."""

    siteId: str


class InstallationSetup(InstallationEvent):
    """Installed on an organization, or its status or configuration changed: then with `previous`."""

    status: InstallationStatus
    previous: NotRequired[Previous]


class InstallationDeleted(InstallationEvent):
    """Uninstalled from an organization."""

    previous: Previous


class SpaceInstallationSetup(SpaceEvent):
    """Installed on a space, or its status or configuration changed: then with `previous`."""

    status: InstallationStatus
    previous: NotRequired[Previous]


class SpaceInstallationDeleted(SpaceEvent):
    """Uninstalled from a space."""

    previous: Previous


class SiteInstallationSetup(SiteEvent):
    """Installed on a site, or its status or configuration changed: then with `previous`."""

    status: InstallationStatus
    previous: NotRequired[Previous]


class SiteInstallationDeleted(SiteEvent):
    """Uninstalled from a site."""

    previous: Previous


class SiteView(SiteEvent):
    """A page of a published site was viewed."""

    siteSpaceId: NotRequired[str]
    pageId: NotRequired[str]
    visitor: Visitor
    url: str
    referrer: str


class PageFeedback(SiteEvent):
    """A visitor rated a page."""

    pageId: NotRequired[str]
    feedback: Feedback
    visitor: Visitor
    url: str
    referrer: str


class SpaceContentUpdated(SpaceEvent):
    """A space has a new current revision; `updatedBy` is missing where nobody is known to have made it."""

    revisionId: str
    updatedBy: NotRequired[list[User]]


class SpaceGitSyncStarted(SpaceEvent):
    """A git import or export began."""

    revisionId: str
    commitId: str


class SpaceGitSyncCompleted(SpaceGitSyncStarted):
    """A git import or export ended."""

    state: Literal["success", "failure"]


class SpaceVisibilityUpdated(SpaceEvent):
    """The visibility of a space changed."""

    previousVisibility: SpaceVisibility
    visibility: SpaceVisibility


class VisitorAuthentication(SiteEvent):
    """A visitor without a session opened a site whose visitor authentication is this integration."""

    location: NotRequired[str]
    searchParams: NotRequired[dict[str, str]]
    cookies: NotRequired[dict[str, str]]
    action: NotRequired[Literal["logout"]]


class ContentCompute(Event):
    """The platform needs content of one of the integration's content sources."""

    sourceId: str
    props: dict[str, Any]
    dependencies: dict[str, Any]
