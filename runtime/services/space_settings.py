"""Changes spaces."""

from __future__ import annotations

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.spaces import NO_EMOJI, ContentVisibility, UpdateSpace
from runtime.dispatch import outbox
from runtime.store import installed
from runtime.store.tables.spaces import SpaceRow


def update(session: Session, space: SpaceRow, body: UpdateSpace) -> None:
    """Change a space.

    Raises BadRequest for a visibility that is for spaces in a collection, where it is in none, and for two pictures.
    """
    if body.visibility == "in-collection" and space.collection_id is None:
        raise errors.BadRequest("`in-collection` is for spaces in a collection", field="visibility")
    for field in ("title", "edit_mode", "default_level", "language"):
        value = getattr(body, field)
        if value is not MISSING:
            setattr(space, field, value)
    if body.merge_rules is not MISSING:
        space.merge_rules = body.merge_rules.model_dump(mode="json", by_alias=True)
    _picture(space, body)
    session.flush()
    if body.visibility is not MISSING:
        change_visibility(session, space, body.visibility)


def _picture(space: SpaceRow, body: UpdateSpace) -> None:
    emoji, icon = (None if sent is MISSING else sent for sent in (body.emoji, body.icon))
    if emoji and icon:
        raise errors.BadRequest("a space has an emoji or an icon; send one of them", field="icon")
    if body.emoji is not MISSING or icon:
        space.emoji = emoji or NO_EMOJI
    if body.icon is not MISSING or emoji:
        space.icon = icon


def change_visibility(session: Session, space: SpaceRow, visibility: ContentVisibility) -> None:
    """Show a space to others; integrations that read its metadata hear of it."""
    previous, space.visibility = space.visibility, visibility
    session.flush()
    if visibility != previous:
        candidates = installed.in_organization(session, space.organization_id, place=space.id)
        fields = {"previousVisibility": previous, "visibility": visibility}
        outbox.emit(session, "space_visibility_updated", candidates, fields, space_id=space.id)
