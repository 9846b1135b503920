"""Translation settings."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.permissions import TRANSLATION, permissions
from runtime.contract.translations import TranslationSettings, TranslationUrls
from runtime.serializers.view import View
from runtime.store.tables.translations import TranslationRow


def translations(view: View, rows: Sequence[TranslationRow]) -> list[TranslationSettings]:
    """Show translation settings."""
    return [
        TranslationSettings(
            id=row.id,
            title=row.title,
            languages=row.languages,
            created_at=row.created_at,
            updated_at=row.updated_at,
            permissions=permissions(TRANSLATION, level),
            urls=TranslationUrls(location=view.at.api("orgs", row.organization_id, "translations", row.id)),
        )
        for row, level in zip(rows, view.levels(rows), strict=True)
    ]
