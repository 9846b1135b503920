"""Change requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import MISSING

from runtime.contract.change_requests import ChangeRequest, ChangeRequestUrls, Contributor, RequestedReviewer
from runtime.contract.computing import JsonDocument
from runtime.contract.organizations import User
from runtime.serializers import people
from runtime.serializers.view import View
from runtime.store import comments as commented
from runtime.store.tables.change_requests import ChangeRequestRow, RequestedReviewerRow
from runtime.store.tables.organizations import UserRow
from runtime.store.tables.spaces import SpaceRow


def change_requests(view: View, rows: Sequence[ChangeRequestRow]) -> list[ChangeRequest]:
    """Show change requests, each with who began it."""
    shown = _people(view, {row.user_id for row in rows})
    spaces = view.by_id(SpaceRow, {row.space_id for row in rows})
    comments = commented.open_counts(view.session, [row.id for row in rows])
    return [
        ChangeRequest(
            id=row.id,
            number=row.number,
            status=row.status,  # type: ignore[arg-type]
            subject=row.subject,
            description=_document(row) if row.description is not None else MISSING,
            created_by=shown[row.user_id],
            created_at=row.created_at,
            updated_at=row.updated_at,
            space=row.space_id,
            revision=row.revision_id,
            revision_initial=row.initial_id,
            revision_merged_ancestor=row.merged_ancestor_id or MISSING,
            revision_merged=row.merged_id or MISSING,
            comments=comments.get(row.id, 0),
            outdated=row.status in ("draft", "open") and row.ancestor_id != spaces[row.space_id].revision_id,
            urls=ChangeRequestUrls(
                app=view.at.app("spaces", row.space_id, "change-requests", row.id),
                location=view.at.api("spaces", row.space_id, "change-requests", row.id),
            ),
        )
        for row in rows
    ]


def change_request_alone(view: View, row: ChangeRequestRow) -> ChangeRequest:
    """Show a change request without its description, which may be long: for references, which would repeat it."""
    return change_requests(view, [row])[0].model_copy(update={"description": MISSING})


def _document(row: ChangeRequestRow) -> JsonDocument:
    document = row.description or {}
    return JsonDocument(data=document.get("data", {}), nodes=document.get("nodes", []))


def requested_reviewers(view: View, rows: Sequence[RequestedReviewerRow]) -> list[RequestedReviewer]:
    """Show who was asked to review, and by whom."""
    shown = _people(view, {user_id for row in rows for user_id in (row.user_id, row.requested_by)})
    return [
        RequestedReviewer(
            user=shown[row.user_id],
            requested_by=shown[row.requested_by],
            revision=row.revision_id,
            created_at=row.created_at,
        )
        for row in rows
    ]


def contributors(view: View, row: ChangeRequestRow) -> list[Contributor]:
    """Show who changed the content of a change request, last first."""
    shown = _people(view, row.contributors)
    changed = [(user_id, did) for user_id, did in row.contributors.items() if did["count"]]
    return [
        Contributor(user=shown[user_id], count=did["count"], updated_at=did["updatedAt"])
        for user_id, did in sorted(changed, key=lambda one: str(one[1]["updatedAt"]), reverse=True)
    ]


def _people(view: View, ids: Iterable[str]) -> dict[str, User]:
    users = view.by_id(UserRow, ids)
    return dict(zip(users, people.users(view, list(users.values())), strict=True))
