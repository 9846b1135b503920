"""Collections."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.collections import Collection, CollectionUrls
from runtime.contract.permissions import COLLECTION, permissions
from runtime.serializers.view import View
from runtime.store.tables.collections import CollectionRow


def collections(view: View, rows: Sequence[CollectionRow]) -> list[Collection]:
    """Show collections, each with what the actor may do in it."""
    parents = view.seen(CollectionRow, {row.parent_id for row in rows if row.parent_id is not None})
    return [
        Collection(
            id=row.id,
            title=row.title,
            description=MISSING if row.description is None else row.description,
            organization=row.organization_id,
            parent=row.parent_id if row.parent_id is not None and row.parent_id in parents else MISSING,
            default_level=row.default_level,  # type: ignore[arg-type]
            urls=CollectionUrls(location=view.at.api("collections", row.id), app=view.at.app("collections", row.id)),
            # Guests make nothing in an organization, whatever was granted to them.
            permissions=permissions(COLLECTION, level)
            | ({} if view.reach.role_in(row.organization_id) else {"create": False}),
        )
        for row, level in zip(rows, view.levels(rows), strict=True)
    ]
