"""Moves spaces and collections, within an organization and to another one."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.organizations import Role
from runtime.contract.places import Move
from runtime.services import installing, merge_rules, organization_storage, quotas, space_settings
from runtime.services import structure as service
from runtime.services.git import operations
from runtime.services.structure import C
from runtime.store import imports, leaving, rows, structure
from runtime.store.content import sizes
from runtime.store.content_levels import INHERIT
from runtime.store.levels import level_on
from runtime.store.reach import HOST, Reach
from runtime.store.structure import Content
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.git import GitOperationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.spaces import SpaceRow

NOTHING = "It is already there; send another `parent`, or a `position`."
NOTHING_ON_PAGES = "It is already there; choose another place."
RAISES = "This move would give you a higher level on it, or on something in it, than you have."
ON_A_SITE = "The space `{}` is part of a site; remove it from the site first."
LETS_IN = (
    "People with access to that collection would get more access to this item. Ask somebody who has `admin` "
    "on it to move it."
)
GIVEN_AWAY = "The space was transferred to another organization."
NOT_ALL = "This needs the role `{}` on everything inside this collection."


def move(session: Session, reach: Reach, row: C, parent: CollectionRow | None, body: Move) -> C:
    """Put something into another place, or elsewhere in its place; `parent` is where it goes, as it was found.

    Raises Conflict where nothing would change, BadRequest for a place that cannot be, Forbidden where the one who moves
    would gain by it, and NotFound for what was deleted at the same time.
    """
    service.lock_structure(session, row.organization_id)
    row = service.reread(session, row)
    if parent is not None:
        parent = service.reread(session, parent)
    elsewhere = body.parent is not MISSING and body.parent != service.parent_of(row)
    if not elsewhere and body.position is MISSING:
        raise errors.Conflict(NOTHING, on_pages=NOTHING_ON_PAGES)
    before = leaving.levels_inside(session, reach, row)
    if elsewhere:
        if isinstance(row, CollectionRow):
            must_have_all(session, reach, row, "create")
        if level_on(session, reach, row) != "admin":
            _keep_others_out(session, reach, row, parent)
        service.put_inside(session, row, parent)
    if body.position is not MISSING:
        service.put_beside(session, reach, row, body.position, moved=elsewhere)
    else:
        service.put_at_end(session, row)
    if elsewhere and any(before[one] < number for one, number in leaving.levels_inside(session, reach, row).items()):
        raise errors.Forbidden(RAISES)
    if isinstance(row, SpaceRow) and row.collection_id is None and row.visibility == "in-collection":
        space_settings.change_visibility(session, row, "private")
    return row


def _keep_others_out(session: Session, reach: Reach, row: Content, parent: CollectionRow | None) -> None:
    """See that somebody who does not administer something opens it to nobody by moving it; raises Forbidden.

    It takes along the default level it has, and may not go where grants would let in others. Where it has none, so that
    roles hold, it may not go where they do not.
    """
    former = service.parent_of(row)
    folder = session.get(CollectionRow, former) if former is not None else None
    level = folder.effective_level if folder is not None else None
    if level is not None:
        service.keep_closed(row, level)
    elif row.default_level == INHERIT and parent is not None and parent.effective_level is not None:
        raise errors.Forbidden(LETS_IN)
    before = structure.ancestors(session, former) if former is not None else set()
    after = structure.ancestors(session, parent.id) if parent is not None else set()
    if leaving.grants_to_others(session, after - before, reach.user_id):
        raise errors.Forbidden(LETS_IN)


def transfer(session: Session, reach: Reach, row: C, target: OrganizationRow) -> C:
    """Transfer something to another organization, where it goes to the end of the top level.

    Grants on it are forgotten, integrations are removed from it, and imports into it end. Exceptions in its
    own merge rules are dropped, unless the person who transfers it administers the other organization. Raises
    PreconditionFailed while something in it is part of a site, BadRequest if the other organization has no room for
    it, and NotFound if it was transferred or deleted at the same time.
    """
    former = row.organization_id
    service.lock_structure(session, former, target.id, more=installing.ids_in(session, former))
    row = service.reread(session, row)
    spaces, folders = _all_of(session, row)
    alive = [space for space in spaces if space.deleted_at is None]
    if (taken := leaving.first_on_a_site(session, [space.id for space in alive])) is not None:
        raise errors.PreconditionFailed(ON_A_SITE.format(taken))
    if isinstance(row, CollectionRow):
        must_have_all(session, reach, row, "admin")
    quotas.for_spaces(session, target.id, len(alive))
    quotas.for_collections(session, target.id, len(folders))
    organization_storage.enforce(session, target.id, sizes.whole_size_of(session, [space.id for space in alive]))
    _end_work(session, alive)
    installing.uninstall_from(session, alive)
    leaving.forget_grants(session, row)
    _leave(session, row)
    for folder in folders:
        folder.organization_id = target.id
    administers = level_on(session, reach, target) == "admin"
    for space in alive:
        space.organization_id = target.id
        if not administers:
            _submit(space, target)
    detach(session, [space for space in spaces if space.deleted_at is not None])
    session.flush()
    service.put_at_end(session, row)
    installing.content_added(session, *alive)
    return row


def _submit(space: SpaceRow, target: OrganizationRow) -> None:
    """Have the merge rules of an organization hold in a space that comes to it: only administrators make exceptions."""
    space.merge_rules = {"type": "inherit"}
    if merge_rules.any_in(target):
        space.edit_mode = "locked"


def _end_work(session: Session, spaces: list[SpaceRow]) -> None:
    """End imports and synchronizations under way, which people of the organization that gives the spaces away began."""
    known = {space.id: space for space in spaces}
    imports.cancel_in(session, known)
    for operation in rows.every(session, HOST, GitOperationRow, GitOperationRow.space_id.in_(known)):
        operations.failed(session, known[operation.space_id], operation, GIVEN_AWAY)


def detach(session: Session, spaces: Sequence[SpaceRow]) -> None:
    """Take deleted spaces out of collections that go; restored, they are no more open than they were."""
    folders = rows.by_id(session, CollectionRow, {space.collection_id for space in spaces if space.collection_id})
    for space in spaces:
        folder = folders.get(space.collection_id or "")
        if folder is not None:
            service.keep_closed(space, folder.effective_level)
            space.collection_id = None


def must_have_all(session: Session, reach: Reach, row: CollectionRow, role: Role) -> None:
    """Raise Forbidden where somebody has less than a level on something inside of a collection."""
    if not leaving.has_all(session, reach, row, role):
        raise errors.Forbidden(NOT_ALL.format(role))


def _all_of(session: Session, row: Content) -> tuple[list[SpaceRow], list[CollectionRow]]:
    if isinstance(row, SpaceRow):
        return [row], []
    return structure.spaces_inside(session, row.id), structure.subtree(session, row.id)


def _leave(session: Session, row: Content) -> None:
    """Take something out of the collection it is in; it stays as closed as it was."""
    parent_id = service.parent_of(row)
    parent = session.get(CollectionRow, parent_id) if parent_id is not None else None
    if parent is not None:
        service.keep_closed(row, parent.effective_level)
    service.put_inside(session, row, None)
    if isinstance(row, SpaceRow) and row.visibility == "in-collection":
        row.visibility = "private"
