"""Keeps the index behind search up with what spaces say, a few pages at a time.

Any number of processes may do so: nothing but the database says what is to do, and one that ends in the middle leaves a
smaller rest to the others. Organizations take turns, so that one that imports thousands of pages delays no other.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.document_sections import includes, sections_of, storable
from runtime.engines.threads import RepeatingThread
from runtime.services.expressions import evaluated, unconditional
from runtime.store import rows
from runtime.store.content import revisions
from runtime.store.content.entries import Page
from runtime.store.content.pieces import unpack
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database, now
from runtime.store.reach import HOST
from runtime.store.search_index import writing
from runtime.store.search_index.writing import IndexedPage, Known, State
from runtime.store.tables.content import RevisionRow

log = logging.getLogger(__name__)

EVERY = 0.25
"""Seconds between two looks for spaces that changed."""
RECENT = timedelta(minutes=2)
EVERYWHERE_EVERY = 300.0
"""Seconds between two looks at all spaces: usually those are enough that changed a moment ago."""
LEASE = timedelta(seconds=10)
WAITING = 500
"""Spaces that are looked at in one round."""
BATCH_PAGES = 64
BATCH_TEXT = 300_000
"""Characters of text that are indexed in one transaction, or the text of one page."""
KEPT_PLANS = 200
REUSED = 16
"""Documents of reusable contents that are kept while a batch is read."""


@dataclass
class _Plan:
    """What is left to do in a space until its index says what a revision says."""

    organization: str
    revision: str
    snapshot: Snapshot
    shared: bytes
    generation: int
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)


class Indexer:
    """The thread that indexes; `work` does it without a thread, for whoever wants it done now."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = RepeatingThread(
            "indexing", self._index, log=log, failed="spaces could not be indexed; trying again"
        )
        self._plans: dict[str, _Plan] = {}
        self._turn: dict[str, int] = {}
        self._looked = float("-inf")

    def start(self) -> None:
        """Begin, with a look at all spaces."""
        self._thread.start()

    def wake(self) -> None:
        """Look at once: something has changed."""
        self._thread.wake()

    def close(self) -> None:
        """Stop after the current batch."""
        self._thread.close()

    def _index(self) -> float:
        try:
            busy = self.round()
        except Exception:
            self._plans.clear()
            raise
        return 0.0 if busy else EVERY

    def round(self, *, everywhere: bool = False) -> bool:
        """Do a batch for each organization that has a space to index; tells whether there was one."""
        full = everywhere or time.monotonic() - self._looked > EVERYWHERE_EVERY
        with self._database.transaction(writes=False) as session:
            waiting = writing.outdated(session, None if full else now() - RECENT, WAITING)
        by_organization: dict[str, list[str]] = {}
        begun = [(space_id, plan.organization) for space_id, plan in self._plans.items()]
        for space_id, organization_id in dict([*begun, *waiting]).items():
            by_organization.setdefault(organization_id, []).append(space_id)
        for organization_id, spaces in by_organization.items():
            if self._thread.stopping.is_set():
                return False
            turn = self._turn[organization_id] = self._turn.get(organization_id, -1) + 1
            self._try(spaces[turn % len(spaces)])
        if full and len(waiting) < WAITING and not self._plans:
            self._looked = time.monotonic()
        if not by_organization:
            self._turn.clear()
        return bool(by_organization)

    def work(self) -> None:
        """Go on until the index of every space says what it does."""
        while self.round(everywhere=True):
            pass

    def _try(self, space_id: str) -> None:
        try:
            self._step(space_id)
        except Exception:
            self._plans.pop(space_id, None)
            log.exception("the space %s could not be indexed; trying again", space_id)
            # Others go on meanwhile: whoever has the lease is left alone.
            with self._database.transaction(writes=True) as session:
                state = writing.state_of(session, space_id)
                if state is not None and state.generation is not None:
                    writing.lease(session, space_id, state.generation, now() + LEASE)

    def _step(self, space_id: str) -> None:
        """Do one batch of a space."""
        with self._database.transaction(writes=False) as session:
            state = writing.state_of(session, space_id)
        if state is None or (state.wanted is None and state.generation is None):
            self._plans.pop(space_id, None)
            return None
        if state.generation is None:
            with self._database.transaction(writes=True) as session:
                writing.begin(session, space_id)
            return self._step(space_id)
        if state.wanted is None or state.version != writing.VERSION:
            self._plans.pop(space_id, None)
            with self._database.transaction(writes=True) as session:
                writing.clear(session, space_id, forget=state.wanted is None)
            return None
        plan = self._plans.get(space_id)
        if plan is None or plan.revision != state.wanted or plan.generation != state.generation:
            plan = self._planned(space_id, state)
        self._batch(space_id, plan)
        return None

    def _planned(self, space_id: str, state: State) -> _Plan:
        assert state.wanted is not None and state.generation is not None
        with self._database.transaction(writes=False) as session:
            row = rows.find(session, HOST, RevisionRow, id=state.wanted, space_id=space_id)
            if row is None:
                raise LookupError(f"the space {space_id} has no revision {state.wanted}")
            snapshot = revisions.snapshot_of(session, row)
            known = writing.known(session, space_id)
        shared = shared_of(snapshot)
        plan = _Plan(state.organization_id, state.wanted, snapshot, shared, state.generation)
        wanted = {page.id: fingerprint_of(snapshot, page) for page in indexed_pages(snapshot)}
        plan.changed = [page for page, fingerprint in wanted.items() if _differs(known.get(page), fingerprint, shared)]
        plan.gone = [page for page in known if page not in wanted]
        return plan

    def _batch(self, space_id: str, plan: _Plan) -> None:
        """Index the next pages of a plan; the last batch says which revision the index is of."""
        gone, ids = plan.gone[:BATCH_PAGES], plan.changed[:BATCH_PAGES]
        with self._database.transaction(writes=False) as session:
            pages = self._pages(session, space_id, plan, ids) if len(gone) < BATCH_PAGES else []
            change = writing.prepare(session, space_id, plan.generation, pages, gone)
        left = len(plan.gone) + len(plan.changed) - len(gone) - len(pages)
        with self._database.transaction(writes=True) as session:
            until = now() + LEASE if left else None
            written = writing.write(session, change, None if left else plan.revision, until)
        if not written or not left:
            self._plans.pop(space_id, None)
            return
        plan.gone, plan.changed = plan.gone[len(gone) :], plan.changed[len(pages) :]
        plan.generation += 1
        if len(self._plans) < KEPT_PLANS:
            self._plans[space_id] = plan

    def _pages(self, session: Session, space_id: str, plan: _Plan, ids: Sequence[str]) -> list[IndexedPage]:
        """Read pages until there is enough text for one transaction."""
        reused = _Reused(session, space_id, plan.snapshot)
        entries = [plan.snapshot.page_by_id[page_id] for page_id in ids]
        names = [entry.document for entry in entries if entry.document is not None and entry.computed is None]
        packed = revisions.packed_documents(session, space_id, names)
        pages: list[IndexedPage] = []
        length = 0
        for entry in entries:
            page = self._page(plan, entry, packed, reused)
            pages.append(page)
            length += sum(len(section.text) for section in page.sections)
            if length >= BATCH_TEXT:
                break
        return pages

    def _page(self, plan: _Plan, page: Page, packed: Mapping[str, bytes], reused: _Reused) -> IndexedPage:
        snapshot = plan.snapshot
        document: Any = {}
        if page.document is not None and page.document in packed and page.computed is None:
            document = unpack(packed[page.document])
        drawn = plan.shared if document and includes(document) else None
        if drawn is not None:
            document = evaluated(document, snapshot.variables, page.variables or {})
        # On every page: blocks with a condition are left out, since not everybody may read them.
        document = unconditional(document)
        sections = sections_of(document, reused.document)
        return IndexedPage(
            page.id,
            fingerprint_of(snapshot, page),
            drawn,
            is_listed(snapshot, page),
            # Older content was stored unchecked, and may have characters that no column can hold.
            storable(page.title),
            storable(snapshot.path_of[page.id]),
            storable(page.description or ""),
            sections,
        )


