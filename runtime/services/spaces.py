"""Makes, copies, deletes and restores spaces."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

from pydantic import MISSING
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.organizations import Role
from runtime.contract.spaces import RESTORABLE_DAYS, CreateSpace
from runtime.services import installing, quotas, sample_content, site_places
from runtime.services import structure as service
from runtime.services.content import begin, copy
from runtime.store import deleted_spaces, rows
from runtime.store.database import now
from runtime.store.reach import HOST, Reach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.grants import GrantRow
from runtime.store.tables.spaces import SpaceRow

RESTORABLE = timedelta(days=RESTORABLE_DAYS)
COPY = " (copy)"
LONGEST = 50


def create(session: Session, organization_id: str, parent: CollectionRow | None, body: CreateSpace) -> SpaceRow:
    """Make a space, at the end of its place; raises BadRequest where there are too many."""
    if parent is not None:
        service.lock_structure(session, organization_id)
        parent = service.reread(session, parent)
    row = SpaceRow(
        organization_id=organization_id,
        collection_id=parent.id if parent is not None else None,
        title=body.title,
        emoji=body.emoji,
        edit_mode=body.edit_mode,
        language=None if body.language is MISSING else body.language,
    )
    quotas.for_spaces(session, organization_id)
    return add(session, row, "empty" if body.template is MISSING else body.template.id)


def add(session: Session, row: SpaceRow, content: SpaceRow | Literal["empty", "sample"] = "empty") -> SpaceRow:
    """Add a space, with nothing in it, with example content, or with the content of another."""
    session.add(row)
    session.flush()
    if isinstance(content, SpaceRow):
        copy(session, content, row)
    elif content == "sample":
        sample_content.begin(session, row)
    else:
        begin(session, row)
    installing.content_added(session, row)
    return row


def duplicate(session: Session, space: SpaceRow) -> SpaceRow:
    """Copy a space into the same place: whoever could see it sees the copy, which is not published.

    Raises BadRequest where there are too many.
    """
    service.lock_structure(session, space.organization_id)
    space = service.reread(session, space)
    row = SpaceRow(
        organization_id=space.organization_id,
        collection_id=space.collection_id,
        title=space.title[: LONGEST - len(COPY)] + COPY,
        emoji=space.emoji,
        icon=space.icon,
        merge_rules=space.merge_rules,
        edit_mode=space.edit_mode,
        language=space.language,
        default_level=space.default_level,
    )
    quotas.for_spaces(session, row.organization_id)
    session.add(row)
    session.flush()
    for grant in rows.every(session, HOST, GrantRow, space_id=space.id):
        whom = {"user_id": grant.user_id, "team_id": grant.team_id, "role": grant.role}
        session.add(GrantRow(organization_id=row.organization_id, space_id=row.id, **whom))
    return add(session, row, space)


def remove(session: Session, space: SpaceRow) -> bool:
    """Delete a space, and uninstall what is installed on it; tells whether it was there."""
    organization_id = space.organization_id
    service.lock_structure(session, organization_id, more=installing.ids_in(session, organization_id))
    try:
        space = service.reread(session, space)
    except errors.NotFound:
        return False
    put_away(session, space)
    return True


def put_away(session: Session, *spaces: SpaceRow) -> None:
    """Mark spaces as deleted and take them off their sites; integrations hear that they are uninstalled there."""
    installing.uninstall_from(session, spaces)
    site_places.leave(session, spaces)
    for space in spaces:
        space.deleted_at = now()
    session.flush()


def restorable(session: Session, reach: Reach, space_id: str) -> tuple[SpaceRow, Role] | None:
    """Find a deleted space that an actor may restore, with their level on it."""
    found = deleted_spaces.find(session, reach, space_id)
    if found is None or found[1] != "admin":
        return None
    moment = found[0].deleted_at
    return found if moment is not None and moment >= now() - RESTORABLE else None


def restorable_in(reach: Reach) -> ColumnElement[bool]:
    """Match the deleted spaces that an actor may restore now."""
    return deleted_spaces.restorable(reach, now() - RESTORABLE)


def restore(session: Session, space: SpaceRow) -> SpaceRow:
    """Bring back a space deleted within the last days; raises Conflict for one that is there, NotFound for a late one.

    It comes back to where it stood, on its sites as well, or to the top of the organization where its collection is
    gone.
    """
    service.lock_structure(session, space.organization_id)
    found = deleted_spaces.reread(session, space)
    if found is None:
        raise errors.NotFound
    if found.deleted_at is None:
        raise errors.Conflict("The space is not deleted.")
    if found.deleted_at < now() - RESTORABLE:
        raise errors.NotFound(f"The space was deleted more than {RESTORABLE_DAYS} days ago.")
    found.deleted_at = None
    if found.collection_id is None and found.visibility == "in-collection":
        found.visibility = "private"
    session.flush()
    site_places.return_to(session, found)
    installing.content_added(session, found)
    return found
