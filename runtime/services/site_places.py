"""Takes deleted spaces off their sites, and puts restored ones back.

Until a deleted space is removed for good, each site's part of it is kept as it was: its path and condition, its
customization, the redirects to it, and its section. The ids stay the same, so that what names them holds again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from sqlalchemy import or_
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.services.sharing import MAX_REDIRECTS
from runtime.services.site_outline import Item, Outline, free_path, parent_of
from runtime.store import rows, site_structure
from runtime.store.reach import HOST
from runtime.store.tables.site_publishing import RedirectRow, ShareLinkRow, SiteSpaceCustomizationRow
from runtime.store.tables.site_structure import (
    DeletedSpacePlaceRow,
    SiteSectionRow,
    SiteSpaceRow,
)
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow

Kept = Mapping[str, Any]
Default = TypeVar("Default", SiteSectionRow, SiteSpaceRow)
SECTION = ("id", "title", "description", "path", "icon", "condition")
PART = ("id", "path", "condition")
NEIGHBORS = 20
"""How many parts before and after a part are kept, to find its place again."""
REDIRECT = ("id", "source", "site_section_id", "site_space_id", "page_id")


def leave(session: Session, spaces: Sequence[SpaceRow]) -> None:
    """Take spaces that are deleted off all sites, with sections that would be empty, and keep where they stood."""
    ids = {space.id for space in spaces}
    for site in site_structure.sites_of_spaces(session, ids):
        places = _take_off(Outline(session, site), ids)
        for space_id, place in places.items():
            session.merge(DeletedSpacePlaceRow(space_id=space_id, site_id=site.id, place=place))
    session.flush()


def return_to(session: Session, space: SpaceRow) -> None:
    """Put a restored space back on its sites.

    A path that another part has by now gets a number. A site that is full, that has the space already, or whose section
    for it somebody removed, is left as it is.
    So is one that might show the space to more people than before: who could open the site meanwhile may have had no
    right to open this space.
    """
    for kept in rows.every(session, HOST, DeletedSpacePlaceRow, space_id=space.id):
        site = rows.find(session, HOST, SiteRow, id=kept.site_id, deleted_at=None)
        if site is not None and site.organization_id == space.organization_id and _is_as_closed(session, site, kept):
            _put_back(Outline(session, site), space, kept.place)
        session.delete(kept)
    session.flush()


def forget_default(session: Session, site: SiteRow, chosen_id: str) -> None:
    """Let a default section or site space that somebody chose stay when what was the default before is restored."""
    for kept in rows.every(session, HOST, DeletedSpacePlaceRow, site_id=site.id):
        for name in ("section", "part"):
            place = kept.place[name]
            if place is not None and place.get("after") == chosen_id:
                kept.place = kept.place | {name: place | {"default": False}}
    session.flush()


def _readers_of(session: Session, site: SiteRow) -> str:
    """Return a digest of the visibility, the sign-in and the active share links of a site."""
    links = rows.every(session, HOST, ShareLinkRow, site_id=site.id, active=True)
    by = [site.visibility, site.visitor_auth_backend, site.visitor_auth_integration, *sorted(one.id for one in links)]
    return sha256(json.dumps(by).encode()).hexdigest()


def _is_as_closed(session: Session, site: SiteRow, kept: DeletedSpacePlaceRow) -> bool:
    if not site.published:
        return True  # publishing it asks for the right to open each of its spaces
    return bool(kept.place.get("readers") == _readers_of(session, site))


def _take_off(outline: Outline, space_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Take spaces off a site; returns the place of each."""
    session = outline.session
    earlier = rows.every(session, HOST, DeletedSpacePlaceRow, site_id=outline.site.id)
    gone = [row.place for row in earlier]
    parts = [part for part in outline.all_spaces() if part.space_id in space_ids]
    staying = {part.holder_id for part in outline.all_spaces() if part.space_id not in space_ids}
    kept = {part.space_id: _place_of(outline, part, part.holder_id not in staying, gone) for part in parts}
    for part in parts:
        outline.detach(part)
    empty = [outline.sections[id_] for id_ in {part.holder_id for part in parts} - staying - {outline.site.id}]
    for section in empty:
        outline.drop(section)
    outline.save()
    # A section goes with its last space, and comes back with any that stood in it. One that somebody removed does not.
    dropped = {section.id for section in empty}
    _mark(earlier, dropped, dropped=True)
    # Whoever chooses another default meanwhile keeps it: only what took the place by itself gives it back.
    readers = _readers_of(session, outline.site) if outline.site.published else None
    for part in parts:
        place = kept[part.space_id]
        place["readers"] = readers
        place["part"]["after"] = _default_of(outline.spaces.get(part.holder_id, ()))
        if place["section"] is not None:
            place["section"]["dropped"] = place["section"]["id"] in dropped
            place["section"]["after"] = _default_of(outline.sections.values())
    return kept


def _place_of(outline: Outline, part: SiteSpaceRow, section_too: bool, gone: Sequence[Kept]) -> dict[str, Any]:
    session = outline.session
    section = outline.sections.get(part.holder_id)
    to_it = [RedirectRow.site_space_id == part.id]
    if section_too:
        to_it.append(RedirectRow.site_section_id == part.holder_id)
    custom = rows.find(session, HOST, SiteSpaceCustomizationRow, site_space_id=part.id)
    place: dict[str, Any] = {
        "part": _columns(part, PART) | _order(part, outline.spaces[part.holder_id], [one["part"] for one in gone]),
        "section": None,
        "redirects": [_columns(row, REDIRECT) for row in rows.every(session, HOST, RedirectRow, or_(*to_it))],
        "overrides": custom.overrides if custom is not None else None,
    }
    if section is not None:
        group = parent_of(section)
        order = _order(section, outline.children[group], [one["section"] for one in gone if one["section"]])
        place["section"] = _columns(section, SECTION) | {"group": group} | order
    return place


