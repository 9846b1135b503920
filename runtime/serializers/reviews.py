"""Reviews of change requests."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.reviews import Review
from runtime.serializers import people
from runtime.serializers.comments import comments
from runtime.serializers.view import View
from runtime.store import reviews as stored
from runtime.store.tables.organizations import UserRow
from runtime.store.tables.reviews import ReviewRow


def reviews(view: View, rows: Sequence[ReviewRow], *, markdown: bool = False) -> list[Review]:
    """Show reviews with their comments; as documents, or as Markdown."""
    named = {row.user_id for row in rows} | {row.requested_by for row in rows if row.requested_by is not None}
    users = view.by_id(UserRow, named)
    shown = dict(zip(users, people.users(view, list(users.values())), strict=True))
    written = stored.comments_of(view.session, [row.id for row in rows])
    said = dict(zip(written, comments(view, list(written.values()), markdown=markdown), strict=True))
    outdated = stored.outdated_among(view.session, [row.id for row in rows])
    return [
        Review(
            id=row.id,
            revision=row.revision_id,
            reviewer=shown[row.user_id],
            requested_by=shown[row.requested_by] if row.requested_by is not None else MISSING,
            status=row.status,  # type: ignore[arg-type]
            outdated=row.id in outdated,
            comment=said.get(row.id, MISSING),
            created_at=row.created_at,
            updated_at=row.created_at,
        )
        for row in rows
    ]
