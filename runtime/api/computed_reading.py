"""Reads of content with computed pages filled in: which of them a read needs, and when it waits for them.

People and visitors have content computed, as they do with `SPACE/content/computed/...`. Scripts are shown the sources:
one that reads the content in order to compute it would wait for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, cast

from runtime.api.call import Call
from runtime.api.deferred_answers import DeferredAnswer
from runtime.contract.computing import OPENAPI_SOURCE, Compute
from runtime.services import content as service
from runtime.services.computed_content import ComputedContent, Reader
from runtime.services.computed_specifications import SpecificationSource
from runtime.services.computing import ContentSourceClient
from runtime.store.content.entries import Page
from runtime.store.content.revisions import snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

T = TypeVar("T")
Find = Callable[[Snapshot], Page]
Show = Callable[[Snapshot, Page, Mapping[str, Any] | None], T]
"""Shows a page of a snapshot, with the computed document if there is one."""


def content_source(call: Call) -> ContentSourceClient:
    """Return the client for content sources on this host."""
    host = call.host
    return ContentSourceClient(host.database, host.plans, host.invoker, host.addresses)


def source_of(call: Call, request: Compute) -> ContentSourceClient | SpecificationSource:
    """Return the client that computes the source a request names."""
    client = content_source(call)
    if request.source.type == OPENAPI_SOURCE:
        return SpecificationSource(client, _computed(call, client), call.host.database)
    return client


def whole(call: Call, row: RevisionRow, *, computed: bool, show: Callable[[Snapshot], T]) -> T | DeferredAnswer:
    """Return a whole revision; with `computed`, including what its sources compute."""
    snapshot = snapshot_of(call.session, row)
    if not (computed and snapshot.sources and _may(call)):
        return show(snapshot)

    def finish() -> T:
        return _shown(call, show, _reader(call, row, snapshot).filled())

    return DeferredAnswer(finish)


class PageLookup:
    """Finds one page of a revision, by its id or by its path."""

    def __init__(self, call: Call, row: RevisionRow, *, page_id: str = "", path: str | None = None) -> None:
        """Take the path, or else the id."""
        self._call, self._row, self._snapshot = call, row, snapshot_of(call.session, row)
        self._id, self._path = page_id, path.strip("/") if path is not None else None

    def show(self, show: Show[T], *, computed: bool, documents: bool) -> T | DeferredAnswer:
        """Show the page; with `computed`, one that is computed, with what is computed in it; raises NotFound.

        With `documents`, its document is computed as well. A page that people created is found before a computed
        one, and a page that names a source is found by its own id as it is.
        """
        call, snapshot = self._call, self._snapshot
        stored = self._stored()
        sources = self._sources(stored) if computed and _may(call) else ()
        says = documents and computed and _may(call)
        if not sources and (not says or stored is None or not stored.is_computed):
            return show(snapshot, self._find(snapshot), None)

        def finish() -> T:
            reader = _reader(call, self._row, snapshot)
            filled = reader.filled(sources) if sources else snapshot
            page = self._find(filled)
            document = reader.document(page) if says and page.is_computed else None
            return _shown(call, show, filled, page, document)

        return DeferredAnswer(finish)

    def _stored(self) -> Page | None:
        if self._path is not None:
            return self._snapshot.page_by_path.get(self._path)
        return self._snapshot.page_by_id.get(self._id)

    def _find(self, snapshot: Snapshot) -> Page:
        if self._path is not None:
            return service.page_at(snapshot, self._path)
        stored = self._snapshot.page_by_id.get(self._id)
        return stored if stored is not None else service.page_in(snapshot, self._id)

    def _sources(self, stored: Page | None) -> Collection[str]:
        """Return the pages that have to be filled in: those inside a page, or those that may compute it."""
        paths, sources = self._snapshot.path_of, self._snapshot.sources
        if stored is not None:
            return {page.id for page in sources if self._is_inside(page, stored)}
        if self._path is None:
            return {page.id for page in sources}
        return {
            page.id for page in sources if page.parent is None or f"{self._path}/".startswith(f"{paths[page.parent]}/")
        }

    def _is_inside(self, page: Page, of: Page) -> bool:
        while page.parent is not None:
            if page.parent == of.id:
                return True
            page = self._snapshot.page_by_id[page.parent]
        return False


def _may(call: Call) -> bool:
    return call.actor.kind in ("user", "visitor")


def _reader(call: Call, row: RevisionRow, snapshot: Snapshot) -> Reader:
    space = cast(SpaceRow, call.named.rows["space"])
    return _computed(call, content_source(call)).reader(call.actor.reach, space, row.id, snapshot)


def _computed(call: Call, client: ContentSourceClient) -> ComputedContent:
    return ComputedContent(client, call.host.renders, call.host.database, call.host.blobs)


def _shown(call: Call, show: Callable[..., T], *of: Any) -> T:
    with call.host.database.transaction(writes=False) as session:
        call.opened = session
        return show(*of)
