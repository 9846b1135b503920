"""Changes what a site is made of: sections, groups and spaces come, go and change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.site_structure import (
    AddGroup,
    AddSection,
    AddSiteSpace,
    UpdateGroup,
    UpdateSection,
    UpdateSiteSpace,
)
from runtime.services import site_places
from runtime.services.site_outline import Outline, free_path, parent_of
from runtime.store import searching
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

R = TypeVar("R")
SHORTEST_TITLE = 2


def start(session: Session, site: SiteRow, space_ids: Sequence[str], field: str = "spaces") -> None:
    """Make a new site of spaces, without sections; raises BadRequest for one that is not there."""
    outline = Outline(session, site)
    for place, space_id in enumerate(dict.fromkeys(space_ids)):
        _attach(outline, _space(outline, space_id, f"{field}.{place}"), None)
    outline.save()


def add_section(session: Session, site: SiteRow, body: AddSection) -> SiteSectionRow:
    """Add a section with one space; what a site without sections was made of becomes its first."""
    outline = Outline(session, site)
    space = _space(outline, body.space_id, "spaceId")
    loose = outline.spaces[site.id]
    outline.room_for(sections=2 if loose else 1)
    if loose:
        first = _section(outline, site.title, None)
        outline.spaces[first.id], outline.spaces[site.id] = loose, []
        for part in loose:
            part.section_id = part.holder_id = first.id
            part.default_of = first.id if part.default_of is not None else None
        session.flush()
    title = body.title if isinstance(body.title, str) else space.title
    section = _section(outline, title, body.icon if isinstance(body.icon, str) else None)
    _attach(outline, space, section)
    outline.save()
    return section


def _section(outline: Outline, title: str, icon: str | None) -> SiteSectionRow:
    title = title if len(title) >= SHORTEST_TITLE else "Section"
    path = free_path(title, {section.path for section in outline.sections.values()}, "section")
    section = SiteSectionRow(site_id=outline.site.id, title=title, icon=icon, path=path)
    outline.session.add(section)
    outline.session.flush()
    outline.sections[section.id], outline.spaces[section.id] = section, []
    outline.children[None].append(section)
    return section


def _attach(outline: Outline, space: SpaceRow, section: SiteSectionRow | None) -> SiteSpaceRow:
    outline.room_for(spaces=1)
    if any(part.space_id == space.id for part in outline.all_spaces()):
        raise errors.Conflict("The space is already part of this site.")
    holder = outline.site.id if section is None else section.id
    path = free_path(space.title, {part.path for part in outline.spaces[holder]}, "space")
    part = SiteSpaceRow(site_id=outline.site.id, space_id=space.id, holder_id=holder, path=path)
    part.section_id = None if section is None else section.id
    outline.session.add(part)
    outline.session.flush()
    outline.spaces[holder].append(part)
    return part


def _space(outline: Outline, space_id: str, field: str) -> SpaceRow:
    found = searching.spaces_among(outline.session, outline.site.organization_id, [space_id])
    if not found:
        raise errors.BadRequest("there is no such space in this organization", field=field)
    return found[0]


def update_section(session: Session, site: SiteRow, row: SiteSectionRow, body: UpdateSection) -> SiteSectionRow:
    """Change a section; raises Conflict for a path that is taken, BadRequest for a space that is not in it."""
    outline = Outline(session, site)
    section = _still(outline.sections.get(row.id), "section")
    _move_to_path(section, body.path, outline.sections.values())
    _set(section, body, ("title", "condition", "icon", "description"))
    if body.default_site_space is not MISSING:
        make_default_space(outline, section.id, body.default_site_space)
    outline.save()
    return section


def make_default_space(outline: Outline, holder: str, site_space_id: str) -> None:
    """Make a space the default where it stands; raises BadRequest for one that does not stand there."""
    part = next((part for part in outline.spaces[holder] if part.id == site_space_id), None)
    if part is None:
        where = "this section" if holder in outline.sections else "this site"
        raise errors.BadRequest(f"{where} has no such site space", field="defaultSiteSpace")
    outline.make_default(part)
    site_places.forget_default(outline.session, outline.site, part.id)


def remove_section(session: Session, site: SiteRow, row: SiteSectionRow) -> bool:
    """Remove a section with its spaces; another one becomes the default. Tells whether it was still there."""
    outline = Outline(session, site)
    section = outline.sections.pop(row.id, None)
    if section is None:
        return False
    outline.take(section)
    for part in outline.spaces.pop(section.id):
        session.delete(part)
    session.flush()
    session.delete(section)
    session.flush()
    outline.save()
    return True


def add_group(session: Session, site: SiteRow, body: AddGroup) -> SiteSectionGroupRow:
    """Add a group, at the end of another one or of the site, and move sections into it."""
    outline = Outline(session, site)
    outline.room_for(groups=1)
    ids = [] if body.sections is MISSING else body.sections
    if len(set(ids)) != len(ids):
        raise errors.BadRequest("a section is listed twice", field="sections")
    sections = [outline.section(section_id, f"sections.{place}") for place, section_id in enumerate(ids)]
    parent = None if body.parent is MISSING else body.parent
    if parent is not None and parent not in outline.groups:
        raise errors.BadRequest("this site has no such section group", field="parent")
    group = SiteSectionGroupRow(site_id=site.id, title=body.title, icon=body.icon if body.icon is not MISSING else None)
    session.add(group)
    session.flush()
    outline.groups[group.id], outline.children[group.id] = group, []
    outline.put(group, parent)
    for section in sections:
        outline.put(section, group.id)
    outline.save()
    return group


def update_group(session: Session, site: SiteRow, row: SiteSectionGroupRow, body: UpdateGroup) -> SiteSectionGroupRow:
    """Change a group."""
    outline = Outline(session, site)
    group = _still(outline.groups.get(row.id), "section group")
    _set(group, body, ("title", "icon"))
    session.flush()
    return group


def remove_group(session: Session, site: SiteRow, row: SiteSectionGroupRow) -> bool:
    """Remove a group; what stood in it takes its place. Tells whether it was still there."""
    outline = Outline(session, site)
    group = outline.groups.get(row.id)
    if group is None:
        return False
    parent = group.parent_id
    for child in list(outline.children[group.id]):
        outline.put(child, parent, outline.children[parent].index(group))
    outline.take(group)
    session.flush()
    session.delete(group)
    del outline.groups[group.id], outline.children[group.id]
    session.flush()
    outline.save()
    return True


def add_to_group(session: Session, site: SiteRow, row: SiteSectionGroupRow, section_id: str) -> SiteSectionGroupRow:
    """Move a section to the end of a group; raises Conflict where it is already."""
    outline = Outline(session, site)
    group = _still(outline.groups.get(row.id), "section group")
    section = outline.section(section_id, "sectionId")
    if section.group_id == group.id:
        raise errors.Conflict("The section is already in this group.")
    outline.put(section, group.id)
    outline.save()
    return group


def take_from_group(session: Session, site: SiteRow, row: SiteSectionGroupRow, section_id: str) -> bool:
    """Put a section behind its group; tells whether it was in it."""
    outline = Outline(session, site)
    section, group = outline.sections.get(section_id), outline.groups.get(row.id)
    if section is None or group is None or section.group_id != group.id:
        return False
    parent = parent_of(group)
    outline.put(section, parent, outline.children[parent].index(group) + 1)
    outline.save()
    return True


def add_space(session: Session, site: SiteRow, body: AddSiteSpace) -> SiteSpaceRow:
    """Add a space to a section: the one named, else the default one where the site has sections."""
    outline = Outline(session, site)
    space = _space(outline, body.space_id, "spaceId")
    if body.section_id is not MISSING:
        section: SiteSectionRow | None = outline.section(body.section_id, "sectionId")
    else:
        section = next((one for one in outline.sections.values() if one.default_of is not None), None)
    part = _attach(outline, space, section)
    outline.save()
    return part


def update_space(session: Session, site: SiteRow, row: SiteSpaceRow, body: UpdateSiteSpace) -> SiteSpaceRow:
    """Change a space of a site; raises Conflict for a path or a space that is there already."""
    outline = Outline(session, site)
    part = _still(outline.space(row.id), "site space")
    _move_to_path(part, body.path, outline.spaces[part.holder_id])
    _set(part, body, ("condition",))
    if body.space_id is not MISSING and body.space_id != part.space_id:
        space = _space(outline, body.space_id, "spaceId")
        if any(other.space_id == space.id for other in outline.all_spaces()):
            raise errors.Conflict("The space is already part of this site.")
        part.space_id = space.id
    session.flush()
    return part


def remove_space(session: Session, site: SiteRow, row: SiteSpaceRow) -> bool:
    """Remove a space from a site; raises BadRequest for the last of a section. Tells whether it was still there."""
    outline = Outline(session, site)
    part = outline.space(row.id)
    if part is None:
        return False
    if part.section_id is not None and len(outline.spaces[part.holder_id]) == 1:
        raise errors.BadRequest("This is the last space of its section: delete the section, or add another space first")
    outline.detach(part)
    outline.save()
    return True


def _still(row: R | None, word: str) -> R:
    if row is None:
        raise errors.NotFound(f"The {word} was removed a moment ago.")
    return row


def _move_to_path(row: Any, path: Any, siblings: Any) -> None:
    if path is MISSING:
        return
    if any(other is not row and other.path == path for other in siblings):
        raise errors.Conflict(f"`{path}` is already the path of an item next to it.")
    row.path = path


def _set(row: Any, body: Any, fields: Sequence[str]) -> None:
    for field in fields:
        value = getattr(body, field)
        if value is not MISSING:
            setattr(row, field, value)
