"""Makes a revision the current one of its space, and notifies integrations."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.dispatch import outbox
from runtime.serializers.people import users
from runtime.serializers.view import View
from runtime.store import installed
from runtime.store.database import now
from runtime.store.reach import HOST
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.organizations import UserRow
from runtime.store.tables.spaces import SpaceRow


def set_current_revision(session: Session, at: Addresses, space: SpaceRow, revision: RevisionRow) -> None:
    """Make a revision the current one of its space; the space's lock is held."""
    space.previous_id, space.revised_at = space.revision_id, now()
    space.revision_id = revision.id
    session.flush()
    candidates = installed.in_organization(session, space.organization_id, place=space.id)
    if not candidates:
        return
    fields = {"revisionId": revision.id, **_updated_by(View(session, at, HOST), revision)}
    outbox.emit(session, "space_content_updated", candidates, fields, space_id=space.id)


def _updated_by(view: View, revision: RevisionRow) -> dict[str, Any]:
    """Return who made a revision as scripts see people; nothing where that is not known."""
    people = view.by_id(UserRow, [revision.user_id]) if revision.user_id is not None else {}
    shown = [one.model_dump(mode="json", by_alias=True) for one in users(view, list(people.values()))]
    return {"updatedBy": shown} if shown else {}
