"""A site's structure in memory while it is changed: read whole, changed, numbered again and written.

A site holds few enough parts for that, and nothing else keeps its rules at all times: one default section for each site
that has sections, one default space for each section, and the order in which the structure is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services.site_removal import lock_site
from runtime.store import site_structure
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow

Node = SiteSectionRow | SiteSectionGroupRow
Item = SiteSpaceRow | SiteSectionRow | SiteSectionGroupRow
MAX_SECTIONS, MAX_GROUPS, MAX_SPACES = 200, 100, 500
DEEPEST = 5
"""Groups in groups."""
LONGEST_PATH = 100


class Outline:
    """The structure of one site; others who would change it wait until the transaction ends.

    `children` holds sections and groups by their group, None at the top; `spaces` the site's spaces by
    their section, or by the site where it has no sections.
    """

    def __init__(self, session: Session, site: SiteRow) -> None:
        lock_site(session, site)
        self.session, self.site = session, site
        groups, sections, spaces = site_structure.parts_of(session, site)
        self.groups = {row.id: row for row in groups}
        self.sections = {row.id: row for row in sections}
        self.children: dict[str | None, list[Node]] = {None: [], **{row.id: [] for row in groups}}
        nodes: list[Node] = [*groups, *sections]
        for node in sorted(nodes, key=lambda node: (node.position, node.id)):
            self.children[parent_of(node)].append(node)
        self.spaces: dict[str, list[SiteSpaceRow]] = {holder: [] for holder in (site.id, *self.sections)}
        for space in spaces:
            self.spaces[space.holder_id].append(space)

    def section(self, section_id: str, field: str) -> SiteSectionRow:
        """Find a section that a body names; raises BadRequest."""
        section = self.sections.get(section_id)
        if section is None:
            raise errors.BadRequest("this site has no such section", field=field)
        return section

    def space(self, site_space_id: str) -> SiteSpaceRow | None:
        """Find a space of the site."""
        return next((row for row in self.all_spaces() if row.id == site_space_id), None)

    def all_spaces(self) -> Iterator[SiteSpaceRow]:
        """Yield the spaces of all sections."""
        for rows in self.spaces.values():
            yield from rows

    def depth(self, group_id: str | None) -> int:
        """Return how many groups stand around what is in a group, that group included."""
        depth = 0
        while group_id is not None:
            depth, group_id = depth + 1, self.groups[group_id].parent_id
        return depth

    def height(self, node: Node) -> int:
        """Return how deep groups are nested from a node down, itself included."""
        if isinstance(node, SiteSectionRow):
            return 0
        return 1 + max((self.height(child) for child in self.children[node.id]), default=0)

    def put(self, node: Node, parent: str | None, place: int | None = None) -> None:
        """Put a node into a group, or to the top, at a place or the end; raises BadRequest where it cannot stand."""
        around = parent
        while around is not None:
            if around == node.id:
                raise errors.BadRequest(
                    "a group cannot be moved into itself, or into a group inside it", field="position"
                )
            around = self.groups[around].parent_id
        if self.depth(parent) + self.height(node) > DEEPEST:
            raise errors.BadRequest(f"groups are nested at most {DEEPEST} deep")
        self.take(node)
        siblings = self.children[parent]
        siblings.insert(len(siblings) if place is None else place, node)
        if isinstance(node, SiteSectionRow):
            node.group_id = parent
        else:
            node.parent_id = parent

    def take(self, node: Node) -> None:
        """Take a node from where it stands."""
        for siblings in self.children.values():
            if node in siblings:
                siblings.remove(node)

    def detach(self, part: SiteSpaceRow) -> None:
        """Take a space off the site."""
        self.spaces[part.holder_id].remove(part)
        self.session.delete(part)
        self.session.flush()

    def drop(self, section: SiteSectionRow) -> None:
        """Remove a section without spaces."""
        self.take(section)
        del self.sections[section.id], self.spaces[section.id]
        self.session.delete(section)
        self.session.flush()

    def make_default(self, row: SiteSectionRow | SiteSpaceRow) -> None:
        """Make a section the site's default, or a space that of its section; the one before is it no more."""
        owner = row.site_id if isinstance(row, SiteSectionRow) else row.holder_id
        if row.default_of == owner:
            return
        others = self.sections.values() if isinstance(row, SiteSectionRow) else self.spaces[owner]
        for other in others:
            other.default_of = None
        self.session.flush()  # the database lets each owner have one at any time
        row.default_of = owner

    def save(self) -> None:
        """Number everything in the order it is read in, see to the defaults, and write what changed."""
        sections = [node for node in self._walk(None) if isinstance(node, SiteSectionRow)]
        for number, node in enumerate(self._walk(None)):
            node.position = number
        holders = [section.id for section in sections] if sections else [self.site.id]
        number = 0
        for holder in holders:
            spaces = self.spaces[holder]
            for space in spaces:
                space.position, number = number, number + 1
            if spaces and not any(space.default_of == holder for space in spaces):
                self.make_default(spaces[0])
        if sections and not any(section.default_of is not None for section in sections):
            self.make_default(sections[0])
        self.session.flush()

    def _walk(self, parent: str | None) -> Iterator[Node]:
        for node in self.children[parent]:
            yield node
            if isinstance(node, SiteSectionGroupRow):
                yield from self._walk(node.id)

    def room_for(self, *, sections: int = 0, groups: int = 0, spaces: int = 0) -> None:
        """Raise BadRequest unless so many more fit into the site."""
        there = (
            (len(self.sections), sections, MAX_SECTIONS, "sections"),
            (len(self.groups), groups, MAX_GROUPS, "section groups"),
            (sum(1 for _ in self.all_spaces()), spaces, MAX_SPACES, "spaces"),
        )
        for count, more, most, word in there:
            if more and count + more > most:
                raise errors.BadRequest(f"a site has at most {most} {word}")


def parent_of(node: Node) -> str | None:
    """Return the group that a section or group is in."""
    return node.group_id if isinstance(node, SiteSectionRow) else node.parent_id


def free_path(title: str, taken: Collection[str], otherwise: str) -> str:
    """Make a path of a title that is not taken."""
    first = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[: LONGEST_PATH - 5] or otherwise
    path, number = first, 1
    while path in taken:
        number += 1
        path = f"{first}-{number}"
    return path
