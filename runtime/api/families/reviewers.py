"""Requested reviewers of a change request, and people who changed its content."""

from __future__ import annotations

from typing import Any

from runtime.api import crud
from runtime.api.call import Call
from runtime.api.families.change_requests import CHANGE_REQUEST, person_of
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource
from runtime.contract.base import ListOf
from runtime.contract.change_requests import Contributor, RequestedReviewer, RequestedReviewers, RequestReviewers
from runtime.serializers import change_requests as serializers
from runtime.services import change_requests as service
from runtime.store.cursors import newest_first
from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow
from runtime.store.tables.spaces import SpaceRow

REVIEWER = Resource(
    "requested_reviewer",
    RequestedReviewerRow,
    at="requested-reviewers/{userId}",
    within=CHANGE_REQUEST,
    parent_column="change_request_id",
    key="user_id",
    model=RequestedReviewer,
    serialize=serializers.requested_reviewers,
    order=newest_first(RequestedReviewerRow.created_at, RequestedReviewerRow.id),
)

reviewers = Family("Change requests", REVIEWER)

crud.list_of(
    reviewers,
    REVIEWER,
    "getRequestedReviewersByChangeRequestId",
    "List who was asked to review a change request.",
    needs=member("read"),
)


@reviewers.operation(f"POST {REVIEWER.collection}", RequestedReviewers, needs=member("edit"))
def request_reviewers_for_change_request(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, body: RequestReviewers
) -> RequestedReviewers:
    """Ask people to review a change request; a draft becomes open."""
    rows = service.request_reviewers(call.session, space, change_request, person_of(call), body)
    return RequestedReviewers(users=serializers.requested_reviewers(call.view(call.session), rows))


crud.delete(
    reviewers,
    REVIEWER,
    "removeRequestedReviewerFromChangeRequest",
    "Withdraw a request for a review.",
    needs=member("edit"),
)


@reviewers.operation(f"GET {CHANGE_REQUEST.path}/contributors", ListOf[Contributor], needs=member("read"))
def get_contributors_by_change_request_id(call: Call, change_request: ChangeRequestRow) -> Any:
    """List who has changed the content of a change request."""
    shown = serializers.contributors(call.view(call.session), change_request)
    return ListOf[Contributor](items=shown, count=len(shown))
