"""Links of a revision: what pages refer to, whether it is there, and where the links are (docs/contract/api.md)."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from sqlalchemy.orm import Session

from runtime.contract.addresses import Addresses
from runtime.contract.batches import batched
from runtime.contract.document_references import Reference, Relation, is_reference
from runtime.contract.links import MAX_PLACES
from runtime.store import openapi_specs, rows
from runtime.store.content import references
from runtime.store.content.entries import Page, ReusableContent
from runtime.store.content.references import NOTHING, Found
from runtime.store.content.revisions import entries_in, snapshot_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Table
from runtime.store.reach import HOST, Reach
from runtime.store.tables.collections import CollectionRow
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.openapi_specs import OpenApiSpecRow
from runtime.store.tables.organizations import MemberRow, UserRow
from runtime.store.tables.spaces import SpaceRow

Status = Literal["ok", "broken", "in-app"]
MAX_SPACES, MAX_ENTRIES = 50, 50_000
"""Other spaces whose pages are looked for, and about how many pages, files and reusable contents all of them have; what
leads into more is shown as if it were there."""
MAX_LINKS = 200_000
"""Links of a revision that are looked at."""
AT_ONCE = 500
"""Ids in one statement."""


class Place(NamedTuple):
    """Where a link is: in a page or a reusable content, at a node that has a key or id."""

    entry: Page | ReusableContent
    node: str | None


class Version(NamedTuple):
    """A version of a space's content: the one whose links are read, or what another space says now."""

    space: SpaceRow
    revision: RevisionRow
    snapshot: Snapshot


@dataclass(slots=True)
class Usage:
    """One target, how often and where it is used; `status` is the actor's: what they do not see is broken."""

    key: str
    ref: Mapping[str, Any]
    relation: Relation
    status: Status = "ok"
    places: list[Place] = field(default_factory=list)
    count: int = 0


