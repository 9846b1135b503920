"""Has an integration compute content: its script is called, its answer checked and put into the platform's form."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.base import nul_free
from runtime.contract.computing import (
    Compute,
    ComputedDocument,
    ComputedPages,
    ComputedRevision,
    JsonDocument,
    SpaceRef,
)
from runtime.contract.document_size import size_problem
from runtime.contract.documents import NotADocument, check_document
from runtime.contract.validation import LONGEST_PLACE, MAX_ERRORS, place_of, words
from runtime.dispatch.deliveries import Plans, level_of
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.planning import Level, Plan
from runtime.serializers.content import PageTree
from runtime.services.computed_pages import Ids, PageWriter, TakenTwice
from runtime.services.computed_sources import check_named, plain_seed
from runtime.services.documents import seconds_for
from runtime.services.markdown.patience import TakesTooLong
from runtime.services.markdown.reading import document_of
from runtime.services.rendering import body_of, failed, script_error
from runtime.store import installed, rows, searching
from runtime.store.content.snapshot import Snapshot
from runtime.store.database import Database
from runtime.store.queue import Source
from runtime.store.rows import Reach
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.spaces import SpaceRow

LONGEST_MARKDOWN = 1_000_000
Kind = Literal["content_compute_revision", "content_compute_document"]
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Question:
    """What a script is asked: `plan` and `fields` have all that it sees, except for its tokens and the event's id."""

    plan: Plan
    kind: Kind
    fields: dict[str, Any]
    source: Source


class ContentSourceClient:
    """Asks content sources, for readers of one space."""

    def __init__(self, database: Database, plans: Plans, invoker: Invoker, at: Addresses) -> None:
        self._database, self._plans, self._invoker, self._at = database, plans, invoker, at

    def revision(self, reach: Reach, space: SpaceRow, request: Compute) -> ComputedRevision:
        """Compute the pages and files of a source; raises NotFound, or what the script's failure becomes."""
        answer = self.answer(self.question("content_compute_revision", reach, space, request))
        return self.written(space, request, pages_in(answer, request))

    def written(self, space: SpaceRow, request: Compute, answered: ComputedPages) -> ComputedRevision:
        """Show the pages a source answered as those of a revision; raises BadGateway for an id that occurs twice."""
        ids = Ids(request.source.type, plain_seed(request.seed))
        try:
            pages = PageWriter(space.id, request.seed, ids).pages(answered.pages)
            files = [
                {"id": ids.of(file.id, "file", place), **file.model_dump(mode="json", by_alias=True, exclude={"id"})}
                for place, file in enumerate(answered.files)
            ]
        except TakenTwice as error:
            raise _no_such_thing(request, "pages", str(error)) from None
        tree = PageTree(self._at, space.id, Snapshot(pages), metadata=False)
        return ComputedRevision(pages=tree.inside(None), files=files, reusable_contents=[])

    def document(self, reach: Reach, space: SpaceRow, request: Compute) -> JsonDocument:
        """Compute one document of a source; raises as `revision` does."""
        return document_in(self.answer(self.question("content_compute_document", reach, space, request)), request)

    def question(self, kind: Kind, reach: Reach, space: SpaceRow, request: Compute, *, named: bool = False) -> Question:
        """Find whom to ask, and what; raises NotFound.

        Raises Forbidden where a visitor asks for what the content does not name, unless it is known that it does.
        """
        name, source = request.source.names

        def find(session: Session) -> Level | None:
            return _level(session, reach, space, name, source)

        plan = self._plans.get(("compute", reach, space.id, name, source), self._database.basis(), find)
        if plan is None:
            raise errors.NotFound(f"`{name}` is not active on this space.")
        with self._database.transaction(writes=False) as session:
            if reach.kind == "visitor" and not named:
                check_named(session, space, request)
            dependencies = {
                key: {"ref": dependency.ref.model_dump(mode="json"), "value": _value(session, reach, dependency.ref)}
                for key, dependency in request.source.dependencies.items()
            }
        fields = {"spaceId": space.id, "sourceId": source, "props": request.source.props, "dependencies": dependencies}
        return Question(plan, kind, fields, "visitors" if reach.kind == "visitor" else "people")

    def waiting(self, owner: str, part: str) -> AbstractContextManager[None]:
        """Return the place of a reader who waits for what another one asks; entering it raises `NoneLeft`."""
        return self._invoker.waiting(owner, part)

    def answer(self, question: Question, seconds: float | None = None) -> bytes:
        """Have the script answer, perhaps within less time than it has; raises what its failure becomes."""
        outcome = self._invoker.call(
            question.plan, question.kind, question.fields, source=question.source, seconds=seconds
        )
        if outcome.failure is not None:
            raise failed(outcome.failure)
        body = body_of(outcome.body)
        if outcome.status >= 300:
            raise script_error(outcome.status, body, "computed content")
        return body


