"""Which specifications the pages of a site show: those are all that its visitors read."""

from __future__ import annotations

from sqlalchemy.orm import Session

from runtime.services import content
from runtime.services.openapi_specs.pages import spec_of
from runtime.store import rows
from runtime.store.content import references
from runtime.store.content.revisions import snapshot_of
from runtime.store.fair_memory import FairMemory
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow

HEAVIEST = 4 * 1024 * 1024
"""Bytes of what is remembered of revisions, about; they never change."""
OVERHEAD, OF_EACH = 500, 100
"""Bytes in memory of a revision and of a name beside its characters, about."""


class ShownSpecs:
    """Remembers which specifications revisions show; safe to use from many threads."""

    def __init__(self, heaviest: int = HEAVIEST) -> None:
        """Take how many bytes all of it may have."""
        self._slugs: FairMemory[str, frozenset[str]] = FairMemory(heaviest)

    def shows(self, session: Session, reach: Reach, slug: str) -> bool:
        """Return whether a page of a space that a visitor reads shows a specification."""
        spaces = rows.every(session, reach, SpaceRow, SpaceRow.id.in_(reach.spaces))
        return any(slug in self._in(session, space) for space in spaces)

    def _in(self, session: Session, space: SpaceRow) -> frozenset[str]:
        known = self._slugs.use(space.revision_id)
        if known is not None:
            return known
        snapshot = snapshot_of(session, content.current(session, space))
        found = references.each(session, space.id, snapshot.documents())
        shown = {one.ref["spec"] for _, every in found for one in every.references if one.ref["kind"] == "openapi"}
        computed = (spec_of(page.computed) for page in snapshot.pages if page.computed is not None)
        slugs = frozenset(shown).union(slug for slug in computed if slug is not None)
        size = OVERHEAD + sum(OF_EACH + len(slug) for slug in slugs)
        self._slugs.keep(space.revision_id, slugs, space.organization_id, size)
        return slugs


SHOWN = ShownSpecs()
