"""Structure of sites: spaces, sections, groups of sections, and their order."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.sites import SITE, require_create_on, require_create_to_open
from runtime.api.operation import Family
from runtime.api.permission import for_visitors, member, scoped
from runtime.api.resource import Resource, RowsOf
from runtime.contract.base import ListQuery
from runtime.contract.conditions import ConditionEvaluator
from runtime.contract.site_structure import (
    AddGroup,
    AddSection,
    AddSectionToGroup,
    AddSiteSpace,
    MoveGroup,
    MoveSection,
    MoveSiteSpace,
    ShareKeyListQuery,
    ShareKeyQuery,
    SiteSection,
    SiteSectionGroup,
    SiteSpace,
    SiteSpaceQuery,
    SiteStructure,
    SiteStructureItem,
    SortStructure,
    UpdateGroup,
    UpdateSection,
    UpdateSiteSpace,
)
from runtime.serializers import site_structure as serializers
from runtime.services import published_places, sharing, site_sorting
from runtime.services import site_structure as service
from runtime.store import site_structure
from runtime.store.cursors import Order
from runtime.store.rows import Conditions
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow

SITE_SPACE = Resource(
    "site_space",
    SiteSpaceRow,
    at="site-spaces/{siteSpaceId}",
    within=SITE,
    parent_column="site_id",
    model=SiteSpace,
    serialize=serializers.site_spaces,
    order=(Order(SiteSpaceRow.position), Order(SiteSpaceRow.id)),
)
SECTION = Resource(
    "section",
    SiteSectionRow,
    at="sections/{siteSectionId}",
    within=SITE,
    parent_column="site_id",
    model=SiteSection,
    serialize=serializers.sections,
    order=(Order(SiteSectionRow.position), Order(SiteSectionRow.id)),
)
GROUP = Resource(
    "section_group",
    SiteSectionGroupRow,
    at="section-groups/{siteSectionGroupId}",
    within=SITE,
    parent_column="site_id",
    model=SiteSectionGroup,
    serialize=serializers.groups,
    order=(Order(SiteSectionGroupRow.position), Order(SiteSectionGroupRow.id)),
)

P = TypeVar("P", SiteSpaceRow, SiteSectionRow, SiteSectionGroupRow)
site_parts = Family("Site structure", SITE_SPACE, SECTION, GROUP)
READERS = scoped(member("read"), "site:metadata:read")
EDITORS = member("create")


def _made(call: Call, site: SiteRow, place: str, row: P) -> P:
    """Set the `Location` of a created item: its own `urls` have only the published address."""
    call.location = call.host.addresses.api("orgs", site.organization_id, "sites", site.id, place, row.id)
    return row


def _gone(call: Call, gone: bool) -> None:
    if not gone:
        call.status = 204


@site_parts.list(f"GET {SITE_SPACE.collection}", SITE_SPACE, needs=READERS)
def list_site_spaces(call: Call, site: SiteRow, query: SiteSpaceQuery) -> RowsOf:
    """List the spaces of a site."""
    key = sharing.key_that_opens(call.session, site, query.share_key)
    shown = SITE_SPACE.shown_as(SiteSpace, partial(serializers.site_spaces, share_key=key))
    return RowsOf(shown, site_structure.site_spaces(site, query.default))


@site_parts.operation(f"POST {SITE_SPACE.collection}", SITE_SPACE, needs=EDITORS, status=201)
def add_space_to_site(call: Call, site: SiteRow, body: AddSiteSpace) -> SiteSpaceRow:
    """Add a space to a site, or to a section of it."""
    require_create_on(call, site.organization_id, [body.space_id], "spaceId")
    return _made(call, site, "site-spaces", service.add_space(call.session, site, body))


@site_parts.operation(f"PATCH {SITE_SPACE.path}", SITE_SPACE, needs=EDITORS)
def update_site_space_by_id(call: Call, site: SiteRow, site_space: SiteSpaceRow, body: UpdateSiteSpace) -> SiteSpaceRow:
    """Change a space of a site."""
    if body.space_id is not MISSING:
        require_create_on(call, site.organization_id, [body.space_id], "spaceId")
    if body.condition is not MISSING and body.condition != site_space.condition:
        require_create_to_open(call, [site_space.space_id])
    return service.update_space(call.session, site, site_space, body)


@site_parts.operation(f"DELETE {SITE_SPACE.path}", needs=EDITORS, status=205)
def delete_site_space_by_id(call: Call, site: SiteRow, site_space: SiteSpaceRow | None) -> None:
    """Remove a space from a site."""
    _gone(call, site_space is not None and service.remove_space(call.session, site, site_space))


def _must_open_there(call: Call, site: SiteRow, part: SiteSpaceRow, before: str | None) -> None:
    """Raise Forbidden if a space moved to a section with another condition, and the actor may not open it."""
    sections = {section.id: section for section in site_structure.parts_of(call.session, site).sections}
    was, is_ = (sections[one].condition if one in sections else None for one in (before, part.section_id))
    if was != is_:
        require_create_to_open(call, [part.space_id])


@site_parts.operation(f"POST {SITE_SPACE.path}/move", SITE_SPACE, needs=EDITORS)
def move_site_space(call: Call, site: SiteRow, site_space: SiteSpaceRow, body: MoveSiteSpace) -> SiteSpaceRow:
    """Move a space of a site before or after another one."""
    before = site_space.section_id
    moved = site_sorting.move(call.session, call.actor.reach, site, site_space, body.position)
    _must_open_there(call, site, moved, before)
    return moved


@site_parts.list(f"GET {SECTION.collection}", SECTION, needs=READERS)
def list_site_sections(call: Call, site: SiteRow, query: ShareKeyListQuery) -> RowsOf:
    """List the sections of a site."""
    key = sharing.key_that_opens(call.session, site, query.share_key)
    shown = SECTION.shown_as(SiteSection, partial(serializers.sections, share_key=key))
    return RowsOf(shown, [SiteSectionRow.site_id == site.id])


@site_parts.operation(f"POST {SECTION.collection}", SECTION, needs=EDITORS, status=201)
def add_section_to_site(call: Call, site: SiteRow, body: AddSection) -> SiteSectionRow:
    """Add a section with a space to a site."""
    require_create_on(call, site.organization_id, [body.space_id], "spaceId")
    return _made(call, site, "sections", service.add_section(call.session, site, body))


@site_parts.operation(f"PATCH {SECTION.path}", SECTION, needs=EDITORS)
def update_site_section_by_id(
    call: Call, site: SiteRow, section: SiteSectionRow, body: UpdateSection
) -> SiteSectionRow:
    """Change a section."""
    if body.condition is not MISSING and body.condition != section.condition:
        parts = site_structure.parts_of(call.session, site).spaces
        require_create_to_open(call, [part.space_id for part in parts if part.section_id == section.id])
    return service.update_section(call.session, site, section, body)


@site_parts.operation(f"DELETE {SECTION.path}", needs=EDITORS, status=205)
def delete_site_section_by_id(call: Call, site: SiteRow, section: SiteSectionRow | None) -> None:
    """Delete a section; its spaces remain in the organization."""
    _gone(call, section is not None and service.remove_section(call.session, site, section))


@site_parts.operation(f"POST {SECTION.path}/move", SECTION, needs=EDITORS, body_optional=True)
def move_site_section(call: Call, site: SiteRow, section: SiteSectionRow, body: MoveSection) -> SiteSectionRow:
    """Move a section before or after another one (deprecated; sort the structure)."""
    return site_sorting.move(call.session, call.actor.reach, site, section, body.position)


@site_parts.list(f"GET {GROUP.collection}", GROUP, needs=READERS)
def list_site_section_groups(call: Call, site: SiteRow, query: ListQuery) -> Conditions:
    """List the section groups of a site."""
    return [SiteSectionGroupRow.site_id == site.id]


@site_parts.operation(f"POST {GROUP.collection}", GROUP, needs=EDITORS, status=201)
def add_section_group_to_site(call: Call, site: SiteRow, body: AddGroup) -> SiteSectionGroupRow:
    """Add a section group to a site."""
    return _made(call, site, "section-groups", service.add_group(call.session, site, body))


@site_parts.operation(f"PATCH {GROUP.path}", GROUP, needs=EDITORS)
def update_site_section_group_by_id(
    call: Call, site: SiteRow, section_group: SiteSectionGroupRow, body: UpdateGroup
) -> SiteSectionGroupRow:
    """Change a section group."""
    return service.update_group(call.session, site, section_group, body)


@site_parts.operation(f"DELETE {GROUP.path}", needs=EDITORS, status=205)
def delete_site_section_group_by_id(call: Call, site: SiteRow, section_group: SiteSectionGroupRow | None) -> None:
    """Delete a section group; what is in it takes its place."""
    _gone(call, section_group is not None and service.remove_group(call.session, site, section_group))


@site_parts.operation(f"POST {GROUP.path}/sections", GROUP, needs=EDITORS, status=201)
def add_section_to_group(
    call: Call, site: SiteRow, section_group: SiteSectionGroupRow, body: AddSectionToGroup
) -> SiteSectionGroupRow:
    """Move a section into a group."""
    row = service.add_to_group(call.session, site, section_group, body.section_id)
    return _made(call, site, "section-groups", row)


@site_parts.operation(f"DELETE {GROUP.path}/sections/{{siteSectionId}}", needs=EDITORS, status=205)
def remove_section_from_group(
    call: Call, site: SiteRow, section_group: SiteSectionGroupRow, section: SiteSectionRow | None
) -> None:
    """Remove a section from a group; it then comes after the group."""
    _gone(call, section is not None and service.take_from_group(call.session, site, section_group, section.id))


@site_parts.operation(f"POST {GROUP.path}/move", GROUP, needs=EDITORS, body_optional=True)
def move_site_section_group(
    call: Call, site: SiteRow, section_group: SiteSectionGroupRow, body: MoveGroup
) -> SiteSectionGroupRow:
    """Move a section group before or after a section or group (deprecated; sort the structure)."""
    return site_sorting.move(call.session, call.actor.reach, site, section_group, body.position)


@site_parts.operation(f"GET {SITE.path}/structure", SiteStructure, needs=for_visitors(READERS))
def get_site_structure(call: Call, site: SiteRow, query: ShareKeyQuery) -> Any:
    """Get the whole structure of a site."""
    session, visitor = call.session, call.actor.visitor
    if visitor is not None:
        evaluator = ConditionEvaluator(visitor.claims)
        parts, key = published_places.visible_parts(session, site, evaluator), visitor.share_key
    else:
        parts, key = site_structure.parts_of(session, site), sharing.key_that_opens(session, site, query.share_key)
    return serializers.structure(call.view(session), site, parts, share_key=key)


@site_parts.operation(f"PATCH {SITE.path}/structure/sort", SiteStructureItem, needs=EDITORS)
def sort_site_structure(call: Call, site: SiteRow, body: SortStructure) -> Any:
    """Move a space, a section or a group of a site before or after another one."""
    sections = {part.id: part.section_id for part in site_structure.parts_of(call.session, site).spaces}
    row = site_sorting.sort(call.session, call.actor.reach, site, (body.item.type, body.item.id), body.position)
    if isinstance(row, SiteSpaceRow):
        _must_open_there(call, site, row, sections.get(row.id))
    return call.show(serializers.SERIALIZERS[type(row)], row)
