"""Parts of sites: spaces, sections, groups, and the whole of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pydantic import MISSING

from runtime.contract.site_structure import (
    PublishedUrls,
    Sections,
    SiteSection,
    SiteSectionGroup,
    SiteSpace,
    SpacesAlone,
)
from runtime.serializers.published_urls import Opened, published_base, section_place, space_place
from runtime.serializers.spaces import spaces
from runtime.serializers.view import View
from runtime.store import site_structure
from runtime.store.site_structure import Parts
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow


class _Look:
    """What is known of the sites and sections that parts are in, and how their spaces are shown.

    With a key of a share link, all parts are in the site that it opens.
    """

    def __init__(
        self, view: View, site_ids: Sequence[str], parts: Sequence[SiteSpaceRow], share_key: str | None
    ) -> None:
        self._view, self._key = view, share_key
        rows = list(view.seen(SpaceRow, (part.space_id for part in parts)).values())
        opened = Opened(parts[0].site_id, share_key) if parts and share_key is not None else None
        self._spaces = dict(zip((row.id for row in rows), spaces(view, rows, opened=opened), strict=True))
        self._sites = view.by_id(SiteRow, site_ids)

    def urls(self, site_id: str, place: str) -> PublishedUrls:
        base = published_base(self._view.at, self._sites[site_id], self._key)
        return PublishedUrls(published=MISSING if base is None else base + place)

    def parts(self, rows: Sequence[SiteSpaceRow], section: SiteSectionRow | None) -> list[SiteSpace]:
        """Show spaces in one place; those that left meanwhile, or that the actor may not see, are left out."""
        shown = (self.part(row, section) for row in rows)
        return [part for part in shown if part is not None]

    def part(self, row: SiteSpaceRow, section: SiteSectionRow | None) -> SiteSpace | None:
        space = self._spaces.get(row.space_id)
        if space is None or space.organization != self._sites[row.site_id].organization_id:
            return None
        return SiteSpace(
            id=row.id,
            path=row.path,
            section=row.section_id or MISSING,
            space=space,
            title=space.title,
            default=row.default_of is not None,
            condition=row.condition or MISSING,
            has_advanced_customization_feature=True,
            urls=self.urls(row.site_id, space_place(row, section)),
        )

    def section(self, row: SiteSectionRow, parts: Sequence[SiteSpaceRow]) -> SiteSection:
        return SiteSection(
            id=row.id,
            title=row.title,
            description=row.description if row.description is not None else MISSING,
            default=row.default_of is not None,
            path=row.path,
            condition=row.condition or MISSING,
            section_group=row.group_id or MISSING,
            site_spaces=self.parts(parts, row),
            urls=self.urls(row.site_id, section_place(row)),
            icon=row.icon or MISSING,
        )


def site_spaces(view: View, rows: Sequence[SiteSpaceRow], *, share_key: str | None = None) -> list[SiteSpace]:
    """Show spaces of sites, with the address that a share link's key opens where one is given."""
    sections_ = view.by_id(SiteSectionRow, (row.section_id for row in rows if row.section_id is not None))
    look = _Look(view, [row.site_id for row in rows], rows, share_key)
    shown = (look.part(row, sections_.get(row.section_id or "")) for row in rows)
    return [part for part in shown if part is not None]


def sections(view: View, rows: Sequence[SiteSectionRow], *, share_key: str | None = None) -> list[SiteSection]:
    """Show sections, each with its spaces."""
    parts = site_structure.spaces_in(view.session, (row.id for row in rows))
    look = _Look(view, [row.site_id for row in rows], parts, share_key)
    inside = _by_holder(parts)
    return [look.section(row, inside.get(row.id, ())) for row in rows]


def groups(view: View, rows: Sequence[SiteSectionGroupRow], *, share_key: str | None = None) -> list[SiteSectionGroup]:
    """Show groups, each with what is in it."""
    parts = site_structure.parts_of_sites(view.session, {row.site_id for row in rows})
    look = _Look(view, list(parts), [space for one in parts.values() for space in one.spaces], share_key)
    trees = {site_id: _Tree(look, one) for site_id, one in parts.items()}
    return [trees[row.site_id].group(row) for row in rows]


def structure(view: View, site: SiteRow, parts: Parts, *, share_key: str | None = None) -> Sections | SpacesAlone:
    """Show what a site is made of: its sections, or where it has none its spaces alone."""
    look = _Look(view, [site.id], parts.spaces, share_key)
    tree = _Tree(look, parts)
    if parts.sections or (parts.groups and not parts.spaces):
        return Sections(structure=tree.children(None))
    return SpacesAlone(structure=look.parts(parts.spaces, None))


class _Tree:
    """A site's sections and groups, as they are nested."""

    def __init__(self, look: _Look, parts: Parts) -> None:
        self._look = look
        self._spaces = _by_holder(parts.spaces)
        self._inside: dict[str | None, list[SiteSectionRow | SiteSectionGroupRow]] = {}
        nodes: list[SiteSectionRow | SiteSectionGroupRow] = [*parts.groups, *parts.sections]
        for node in sorted(nodes, key=lambda node: (node.position, node.id)):
            parent = node.group_id if isinstance(node, SiteSectionRow) else node.parent_id
            self._inside.setdefault(parent, []).append(node)

    def children(self, parent: str | None) -> list[SiteSection | SiteSectionGroup]:
        return [self._node(node) for node in self._inside.get(parent, ())]

    def _node(self, node: SiteSectionRow | SiteSectionGroupRow) -> SiteSection | SiteSectionGroup:
        if isinstance(node, SiteSectionGroupRow):
            return self.group(node)
        return self._look.section(node, self._spaces.get(node.id, ()))

    def group(self, row: SiteSectionGroupRow) -> SiteSectionGroup:
        inside = self.children(row.id)
        return SiteSectionGroup(
            id=row.id,
            title=row.title,
            sections=[child for child in inside if isinstance(child, SiteSection)],
            section_group=row.parent_id or MISSING,
            children=inside,
            icon=row.icon or MISSING,
        )


def _by_holder(parts: Sequence[SiteSpaceRow]) -> Mapping[str, list[SiteSpaceRow]]:
    held: dict[str, list[SiteSpaceRow]] = {}
    for part in parts:
        held.setdefault(part.holder_id, []).append(part)
    return held


Serialize = Callable[..., Sequence[SiteSpace | SiteSection | SiteSectionGroup]]
SERIALIZERS: dict[type, Serialize] = {
    SiteSpaceRow: site_spaces,
    SiteSectionRow: sections,
    SiteSectionGroupRow: groups,
}
"""How each kind of part is shown."""
