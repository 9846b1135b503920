"""Imports of content."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.addresses import shown_address
from runtime.contract.importing import Import
from runtime.serializers.view import View
from runtime.store.tables.imports import ImportRow


def imports(view: View, rows: Sequence[ImportRow]) -> list[Import]:
    """Show imports."""
    return [
        Import.model_validate(
            {
                "id": row.id,
                "space": row.space_id,
                "source": row.source,
                "status": row.status,
                "url": shown_address(row.url) if row.url else MISSING,
                "page": row.page_id or MISSING,
                "change_request": row.change_request_id or MISSING,
                "imported_resources": row.imported,
                "total_resources": row.total,
                "problems": row.problems,
                "revision": row.revision_id if row.status == "completed" else MISSING,
                "error": row.error or MISSING,
                "created_at": row.created_at,
                "finished_at": row.finished_at or MISSING,
            }
        )
        for row in rows
    ]
