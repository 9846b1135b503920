"""Reviews of change requests (docs/contract/api.md, "Change requests")."""

from __future__ import annotations

from typing import Literal

from pydantic import MISSING

from runtime.contract.base import Body, ListQuery, Moment, WireModel
from runtime.contract.comments import Comment, CommentBody
from runtime.contract.organizations import User

ReviewStatus = Literal["changes-requested", "approved"]


class ReviewQuery(ListQuery):
    """`outdated` asks for those that were superseded, or for the others; `format` is that of comments."""

    outdated: bool | None = None
    format: Literal["document", "markdown"] | None = None


class SubmitReview(Body):
    """What somebody thinks, with a comment if they have one."""

    status: ReviewStatus
    comment: CommentBody | MISSING = MISSING


class Review(WireModel):
    """A review of a change request as it was at a revision."""

    object: Literal["change-request-review"] = "change-request-review"
    id: str
    revision: str
    reviewer: User
    requested_by: User | MISSING = MISSING
    status: ReviewStatus
    outdated: bool
    comment: Comment | MISSING = MISSING
    created_at: Moment
    updated_at: Moment
