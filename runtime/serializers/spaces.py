"""Spaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.organizations import Role
from runtime.contract.permissions import SPACE, permissions
from runtime.contract.spaces import Space, SpaceUrls
from runtime.serializers.git import git_sync_state, git_syncs
from runtime.serializers.published_urls import Opened, PublishedAt, shown_places
from runtime.serializers.view import View
from runtime.store import change_requests
from runtime.store import comments as commented
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.git import GitSyncRow
from runtime.store.tables.spaces import SpaceRow


def spaces(view: View, rows: Sequence[SpaceRow], *, opened: Opened | None = None) -> list[Space]:
    """Show spaces, each with what the actor may do in it, and with its address on the site that is `opened`."""
    if not rows:
        return []
    ids = [row.id for row in rows]
    # What people do in a space is not for visitors of its site.
    inside = [] if view.reach.kind == "visitor" else ids
    counts = change_requests.counts(view.session, inside)
    comments = commented.open_counts(view.session, inside)
    syncs = git_syncs(view.session, inside)
    parents = view.seen(CollectionRow, {row.collection_id for row in rows if row.collection_id is not None})
    places = shown_places(view, rows, opened)
    return [
        _space(
            view,
            row,
            level,
            counts.get(row.id, Counter()),
            comments.get(row.id, 0),
            syncs.get(row.id),
            places.get(row.id),
            row.collection_id if row.collection_id in parents else None,
        )
        for row, level in zip(rows, view.levels(rows), strict=True)
    ]


def _space(
    view: View,
    row: SpaceRow,
    level: Role | None,
    counts: Counter[str],
    comments: int,
    sync: GitSyncRow | None,
    place: PublishedAt | None,
    parent: str | None,
) -> Space:
    # Whoever sees a deleted one may restore it, and do nothing else with it.
    here = row.deleted_at is None
    return Space(
        id=row.id,
        title=row.title,
        emoji=row.emoji,
        visibility=row.visibility,  # type: ignore[arg-type]
        created_at=row.created_at,
        updated_at=row.updated_at,
        deleted_at=row.deleted_at or MISSING,
        edit_mode=row.edit_mode,  # type: ignore[arg-type]
        merge_rules=row.merge_rules,
        urls=SpaceUrls(
            location=view.at.api("spaces", row.id),
            app=view.at.space(row.id),
            published=place.url if place is not None else MISSING,
            public=place.url if place is not None and place.public else MISSING,
            icon=row.icon or MISSING,
        ),
        organization=row.organization_id,
        parent=parent or MISSING,
        language=row.language or MISSING,
        git_sync=(git_sync_state(sync) if sync is not None else None) or MISSING,
        revision=row.revision_id,
        default_level=row.default_level,  # type: ignore[arg-type]
        comments=comments,
        change_requests=counts.total(),
        change_requests_open=counts["open"],
        change_requests_draft=counts["draft"],
        # Whoever is shown a space may view it, also visitors, who have no level.
        # Where integrations are installed, the administrators of the organization decide.
        permissions=permissions(SPACE, level if here else None)
        | {"view": here, "installIntegration": here and view.reach.role_in(row.organization_id) == "admin"},
    )