class _Reused:
    """The documents of a space's reusable contents, the last few of them kept."""

    def __init__(self, session: Session, space_id: str, snapshot: Snapshot) -> None:
        self._session, self._space_id, self._snapshot = session, space_id, snapshot
        self._kept: dict[str, Any] = {}

    def document(self, content_id: str) -> Any:
        """Read the document of a reusable content; None if there is none."""
        if content_id not in self._kept:
            content = self._snapshot.reusable_content_by_id.get(content_id)
            name = content.document if content is not None else None
            found = revisions.documents(self._session, self._space_id, [name]).get(name) if name is not None else None
            if len(self._kept) >= REUSED:
                self._kept.pop(next(iter(self._kept)))
            shown = unconditional(evaluated(found, self._snapshot.variables, {})) if found is not None else None
            self._kept[content_id] = shown
        return self._kept[content_id]


def indexed_pages(snapshot: Snapshot) -> list[Page]:
    """List the pages that are searched: documents."""
    return [page for page in snapshot.pages if page.type == "document"]


def is_listed(snapshot: Snapshot, page: Page) -> bool:
    """Return whether visitors find a page: it is not hidden, nor one it is in, and may be searched."""
    return not page.no_index and page.id not in snapshot.hidden


def fingerprint_of(snapshot: Snapshot, page: Page) -> bytes:
    """Name all that is in the index of a page by its content, except for what it shows of the space."""
    made_of = [
        page.title,
        page.description,
        snapshot.path_of[page.id],
        page.document,
        page.computed is not None,
        page.variables,
        is_listed(snapshot, page),
    ]
    return _digest(made_of)


def shared_of(snapshot: Snapshot) -> bytes:
    """Name what pages may show of their space: its variables and reusable contents."""
    contents = sorted((content.id, content.document) for content in snapshot.reusable_contents)
    return _digest([contents, dict(snapshot.variables)])


def _digest(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, default=_plain)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def _differs(known: Known | None, fingerprint: bytes, shared: bytes) -> bool:
    if known is None or known.fingerprint != fingerprint:
        return True
    return known.drawn is not None and known.drawn != shared
