"""Which specifications the pages of a site show: those are all that its visitors read."""

from __future__ import annotations

import threading
from collections import OrderedDict

from sqlalchemy.orm import Session

from runtime.services import content
from runtime.services.openapi_specs.pages import spec_of
from runtime.store import rows
from runtime.store.content import references
from runtime.store.content.revisions import snapshot_of
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow

MAX_REVISIONS = 1000
"""Revisions of which it is remembered; they never change."""


class ShownSpecs:
    """Remembers which specifications revisions show; safe to use from many threads."""

    def __init__(self) -> None:
        """Start with no calls."""
        self._slugs: OrderedDict[str, frozenset[str]] = OrderedDict()
        self._lock = threading.Lock()

    def shows(self, session: Session, reach: Reach, slug: str) -> bool:
        """Return whether a page of a space that a visitor reads shows a specification."""
        spaces = rows.every(session, reach, SpaceRow, SpaceRow.id.in_(reach.spaces))
        return any(slug in self._in(session, space) for space in spaces)

    def _in(self, session: Session, space: SpaceRow) -> frozenset[str]:
        with self._lock:
            known = self._slugs.get(space.revision_id)
        if known is not None:
            return known
        snapshot = snapshot_of(session, content.current(session, space))
        found = references.read(session, space.id, snapshot.documents()).values()
        shown = {one.ref["spec"] for every in found for one in every.references if one.ref["kind"] == "openapi"}
        computed = (spec_of(page.computed) for page in snapshot.pages if page.computed is not None)
        slugs = frozenset(shown).union(slug for slug in computed if slug is not None)
        with self._lock:
            self._slugs[space.revision_id] = slugs
            if len(self._slugs) > MAX_REVISIONS:
                self._slugs.popitem(last=False)
        return slugs


SHOWN = ShownSpecs()