class Links:
    """What a revision refers to, as an actor sees it."""

    def __init__(self, session: Session, reach: Reach, at: Addresses, space: SpaceRow, row: RevisionRow) -> None:
        """Take a revision; its references are read when they are looked for."""
        self._session, self._reach = session, reach
        self._app = at.app()
        self.here = Version(space, row, snapshot_of(session, row))
        self._anchors: dict[str, frozenset[str]] = {}
        self._seen: dict[type[Table], set[str]] = {}
        self._elsewhere: dict[str, Version | None] = {}
        self._entries_left = MAX_ENTRIES

    def usages(self, page: Page | None = None) -> list[Usage]:
        """Group the references of a revision, or of one page, by their target, in the order they are read in."""
        usages: dict[str, Usage] = {}
        entries: Iterable[Page | ReusableContent] = [page] if page is not None else self._entries()
        for entry, reference in self._links(entries):
            ref = self._absolute(reference.ref, entry)
            key = hashlib.blake2b(f"{reference.relation} {sorted(ref.items())}".encode(), digest_size=12).hexdigest()
            usage = usages.get(key)
            if usage is None:
                usage = usages[key] = Usage(key, ref, reference.relation)
            usage.count += 1
            if len(usage.places) < MAX_PLACES:
                usage.places.append(Place(entry, reference.node))
        self._look(usages.values())
        return list(usages.values())

    def elsewhere(self, usages: Iterable[Usage]) -> list[Version]:
        """Return the other spaces that these lead into, of those that were looked at."""
        ids = dict.fromkeys(usage.ref["space"] for usage in usages if usage.status == "ok" and "space" in usage.ref)
        return [other for space_id in ids if (other := self._elsewhere.get(space_id)) is not None]

    def leading_to(self, field_: Literal["page", "file"], target: str) -> list[Place]:
        """Find what refers to a page or a file of this revision: each page or reusable content once."""
        places: dict[str, Place] = {}
        for entry, reference in self._links(self._entries()):
            ref = self._absolute(reference.ref, entry)
            if ref.get(field_) == target and ref.get("space", self.here.space.id) == self.here.space.id:
                places.setdefault(f"{entry.kind} {entry.id}", Place(entry, reference.node))
        return list(places.values())

    def _links(self, entries: Iterable[Page | ReusableContent]) -> Iterator[tuple[Page | ReusableContent, Reference]]:
        return itertools.islice(self._every(entries), MAX_LINKS)

    def _every(self, entries: Iterable[Page | ReusableContent]) -> Iterator[tuple[Page | ReusableContent, Reference]]:
        portions = references.portions(self._session, self.here.space.id, entries, lambda entry: entry.document)
        for some, found in portions:
            yield from ((entry, reference) for entry in some for reference in self._of(entry, found))

    def _entries(self) -> Iterator[Page | ReusableContent]:
        yield from self.here.snapshot.pages
        yield from self.here.snapshot.reusable_contents

    def _of(self, entry: Page | ReusableContent, found: Mapping[str, Found]) -> Iterator[Reference]:
        if isinstance(entry, Page):
            if entry.target is not None and is_reference(dict(entry.target)):
                yield Reference(dict(entry.target), None, "reference")
            for name in ("ref", "refDark"):
                shown = (entry.cover or {}).get(name)
                if isinstance(shown, dict) and is_reference(shown):
                    yield Reference(shown, None, "dependsOn")
        if entry.document is not None:
            yield from found.get(entry.document, NOTHING).references

    def _absolute(self, ref: Mapping[str, Any], entry: Page | ReusableContent) -> dict[str, Any]:
        """Say of which page an anchor is that names none; leave out a space that is this one."""
        named = {name: value for name, value in ref.items() if isinstance(value, str)}
        if named.get("space") == self.here.space.id and named["kind"] != "space":
            del named["space"]
        if named["kind"] == "anchor" and "page" not in named and "space" not in named and isinstance(entry, Page):
            named["page"] = entry.id
        return named

    def _look(self, usages: Iterable[Usage]) -> None:
        usages = list(usages)
        named = [usage.ref for usage in usages]
        self._see(SpaceRow, {ref["space"] for ref in named if "space" in ref})
        self._see(CollectionRow, {ref["collection"] for ref in named if ref["kind"] == "collection"})
        people = sorted({ref["user"] for ref in named if ref["kind"] == "user"})
        members: set[str] = set()
        for batch in batched(people, AT_ONCE):
            some = MemberRow.user_id.in_(batch)
            every = rows.every(self._session, HOST, MemberRow, some, organization_id=self.here.space.organization_id)
            members |= {member.user_id for member in every}
        # Guests see of the people in an organization those alone whom they work with.
        if self._reach.kind == "user":
            members = set(rows.seen_by_id(self._session, self._reach, UserRow, members))
        self._seen[MemberRow] = members
        self._seen[OpenApiSpecRow] = self._specs({ref["spec"] for ref in named if ref["kind"] == "openapi"})
        self._find_anchors(named)
        for usage in usages:
            usage.status = self._status(usage.ref)

    def _find_anchors(self, named: Iterable[Mapping[str, Any]]) -> None:
        """Find which of the anchors that links name are in the pages of this revision."""
        wanted: dict[str, set[str]] = {}
        for ref in named:
            page = self.here.snapshot.page_by_id.get(ref.get("page", "")) if "space" not in ref else None
            if ref["kind"] == "anchor" and page is not None and page.document is not None:
                wanted.setdefault(page.document, set()).add(ref["anchor"])
        for document, found in references.each(self._session, self.here.space.id, wanted):
            self._anchors[document] = found.anchors & wanted[document]

    def _see(self, table: type[SpaceRow] | type[CollectionRow], ids: set[str]) -> None:
        seen: set[str] = set()
        every = sorted(ids)
        for batch in batched(every, AT_ONCE):
            found = rows.every(self._session, self._reach, table, table.id.in_(batch))
            seen |= {row.id for row in found}
        self._seen[table] = seen

    def _specs(self, slugs: set[str]) -> set[str]:
        """Find which of these specifications of the organization the actor sees."""
        home = self.here.space.organization_id
        return {spec.slug for spec in openapi_specs.by_slugs(self._session, self._reach, home, slugs)}

    def _status(self, ref: Mapping[str, Any]) -> Status:
        kind = ref["kind"]
        if kind == "url":
            return "in-app" if ref["url"] == self._app or ref["url"].startswith(f"{self._app}/") else "ok"
        if kind == "user":
            return "ok" if ref["user"] in self._seen[MemberRow] else "broken"
        if kind == "collection":
            return "ok" if ref["collection"] in self._seen[CollectionRow] else "broken"
        if kind == "openapi":
            return "ok" if ref["spec"] in self._seen[OpenApiSpecRow] else "broken"
        if "space" in ref and ref["space"] not in self._seen[SpaceRow] and ref["space"] != self.here.space.id:
            return "broken"
        if kind == "space":
            return "ok"
        snapshot = self._snapshot(ref.get("space"))
        return "ok" if snapshot is None or self._is_in(snapshot, ref, "space" in ref) else "broken"

    def _snapshot(self, space_id: str | None) -> Snapshot | None:
        """Return what a space says now; None for one that is not looked at."""
        if space_id is None:
            return self.here.snapshot
        if space_id not in self._elsewhere:
            if len(self._elsewhere) >= MAX_SPACES:
                return None
            self._elsewhere[space_id] = self._look_at(space_id)
        other = self._elsewhere[space_id]
        return other.snapshot if other is not None else None

    def _look_at(self, space_id: str) -> Version | None:
        space = rows.find(self._session, self._reach, SpaceRow, id=space_id)
        row = rows.find(self._session, HOST, RevisionRow, id=space.revision_id) if space is not None else None
        if space is None or row is None:
            return None
        self._entries_left -= entries_in(row)
        return Version(space, row, snapshot_of(self._session, row)) if self._entries_left >= 0 else None

    def _is_in(self, snapshot: Snapshot, ref: Mapping[str, Any], elsewhere: bool) -> bool:
        kind = ref["kind"]
        if kind == "file":
            return ref["file"] in snapshot.file_by_id
        if kind == "reusable-content":
            return ref["reusableContent"] in snapshot.reusable_content_by_id
        if "page" not in ref:  # an anchor in a reusable content is one of whatever page includes it
            return True
        page = snapshot.page_by_id.get(ref["page"])
        if page is None:
            return False
        # What other spaces' pages say is not read for this, nor what is computed.
        known = kind == "anchor" and not elsewhere and page.type == "document" and page.computed is None
        return not known or not ref["anchor"] or ref["anchor"] in self._anchors.get(page.document or "", ())


def counted(usages: Sequence[Usage]) -> Counter[str]:
    """Count links by their status, each place they are at."""
    counts: Counter[str] = Counter()
    for usage in usages:
        counts[usage.status] += usage.count
    return counts
