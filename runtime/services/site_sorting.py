"""Moves the parts of a site: to before or behind another one, wherever that stands (docs/contract/api.md)."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services.site_outline import Item, Node, Outline, parent_of
from runtime.store import rows
from runtime.store.reach import Reach
from runtime.store.tables.site_structure import SiteSectionGroupRow, SiteSectionRow, SiteSpaceRow
from runtime.store.tables.sites import SiteRow

Moved = TypeVar("Moved", SiteSpaceRow, SiteSectionRow, SiteSectionGroupRow)
Pointer = tuple[str, str]
"""Kind and id of what a position names."""


def pointer(value: Any) -> Pointer | None:
    """Read a pointer of any of the forms that bodies have."""
    if value is None:
        return None
    names = ("id", "site_section", "site_space")
    return value.type, next(getattr(value, name) for name in names if hasattr(value, name))


def sort(session: Session, reach: Reach, site: SiteRow, item: Pointer, position: Any) -> Item:
    """Move an item of a site; raises NotFound for one that is not there, BadRequest for a place that is none.

    What the actor does not see is not there.
    """
    outline = Outline(session, site)
    found = _find(outline, reach, item)
    if found is None:
        raise errors.NotFound(f"There is no {item[0].replace('-', ' ')} `{item[1][:60]}` in this site.")
    before, after = pointer(position.before), pointer(position.after)
    if before is None and after is None:
        raise errors.BadRequest("give `before` or `after`", field="position")
    for field, named in (("before", before), ("after", after)):
        if named == item:
            raise errors.BadRequest("is the item that is to be moved", field=f"position.{field}")
    anchors = [_anchor(outline, reach, found, named, field) for field, named in (("before", before), ("after", after))]
    if isinstance(found, SiteSpaceRow):
        _move_space(outline, found, *anchors)
    else:
        _move_node(outline, found, *anchors)
    outline.save()
    return found


def _find(outline: Outline, reach: Reach, item: Pointer) -> Item | None:
    kind, item_id = item
    if kind == "site-space":
        seen = rows.find(outline.session, reach, SiteSpaceRow, id=item_id)
        return outline.space(item_id) if seen is not None else None
    return outline.sections.get(item_id) if kind == "site-section" else outline.groups.get(item_id)


def _anchor(outline: Outline, reach: Reach, moved: Item, named: Pointer | None, field: str) -> Any:
    if named is None:
        return None
    anchor = _find(outline, reach, named)
    if anchor is None or isinstance(anchor, SiteSpaceRow) is not isinstance(moved, SiteSpaceRow):
        raise errors.BadRequest(
            f"there is no such item of the same kind in this site: `{named[1][:60]}`", field=f"position.{field}"
        )
    return anchor


def _place(siblings: list[Any], before: Any, after: Any) -> int:
    """Find the place between what it goes before and after; raises BadRequest unless these stand side by side."""
    place = siblings.index(before) if before is not None else siblings.index(after) + 1
    if before is not None and after is not None and (place == 0 or siblings[place - 1] is not after):
        raise errors.BadRequest("the item of `before` must come directly after the item of `after`", field="position")
    return place


def _move_node(outline: Outline, node: Node, before: Node | None, after: Node | None) -> None:
    anchor = before if before is not None else after
    assert anchor is not None
    parent = parent_of(anchor)
    if before is not None and after is not None and parent_of(after) != parent:
        raise errors.BadRequest("the items of `before` and `after` are in different groups", field="position")
    siblings = [child for child in outline.children[parent] if child is not node]
    outline.put(node, parent, _place(siblings, before, after))


def _move_space(outline: Outline, part: SiteSpaceRow, before: SiteSpaceRow | None, after: SiteSpaceRow | None) -> None:
    anchor = before if before is not None else after
    assert anchor is not None
    holder = anchor.holder_id
    if before is not None and after is not None and after.holder_id != holder:
        raise errors.BadRequest("the items of `before` and `after` are in different sections", field="position")
    siblings = [one for one in outline.spaces[holder] if one is not part]
    place = _place(siblings, before, after)
    if part.holder_id != holder:
        if len(outline.spaces[part.holder_id]) == 1:
            raise errors.BadRequest(
                "the last space of a section cannot leave it; delete the section instead", field="position"
            )
        if any(other.path == part.path for other in siblings):
            raise errors.Conflict(f"`{part.path}` is the path of another space of that section.")
        part.default_of = None
        outline.session.flush()
        outline.spaces[part.holder_id].remove(part)
        part.holder_id = part.section_id = holder
    siblings.insert(place, part)
    outline.spaces[holder] = siblings


def move(session: Session, reach: Reach, site: SiteRow, row: Moved, position: Any) -> Moved:
    """Move what a path names."""
    kinds = {SiteSpaceRow: "site-space", SiteSectionRow: "site-section", SiteSectionGroupRow: "site-section-group"}
    sort(session, reach, site, (kinds[type(row)], row.id), position)
    return row
