"""Which spaces of a site a search looks at, of those that are there for whoever searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.search import AnySiteScope, SpecificScope, WholeScope
from runtime.store import searching
from runtime.store.site_structure import Parts
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.spaces import SpaceRow


def chosen(session: Session, parts: Parts, where: AnySiteScope) -> list[SiteSpaceRow]:
    """Pick spaces of a site; ids of others, or of what is not there for the visitor, name nothing."""
    if isinstance(where, WholeScope):
        return parts.spaces
    if isinstance(where, SpecificScope):
        return [part for part in parts.spaces if part.id in set(where.site_space_ids)]
    named = set() if where.included_site_spaces is MISSING else set(where.included_site_spaces)
    current = next((part for part in parts.spaces if part.id == where.current_site_space), None)
    spaces = searching.contents(session, SpaceRow, [part.space_id for part in parts.spaces])
    language = spaces[current.space_id].language if current is not None and current.space_id in spaces else None
    by_holder: dict[str, list[SiteSpaceRow]] = {}
    for part in parts.spaces:
        by_holder.setdefault(part.holder_id, []).append(part)
    picked = {_shown(among, spaces, language).id for among in by_holder.values()}
    picked |= named | ({current.id} if current is not None else set())
    return [part for part in parts.spaces if part.id in picked]


def _shown(among: Sequence[SiteSpaceRow], spaces: Mapping[str, SpaceRow], language: str | None) -> SiteSpaceRow:
    """Return the space of a section in a language, else its default, else its first."""
    for part in among if language is not None else ():
        if part.space_id in spaces and spaces[part.space_id].language == language:
            return part
    return next((part for part in among if part.default_of is not None), among[0])
