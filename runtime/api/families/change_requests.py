"""Change requests of spaces, with their content."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import MISSING

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.deferred_answers import DeferredAnswer
from runtime.api.families import content as reading
from runtime.api.families.spaces import SPACE
from runtime.api.operation import FROM_SCRIPTS, Family
from runtime.api.permission import for_visitors, member
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.change_requests import (
    ChangeContent,
    ChangedContent,
    ChangeRequest,
    ChangeRequestQuery,
    Conflict,
    CreateChangeRequest,
    MergeResult,
    UpdateChangeRequest,
    UpdateResult,
)
from runtime.contract.content import (
    ContentQuery,
    LimitQuery,
    PageQuery,
    Pages,
    Revision,
    RevisionReusableContent,
    SemanticChanges,
)
from runtime.contract.organizations import Role
from runtime.contract.pages import Page
from runtime.engines.interpreter_turns import Waiting
from runtime.engines.sandbox import SandboxUnavailable
from runtime.engines.shares import NoneLeft
from runtime.serializers import change_requests as serializers
from runtime.services import change_requests as service
from runtime.services import merge_rules
from runtime.services.editing import documents_of_changes
from runtime.store import change_requests as stored
from runtime.store.cursors import newest_first
from runtime.store.rows import Conditions
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.spaces import SpaceRow

CHANGE_REQUEST = Resource(
    "change_request",
    ChangeRequestRow,
    at="change-requests/{changeRequestId}",
    within=SPACE,
    parent_column="space_id",
    alias="number",
    model=ChangeRequest,
    serialize=serializers.change_requests,
    order=newest_first(ChangeRequestRow.created_at, ChangeRequestRow.id),
)
_log = logging.getLogger(__name__)
SEPARATE_MEMORY = 1536 * 1024 * 1024
SEPARATE_SECONDS = 60.0
CONTENT = f"{CHANGE_REQUEST.path}/content"
EDITORS = member("edit")
READ_CHANGE_REQUEST = for_visitors(member("read"))
MAX_TRIES = 100
"""How often a merge is attempted, since concurrent changes can make it fail."""

change_requests = Family("Change requests", CHANGE_REQUEST)


@change_requests.list(f"GET {CHANGE_REQUEST.collection}", CHANGE_REQUEST, needs=member("read"))
def list_change_requests_for_space(call: Call, space: SpaceRow, query: ChangeRequestQuery) -> Conditions:
    """List the change requests of a space: those that are open, where nothing else is asked for."""
    conditions: list[Any] = [ChangeRequestRow.space_id == space.id, ChangeRequestRow.status == query.status]
    if query.contributor is not None:
        conditions.append(stored.contributed_by(query.contributor))
    if query.creator is not None:
        conditions.append(ChangeRequestRow.user_id == query.creator)
    return conditions


@change_requests.operation(
    f"POST {CHANGE_REQUEST.collection}", CHANGE_REQUEST, needs=member("edit"), status=201, body_optional=True
)
def create_change_request(call: Call, space: SpaceRow, body: CreateChangeRequest) -> ChangeRequestRow:
    """Create a change request from the current content of the space."""
    return service.create(call.session, space, person_of(call), body)


crud.get(change_requests, CHANGE_REQUEST, "getChangeRequestById", "Get a change request.", needs=READ_CHANGE_REQUEST)


@change_requests.operation(f"PATCH {CHANGE_REQUEST.path}", CHANGE_REQUEST, needs=member("edit"))
def update_change_request_by_id(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, body: UpdateChangeRequest
) -> ChangeRequestRow:
    """Change the subject, description or status of a change request."""
    service.update(call.session, space, change_request, body)
    return change_request


@change_requests.operation(
    f"POST {CHANGE_REQUEST.path}/merge", MergeResult, needs=member("review"), own_transaction=True, also=("412",)
)
def merge_change_request(call: Call, space: SpaceRow, change_request: ChangeRequestRow) -> MergeResult:
    """Make a change request the content of its space."""
    revision, conflicts = _together(call, space, change_request, "merge", "review")
    return MergeResult(revision=revision, result="conflicts" if conflicts else "merge", conflicts=conflicts or MISSING)


@change_requests.operation(
    f"POST {CHANGE_REQUEST.path}/update", UpdateResult, needs=member("edit"), own_transaction=True
)
def update_change_request(call: Call, space: SpaceRow, change_request: ChangeRequestRow) -> UpdateResult:
    """Merge the current content of a space into a change request."""
    revision, conflicts = _together(call, space, change_request, "update", "edit")
    return UpdateResult(
        revision=revision, result="conflicts" if conflicts else "update", conflicts=conflicts or MISSING
    )


def _together(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, way: service.Way, role: Role
) -> tuple[str, list[Conflict]]:
    """Merge outside the writing transaction, and repeat while one of the sides changes.

    Raises Conflict if they keep changing; for a merge also BadRequest for a closed change request, and
    PreconditionFailed if the merge rules are not met: asked before the work, to refuse early, and under the lock, where
    it counts.
    """
    began = time.monotonic()
    for _ in range(MAX_TRIES):
        with call.host.database.transaction(writes=False) as session:
            call.opened = session
            row = call.find(ChangeRequestRow, id=change_request.id, space_id=space.id)
            if way == "merge":
                service.check_open(row)
                merge_rules.check(call.view(session), call.find(SpaceRow, id=space.id), row, person_of(call))
            prepared = service.prepare(session, row, way)
        call.reauthenticate_if_slow(began)
        with call.host.database.transaction(writes=True) as session:
            call.opened = session
            within, row = call.find(SpaceRow, id=space.id), call.find(ChangeRequestRow, id=change_request.id)
            call.require(role, within, "this space", session)
            if way == "merge":
                service.hold_open(session, within, row)
                merge_rules.check(call.view(session), within, row, person_of(call))
            outcome = service.finish(session, call.host.addresses, within, row, person_of(call), prepared)
        if outcome is not None:
            call.after.append(call.host.dispatcher.wake)
            return outcome.revision, list(outcome.conflicts)
    raise errors.Conflict("The space changed repeatedly during the merge; try again in a moment.")


@change_requests.operation(
    f"POST {CONTENT}", ChangedContent, needs=member("edit"), max_body_bytes=10 * 1024 * 1024, own_transaction=True
)
def change_content_in_change_request(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, body: ChangeContent
) -> ChangedContent:
    """Change pages, reusable contents and variables in a change request, all or nothing (extension)."""
    began = time.monotonic()
    documents = documents_of_changes(body.changes, lambda *work: _run_separately(call, *work), call.host.folders.lent)
    changes = list(zip(body.changes, documents, strict=True))
    call.reauthenticate_if_slow(began)
    with call.host.database.transaction(writes=True) as session:
        call.opened = session
        within, row = call.find(SpaceRow, id=space.id), call.find(ChangeRequestRow, id=change_request.id)
        call.require("edit", within, "this space", session)
        made_on = None if body.revision is MISSING else body.revision
        revision, added = service.change(session, within, row, person_of(call), changes, made_on)
    return ChangedContent(revision=revision, added=added)


def _run_separately(call: Call, function: Callable[[Path, Any], Any], folder: Path, arguments: Any) -> Any:
    """Run a function in one of the calling organization's slots, and in one of its two turns."""
    capacity, owner = call.host.capacity, call.actor.owner
    try:
        with capacity.calls.place(owner), Waiting(), capacity.readers.turn(owner):
            return call.host.separate_process.run(
                function, folder, arguments, memory=SEPARATE_MEMORY, seconds=SEPARATE_SECONDS
            )
    except NoneLeft:
        raise errors.Unavailable(
            "This organization has too many long texts in progress; try again in a moment."
        ) from None
    except SandboxUnavailable as error:
        _log.error("long Markdown could not be parsed: %s", error)
        raise errors.Unavailable("This host cannot start a process to parse the Markdown; its log says why.") from None


