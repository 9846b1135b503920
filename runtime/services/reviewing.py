"""Reviews of change requests: approved, or changes asked for."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.comments import PostComment
from runtime.contract.reviews import SubmitReview
from runtime.services import change_requests, commenting, quotas
from runtime.store import change_requests as stored
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.reviews import ReviewRow
from runtime.store.tables.spaces import SpaceRow

MAX_REVIEWS = 1000
"""Of one change request."""
FULL = "This change request has {most} reviews, which is the maximum; merge or archive it, and continue in another one."


def submit(session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str, body: SubmitReview) -> ReviewRow:
    """Write down what somebody thinks of a change request as it is now.

    Raises BadRequest for one that is closed, and for one that has too many reviews.
    """
    change_requests.hold_open(session, space, row)
    quotas.enforce(session, ReviewRow, MAX_REVIEWS, FULL, change_request_id=row.id)
    asked = stored.reviewers(session, row.id, [user_id]).get(user_id)
    review = ReviewRow(
        change_request_id=row.id,
        user_id=user_id,
        requested_by=asked.requested_by if asked is not None else None,
        revision_id=row.revision_id,
        status=body.status,
    )
    session.add(review)
    session.flush()
    if body.comment is not MISSING:
        comment = commenting.post(session, row, user_id, PostComment(body=body.comment))
        comment.review_id = review.id
        session.flush()
    return review
