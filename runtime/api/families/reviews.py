"""Reviews of change requests."""

from __future__ import annotations

from functools import partial
from typing import Any

from runtime.api.call import Call
from runtime.api.families.change_requests import CHANGE_REQUEST, person_of
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.api.resource import Resource, RowsOf
from runtime.contract.reviews import Review, ReviewQuery, SubmitReview
from runtime.serializers import reviews as serializers
from runtime.services import reviewing
from runtime.store import reviews as stored
from runtime.store.cursors import newest_first
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.reviews import ReviewRow
from runtime.store.tables.spaces import SpaceRow

REVIEW = Resource(
    "review",
    ReviewRow,
    at="reviews/{reviewId}",
    within=CHANGE_REQUEST,
    parent_column="change_request_id",
    model=Review,
    serialize=serializers.reviews,
    order=newest_first(ReviewRow.created_at, ReviewRow.id),
    beside=stored.length_of_comments(),
)

reviews = Family("Change requests", REVIEW)


@reviews.list(f"GET {REVIEW.collection}", REVIEW, needs=member("read"))
def get_reviews_by_change_request_id(call: Call, change_request: ChangeRequestRow, query: ReviewQuery) -> RowsOf:
    """List the reviews of a change request."""
    conditions: list[Any] = [ReviewRow.change_request_id == change_request.id]
    if query.outdated is not None:
        conditions.append(ReviewRow.outdated() if query.outdated else ~ReviewRow.outdated())
    show = partial(serializers.reviews, markdown=query.format == "markdown")
    return RowsOf(REVIEW.shown_as(Review, show), conditions)


@reviews.operation(f"POST {REVIEW.collection}", REVIEW, needs=member("review"), status=201)
def submit_change_request_review(
    call: Call, space: SpaceRow, change_request: ChangeRequestRow, body: SubmitReview
) -> ReviewRow:
    """Approve a change request, or ask for changes."""
    review = reviewing.submit(call.session, space, change_request, person_of(call), body)
    place = ("spaces", space.id, "change-requests", change_request.id, "reviews", review.id)
    call.location = call.host.addresses.api(*place)
    return review
