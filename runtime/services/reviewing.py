"""Reviews of change requests: approved, or changes asked for."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.comments import PostComment
from runtime.contract.reviews import SubmitReview
from runtime.services import change_requests, commenting
from runtime.store import change_requests as stored
from runtime.store.tables.change_requests import ChangeRequestRow
from runtime.store.tables.reviews import ReviewRow
from runtime.store.tables.spaces import SpaceRow


def submit(session: Session, space: SpaceRow, row: ChangeRequestRow, user_id: str, body: SubmitReview) -> ReviewRow:
    """Write down what somebody thinks of a change request as it is now; raises BadRequest for one that is closed."""
    change_requests.hold_open(session, space, row)
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
