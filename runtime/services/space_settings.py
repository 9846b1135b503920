"""Changes spaces."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.spaces import NO_EMOJI, UpdateSpace
from runtime.dispatch import outbox
from runtime.store import installed
from runtime.store.tables.spaces import SpaceRow


def update(session: Session, space: SpaceRow, body: UpdateSpace) -> None:
    """Change a space; integrations that read its metadata hear of a change of visibility."""
    previous = space.visibility
    for field in ("title", "edit_mode", "default_level", "language", "visibility"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(space, field, value)
    if body.emoji is not MISSING:
        space.emoji = body.emoji or NO_EMOJI
    session.flush()
    if space.visibility != previous:
        candidates = installed.in_organization(session, space.organization_id)
        fields = {"previousVisibility": previous, "visibility": space.visibility}
        outbox.emit(session, "space_visibility_updated", candidates, fields, space_id=space.id)