@change_requests.operation(f"GET {CHANGE_REQUEST.path}/changes", SemanticChanges, needs=member("read"))
def get_change_request_changes(call: Call, change_request: ChangeRequestRow, query: LimitQuery) -> SemanticChanges:
    """Get what a change request changes, compared to the revision that it began with or was last updated to."""
    return reading.shown_changes(service.changes(call.session, change_request, call.host.addresses), query.limit)


@change_requests.operation(f"GET {CONTENT}", Revision, needs=READ_CHANGE_REQUEST, also=FROM_SCRIPTS)
def get_revision_of_change_request_by_id(
    call: Call, change_request: ChangeRequestRow, query: ContentQuery
) -> Revision | DeferredAnswer:
    """Get the content of a change request."""
    return reading.shown_revision(call, service.content_of(call.session, change_request), query)


@change_requests.operation(f"GET {CONTENT}/pages", Pages, needs=READ_CHANGE_REQUEST, also=FROM_SCRIPTS)
def list_pages_in_change_request(
    call: Call, change_request: ChangeRequestRow, query: ContentQuery
) -> Pages | DeferredAnswer:
    """List the pages of a change request, as a tree."""
    return reading.shown_pages(call, service.content_of(call.session, change_request), query)


@change_requests.operation(f"GET {CONTENT}/page/{{pageId}}", Page, needs=READ_CHANGE_REQUEST, also=FROM_SCRIPTS)
def get_page_in_change_request_by_id(call: Call, change_request: ChangeRequestRow, query: PageQuery) -> Any:
    """Get a page of a change request."""
    row = service.content_of(call.session, change_request)
    return reading.shown_page(call, row, query, page_id=call.path["pageId"])


@change_requests.operation(f"GET {CONTENT}/path/{{pagePath}}", Page, needs=READ_CHANGE_REQUEST, also=FROM_SCRIPTS)
def get_page_in_change_request_by_path(call: Call, change_request: ChangeRequestRow, query: PageQuery) -> Any:
    """Get the page of a change request that is at a path."""
    row = service.content_of(call.session, change_request)
    return reading.shown_page(call, row, query, path=call.path["pagePath"])


@change_requests.operation(
    f"GET {CONTENT}/reusable-contents/{{reusableContentId}}", RevisionReusableContent, needs=READ_CHANGE_REQUEST
)
def get_reusable_content_in_change_request_by_id(
    call: Call, change_request: ChangeRequestRow, query: ContentQuery
) -> RevisionReusableContent:
    """Get a reusable content of a change request."""
    return reading.shown_reusable_content(call, service.content_of(call.session, change_request), query)


def person_of(call: Call) -> str:
    """Return the id of the caller; these operations admit only people."""
    user_id = call.actor.reach.user_id
    assert user_id is not None
    return user_id