def _put_back(outline: Outline, space: SpaceRow, kept: Kept) -> None:
    if any(part.space_id == space.id for part in outline.all_spaces()):
        return
    try:
        outline.room_for(spaces=1)
        section = _section_for(outline, kept["section"])
    except errors.BadRequest:  # the site is full, or no longer has the section
        return
    if kept["section"] is not None and kept["section"]["condition"] != (section.condition if section else None):
        return  # its section kept visitors out who would see it now
    session, was = outline.session, kept["part"]
    holder = outline.site.id if section is None else section.id
    beside = outline.spaces[holder]
    path = free_path(was["path"], {part.path for part in beside}, "space")
    part = SiteSpaceRow(
        id=was["id"], site_id=outline.site.id, space_id=space.id, holder_id=holder, path=path,
        section_id=None if section is None else section.id, condition=was["condition"],
    )  # fmt: skip
    session.add(part)
    session.flush()
    beside.insert(_number(was, beside), part)
    if was["default"]:
        _give_back_default(outline, part, was["after"], beside)
    was_in = kept["section"]
    if section is not None and was_in is not None and was_in["id"] == section.id and was_in["default"]:
        _give_back_default(outline, section, was_in["after"], list(outline.sections.values()))
    outline.save()
    if kept["overrides"] is not None:
        session.add(SiteSpaceCustomizationRow(site_space_id=part.id, overrides=kept["overrides"]))
    for redirect in kept["redirects"]:
        _put_back_redirect(outline, redirect)
    session.flush()


def _section_for(outline: Outline, was: Kept | None) -> SiteSectionRow | None:
    """Find the section for a space, which comes back itself if need be; None where the site has none.

    Raises BadRequest where the site has no room for the section, or somebody removed it.
    """
    if was is not None and was["id"] not in outline.sections and not was.get("dropped"):
        raise errors.BadRequest("The section of the space was removed.")
    if not outline.sections and (was is None or outline.spaces[outline.site.id]):
        return None
    if was is None:
        return next(section for section in outline.sections.values() if section.default_of is not None)
    section = outline.sections.get(was["id"])
    if section is not None:
        return section
    outline.room_for(sections=1)
    path = free_path(was["path"], {one.path for one in outline.sections.values()}, "section")
    section = SiteSectionRow(site_id=outline.site.id, **({name: was[name] for name in SECTION} | {"path": path}))
    outline.session.add(section)
    outline.session.flush()
    outline.sections[section.id], outline.spaces[section.id] = section, []
    _mark(rows.every(outline.session, HOST, DeletedSpacePlaceRow, site_id=outline.site.id), {section.id}, dropped=False)
    group = was["group"] if was["group"] in outline.groups else None
    outline.put(section, group, _number(was, outline.children[group]))
    return section


def _mark(places: Sequence[DeletedSpacePlaceRow], section_ids: Collection[str], *, dropped: bool) -> None:
    """Note for places in sections whether these went with their last space."""
    for kept in places:
        section = kept.place["section"]
        if section is not None and section["id"] in section_ids:
            kept.place = kept.place | {"section": section | {"dropped": dropped}}


def _put_back_redirect(outline: Outline, was: Kept) -> None:
    """Make a redirect again unless its path is another one's by now, its target is gone, or the site has no room."""
    session, of_site = outline.session, {"site_id": outline.site.id}
    if was["site_section_id"] is not None and was["site_section_id"] not in outline.sections:
        return
    if rows.find(session, HOST, RedirectRow, source=was["source"], **of_site) is not None:
        return
    if not rows.has_more(session, RedirectRow, MAX_REDIRECTS - 1, **of_site):
        session.add(RedirectRow(**of_site, **was))
        session.flush()


def _give_back_default(outline: Outline, row: Default, after: str | None, among: list[Default]) -> None:
    if _default_of(among) in (None, after):
        outline.make_default(row)


def _order(row: Default, among: Sequence[Item], gone: Sequence[Kept]) -> dict[str, Any]:
    """Tell what stood before and after a row, counting what left before it did, and whether it was the default."""
    ids = [one.id for one in among]
    number = ids.index(row.id)
    former = [one["id"] for one in gone if row.id in one["following"]]
    later = [one["id"] for one in gone if row.id in one["preceding"]]
    return {
        "preceding": (former + ids[:number])[-NEIGHBORS:],
        "following": (ids[number + 1 :] + later)[:NEIGHBORS],
        "default": row.default_of is not None,
    }


def _number(was: Kept, among: Sequence[Item]) -> int:
    """Return where something stands again: behind what stood before it, else before what stood behind it."""
    ids = [one.id for one in among]
    before = [number + 1 for number, id_ in enumerate(ids) if id_ in was["preceding"]]
    behind = [number for number, id_ in enumerate(ids) if id_ in was["following"]]
    return max(before) if before else min(behind, default=len(ids))


def _default_of(among: Any) -> str | None:
    return next((row.id for row in among if row.default_of is not None), None)


def _columns(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
