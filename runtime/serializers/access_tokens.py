"""Personal tokens."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.contract.organizations import PersonalToken
from runtime.serializers.view import View
from runtime.store.tables.organizations import TokenRow


def personal_tokens(view: View, rows: Sequence[TokenRow]) -> list[PersonalToken]:
    """Show tokens without what they are."""
    return [
        PersonalToken(
            id=row.id,
            title=row.title,
            created_at=row.created_at,
            expires_at=row.expires_at,
            current=row.id == view.reach.token_id,
        )
        for row in rows
    ]
