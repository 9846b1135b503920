"""People."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.contract.organizations import User, UserUrls
from runtime.serializers.view import View
from runtime.store.tables.organizations import UserRow


def users(view: View, rows: Sequence[UserRow]) -> list[User]:
    """Show people; their e-mail addresses are for other people alone, since no scope of a script's covers them."""
    return [
        User(
            id=row.id,
            display_name=row.display_name,
            email=row.email if view.reach.kind == "user" else MISSING,
            photoURL=MISSING,
            urls=UserUrls(location=view.at.api("users", row.id)),
        )
        for row in rows
    ]
