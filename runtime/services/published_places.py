"""What of a site is there for a visitor, and where in it an address leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from sqlalchemy.orm import Session

from runtime.contract.conditions import ConditionEvaluator
from runtime.serializers.published_urls import section_place, space_place
from runtime.store import searching, site_structure
from runtime.store.site_structure import Parts
from runtime.store.tables.site_publishing import RedirectRow
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow

Claims = Mapping[str, Any]
PAGES = "-/page/"
"""Below a space, where pages are found by their ids."""
LONGEST_PATH = 2000
"""Characters of a path as it stands in an address: many programs take no longer addresses."""


@dataclass(frozen=True, slots=True)
class Place:
    """A space of a site, with its section where the site has any: `used` are the parts of the path that led there.

    `rest` is the path inside of the space. `complete` tells that no further part could lead to another space.
    """

    section: SiteSectionRow | None
    part: SiteSpaceRow
    used: Sequence[str]
    rest: Sequence[str]
    complete: bool

    @property
    def canonical(self) -> str:
        """What follows the site's address where there is one address for each place."""
        return space_place(self.part, self.section) + "/".join(self.rest)


def visible_parts(session: Session, site: SiteRow, visitor: ConditionEvaluator) -> Parts:
    """Read what of a site is there for a visitor: whose conditions hold, and what is not empty then."""
    groups, sections, spaces = site_structure.parts_of(session, site)
    ids = [part.space_id for part in spaces]
    alive = {space.id for space in searching.spaces_among(session, site.organization_id, ids)}
    seen_sections = [section for section in sections if visitor.meets(section.condition)]
    holders = {section.id for section in seen_sections} if sections else {site.id}
    seen = [
        part
        for part in spaces
        if part.holder_id in holders and part.space_id in alive and visitor.meets(part.condition)
    ]
    filled = {part.holder_id for part in seen}
    seen_sections = [section for section in seen_sections if section.id in filled]
    return Parts(_around(groups, {section.group_id for section in seen_sections}), seen_sections, seen)


def _around(groups: Sequence[SiteSectionGroupRow], filled: set[str | None]) -> list[SiteSectionGroupRow]:
    """Keep the groups that hold something, or a group that does."""
    parents = {group.id: group.parent_id for group in groups}
    kept: set[str | None] = set()
    for one in filled:
        while one is not None and one not in kept:
            kept.add(one)
            one = parents.get(one)
    return [group for group in groups if group.id in kept]


def locate(parts: Parts, path: Sequence[str]) -> Place | None:
    """Find where a path leads; None in a site of which nothing is there."""
    if not parts.spaces:
        return None
    used = 0
    section: SiteSectionRow | None = None
    spaces: Sequence[SiteSpaceRow] = parts.spaces
    if parts.sections:
        section = _named(parts.sections, path)
        used = 1 if section is not None else 0
        section = section or _first(parts.sections)
        spaces = [part for part in parts.spaces if part.section_id == section.id]
    part = _named(spaces, path[used:])
    chosen = used == 1 or len(parts.sections) < 2, part is not None or len(spaces) < 2
    used += part is not None
    rest = path[used:]
    return Place(section, part or _first(spaces), path[:used], rest, bool(rest) or all(chosen))


def _named(among: Sequence[Any], path: Sequence[str]) -> Any:
    return next((row for row in among if path and row.path == path[0]), None)


def _first(among: Sequence[Any]) -> Any:
    return next((row for row in among if row.default_of is not None), among[0])


def place_of_redirect(session: Session, site: SiteRow, row: RedirectRow, claims: Claims | None) -> str | None:
    """Return what follows a site's address for where a redirect leads; None where it is not there for a visitor."""
    if claims is None:
        parts = site_structure.parts_of(session, site)
    else:
        parts = visible_parts(session, site, ConditionEvaluator(claims))
    sections = {section.id: section for section in parts.sections}
    if row.site_section_id is not None:
        section = sections.get(row.site_section_id)
        return section_place(section) if section is not None else None
    part = next((part for part in parts.spaces if part.id == row.site_space_id), None)
    if part is None:
        return None
    place = space_place(part, sections.get(part.section_id or ""))
    return place if row.page_id is None else f"{place}{PAGES}{quote(row.page_id, safe='')}"