def pages_in(answer: bytes, request: Compute) -> ComputedPages:
    """Read what a script answered as pages; raises BadGateway."""
    return _read(ComputedPages, answer, request, "pages")


def document_in(answer: bytes, request: Compute) -> JsonDocument:
    """Read what a script answered as a document; raises BadGateway."""
    document = _read(ComputedDocument, answer, request, "a document").document
    if isinstance(document.document, dict):
        try:
            check_document(document.document)
        except NotADocument as error:
            raise _no_such_thing(request, "a document", str(error)) from None
        return JsonDocument(data=document.document.get("data", {}), nodes=document.document["nodes"])
    markdown = document.markdown if isinstance(document.markdown, str) else ""
    if len(markdown) > LONGEST_MARKDOWN:
        raise _no_such_thing(request, "a document", f"markdown: longer than {LONGEST_MARKDOWN} characters")
    try:
        written = document_of(markdown, seconds=seconds_for(len(markdown)))
    except TakesTooLong:
        raise _no_such_thing(request, "a document", "markdown: takes too long to parse") from None
    problem = size_problem(written)
    if problem is not None:
        raise _no_such_thing(request, "a document", f"markdown: {problem}")
    return JsonDocument(data=written["data"], nodes=written["nodes"])


def _level(session: Session, reach: Reach, space: SpaceRow, name: str, source: str) -> Level | None:
    integration = rows.find(session, reach, IntegrationRow, name=name)
    if integration is None or not searching.is_active_on_space(session, integration.id, space):
        return None
    if source not in {source_["id"] for source_ in integration.manifest.get("contentSources") or ()}:
        raise errors.NotFound(f"`{name}` has no content source `{source[:60]}`.")
    installation = installed.covering_space(session, integration, space)
    return level_of(session, integration.id, installation.id, space.id, None) if installation else None


def _value(session: Session, reach: Reach, ref: BaseModel) -> dict[str, Any] | None:
    """Look up what a reference names; null for what is not there, and for kinds this host has none of."""
    row = rows.find(session, reach, SpaceRow, id=ref.space) if isinstance(ref, SpaceRef) else None
    return {"object": "space", "id": row.id, "revision": row.revision_id} if row is not None else None


def _read(model: type[M], answer: bytes, request: Compute, what: str) -> M:
    try:
        parsed = model.model_validate_json(answer)
        nul_free(parsed.model_dump(mode="json"))
    except ValidationError as error:
        if error.error_count() > MAX_ERRORS:
            raise _no_such_thing(request, what, f"it is wrong in {error.error_count():,} places") from None
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, place_of(first)))[:LONGEST_PLACE]
        raise _no_such_thing(request, what, f"{where}: {words(first)}" if where else words(first)) from None
    except ValueError as error:
        raise _no_such_thing(request, what, str(error)) from None
    return parsed


def _no_such_thing(request: Compute, what: str, why: str) -> errors.BadGateway:
    return errors.BadGateway(f"`{request.source.type}` answered with something that is not {what}: {why}.")
