"""Content as readers see it: the pages that a source computes replace the page that names the source.

Errors of a source do not raise: if there is no valid answer, or too much of it, the page that names the source stays
as it is. Files in a source's answer are not shown. Links, search, exports, change lists and PDFs use the pages that
name sources, not the computed ones.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.computing import Compute, ComputedPages
from runtime.services.computed_answers import Allowance, ComputedAnswers
from runtime.services.computed_pages import IdsWithin, PageWriter, TakenTwice, hidden_as, slugs_in
from runtime.services.computing import ContentSourceClient, Kind, Question, document_in, pages_in
from runtime.services.documents import markdown_of_sent
from runtime.services.editing import MAX_DEPTH, MAX_LISTED, MAX_PAGES, MAX_PATHS, length_of
from runtime.services.openapi_specs import pages as openapi_pages
from runtime.services.openapi_specs.outline import MAX_OUTLINE, MAX_READ, Outline, TooLarge, outline_of
from runtime.services.render_cache import RenderCache
from runtime.store import openapi_specs, rows
from runtime.store.blobs.backend import BlobMissing, BlobsUnavailable
from runtime.store.blobs.store import BlobStore
from runtime.store.content.entries import Page
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.rows import Reach
from runtime.store.tables.openapi_specs import OpenApiSpecRow, OpenApiVersionRow
from runtime.store.tables.spaces import SpaceRow

MAX_SOURCES = 200
"""Maximum sources considered for one read, including cached answers."""
MAX_NESTED = 3
"""Maximum nesting of sources that name further sources."""
OUTLINE_OF_A_PAGE = 2000
"""Bytes of an outline that take as long to read as a page takes to look at."""
_NO_OUTLINE = b"null"


class ComputedContent:
    """The computed content of one revision, for one read; no transaction may be open, since it waits for scripts."""

    def __init__(self, client: ContentSourceClient, cache: RenderCache, database: Database, blobs: BlobStore) -> None:
        self._client, self._database, self._blobs = client, database, blobs
        self._answers = ComputedAnswers(client, cache, Allowance())
        self._absent: set[str] = set()
        self.looked_at = 0
        """Pages that sources gave for this read, in all spaces, and what reading outlines takes, as pages."""
        self._last_outline: tuple[tuple[str, str], Outline | None] | None = None

    def reader(self, reach: Reach, space: SpaceRow, revision_id: str, snapshot: Snapshot) -> Reader:
        """Start reading a revision as a given actor sees it."""
        return Reader(self, reach, space, revision_id, snapshot)

    def ask(self, kind: Kind, reach: Reach, space: SpaceRow, revision_id: str, source: Mapping[str, Any]) -> Any:
        """Have an integration compute what a source names, which is in the content; None where it does not.

        Gives `ComputedPages`, or a document as JSON.
        """
        if source.get("type") in self._absent:
            return None
        try:
            request = Compute.model_validate({"source": source, "seed": ""})
            question: Question = self._client.question(kind, reach, space, request, named=True)
        except ValidationError:  # none of an integration
            return None
        except errors.NotFound:
            self._absent.add(request.source.type)
            return None
        if kind == "content_compute_revision":
            answer = self._answers.of_script(question, revision_id, lambda body: _checked_pages(body, request))
            return pages_in(answer, request) if answer is not None else None
        answer = self._answers.of_script(question, revision_id, lambda body: _document_json(body, request))
        return json.loads(answer) if answer is not None else None

    def outline(self, reach: Reach, space: SpaceRow, slug: str) -> Outline | None:
        """Read the outline of a specification; None where this reader sees none, or it is too large to wait for."""
        # Only the last is kept: one takes megabytes, and pages that name the same specification mostly stand together.
        named = space.id, slug
        if self._last_outline is None or self._last_outline[0] != named:
            self._last_outline = named, self._read_outline(reach, space, slug)
        return self._last_outline[1]

    def _read_outline(self, reach: Reach, space: SpaceRow, slug: str) -> Outline | None:
        with self._database.transaction(writes=False) as session:
            version = _version(session, reach, space, slug)
        if version is None or version.size > MAX_READ:
            return None
        fields = {"computed": "outline", "version": version.id}
        answer = self._answers.kept(
            "outline", version.blob, fields, space.organization_id, lambda: self._outline(version.blob)
        )
        self.looked_at += len(answer or b"") // OUTLINE_OF_A_PAGE
        outline: Outline | None = json.loads(answer) if answer is not None else None
        return outline

    def _outline(self, blob: str) -> bytes:
        try:
            outline = json.dumps(outline_of(self._blobs.read(blob))).encode()
            return outline if len(outline) <= MAX_OUTLINE else _NO_OUTLINE
        except TooLarge:
            return _NO_OUTLINE
        except (BlobMissing, BlobsUnavailable) as error:
            raise errors.Unavailable("The specification cannot be read at the moment.") from error


class Reader:
    """Reads one revision: `filled` puts pages in place, `document` gives what a computed page says."""

    def __init__(
        self, content: ComputedContent, reach: Reach, space: SpaceRow, revision_id: str, snapshot: Snapshot
    ) -> None:
        self._content, self._reach, self._space, self._revision_id = content, reach, space, revision_id
        self._snapshot = snapshot
        self._specs = {openapi_pages.spec_of(page.computed) for page in snapshot.pages if page.computed is not None}

    def filled(self, only: Collection[str] | None = None) -> Snapshot:
        """Put what is computed in the place of the pages that name sources, or of those with the ids in `only`."""
        filling = _Filling(self._snapshot, self)
        pages: list[Page] = []
        for page in self._snapshot.pages:
            wanted = page.type == "computed" and (only is None or page.id in only)
            pages += filling.instead_of(page) if wanted else (page,)
        return replace(self._snapshot, pages=pages)

    def document(self, page: Page) -> Mapping[str, Any] | None:
        """Compute what a page says; None if there is no good answer."""
        source = page.computed or {}
        slug = openapi_pages.spec_of(source)
        if slug is not None:
            outline = self._outline(slug)
            return openapi_pages.document_in(outline, source) if outline is not None else None
        document: Mapping[str, Any] | None = self._content.ask(
            "content_compute_document", self._reach, self._space, self._revision_id, source
        )
        return document

    def pages(self, page: Page) -> ComputedPages | None:
        """Compute the pages that a page stands for; None if there is no good answer."""
        source = page.computed or {}
        slug = openapi_pages.spec_of(source)
        if slug is None:
            asked: ComputedPages | None = self._content.ask(
                "content_compute_revision", self._reach, self._space, self._revision_id, source
            )
            self._content.looked_at += _number_of(asked.pages) if asked is not None else 0
            return asked
        outline = self._outline(slug)
        if outline is None:
            return None
        self._content.looked_at += len(outline["tags"])
        try:
            return ComputedPages.model_validate({"pages": openapi_pages.pages_of(outline, source)})
        except ValidationError:  # a tag with a name that no page can have
            return None

    @property
    def looked_at(self) -> int:
        """How many pages sources gave for this read, whether they are shown or not."""
        return self._content.looked_at

    @property
    def space_id(self) -> str:
        """The space whose content is read."""
        return self._space.id

    def _outline(self, slug: str) -> Outline | None:
        # What a script names does not open a specification to visitors; what people put into the content does.
        if self._reach.kind == "visitor" and slug not in self._specs:
            return None
        return self._content.outline(self._reach, self._space, slug)


class _Filling:
    """Puts pages in place, as long as a revision may have more."""

    def __init__(self, snapshot: Snapshot, reader: Reader) -> None:
        self._reader = reader
        self._sources = MAX_SOURCES
        self._paths = {page_id: len(path) for page_id, path in snapshot.path_of.items()}
        self._path_length = sum(self._paths.values())
        self._count, self._length = len(snapshot.pages), sum(length_of(page) for page in snapshot.pages)
        self._slugs = slugs_in(snapshot.pages)
        self._ids = {page.id for page in snapshot.pages}
        self._depths: dict[str | None, int] = {None: -1}
        for page in snapshot.pages:  # parents first
            self._depths[page.id] = self._depths[page.parent] + 1

    def instead_of(self, page: Page, nested: int = 0) -> list[Page]:
        """Return the pages that stand in the place of one, or that page where they cannot."""
        if self._sources <= 0 or nested >= MAX_NESTED or self._reader.looked_at > MAX_PAGES:
            return [page]
        self._sources -= 1
        answered = self._reader.pages(page)
        computed = self._written(page, answered) if answered is not None else None
        if computed is None or not self._accepted(computed):
            return [page]
        return [
            one
            for made in computed
            for one in (self.instead_of(made, nested + 1) if made.type == "computed" else (made,))
        ]

    def _written(self, page: Page, answered: ComputedPages) -> list[Page] | None:
        writer = PageWriter(self._reader.space_id, page.computed_seed or page.id, IdsWithin(page.id))
        try:
            pages = writer.pages(answered.pages, page.parent, self._slugs.get(page.parent, ()))
        except TakenTwice:
            return None
        return [hidden_as(page, one) for one in pages]

    def _accepted(self, pages: list[Page]) -> bool:
        """Return whether there may be these pages, too, and count them if so."""
        paths: dict[str, int] = {}
        for page in pages:  # parents first
            above = paths.get(page.parent or "", self._paths.get(page.parent or "", 0))
            paths[page.id] = above + len(page.slug or "") + 1
        path_length = self._path_length + sum(paths.values())
        count, length = self._count + len(pages) - 1, self._length + sum(length_of(page) for page in pages)
        ids = {page.id for page in pages}
        depths: dict[str | None, int] = {}
        for page in pages:
            depths[page.id] = (depths[page.parent] if page.parent in depths else self._depths[page.parent]) + 1
        too_deep = max(depths.values(), default=0) > MAX_DEPTH
        too_long = length > MAX_LISTED or path_length > MAX_PATHS
        if count > MAX_PAGES or too_long or too_deep or not ids.isdisjoint(self._ids):
            return False
        self._count, self._length, self._path_length = count, length, path_length
        self._ids |= ids
        self._depths |= depths
        self._paths |= paths
        for parent, slugs in slugs_in(pages).items():
            self._slugs.setdefault(parent, set()).update(slugs)
        return True


def _number_of(pages: Sequence[Any]) -> int:
    """Count pages with those inside them."""
    return sum(1 + _number_of(getattr(page, "pages", None) or ()) for page in pages)


def _version(session: Session, reach: Reach, space: SpaceRow, slug: str) -> OpenApiVersionRow | None:
    spec = rows.find(session, reach, OpenApiSpecRow, organization_id=space.organization_id, slug=slug)
    return openapi_specs.version_of(session, spec) if spec is not None else None


def _checked_pages(answer: bytes, request: Compute) -> bytes:
    pages_in(answer, request)
    return answer


def _document_json(answer: bytes, request: Compute) -> bytes:
    """Write the document that a script answered, once it is known that readers can be shown it in all forms."""
    document = document_in(answer, request).model_dump(mode="json")
    markdown_of_sent(document, "document")
    return json.dumps(document).encode()
