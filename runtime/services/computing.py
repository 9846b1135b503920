"""Has an integration compute content: its script is called, its answer checked and put into the platform's form."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import MISSING, BaseModel, ValidationError
from sqlalchemy.orm import Session

from runtime.contract import errors
from runtime.contract.addresses import Addresses
from runtime.contract.base import nul_free
from runtime.contract.computing import (
    Compute,
    ComputedDocument,
    ComputedPages,
    ComputedRevision,
    InputPageDocument,
    InputPageGroup,
    JsonDocument,
    SpaceRef,
)
from runtime.contract.documents import NotADocument, check_document
from runtime.contract.identifiers import ALPHABET, LENGTH
from runtime.contract.slugs import Slugs, slug_of
from runtime.dispatch.deliveries import Plans, level_of
from runtime.dispatch.invoke import Invoker
from runtime.dispatch.planning import Level
from runtime.serializers.content import LAYOUT
from runtime.services.computed_sources import check_named, plain_seed, signed_seed
from runtime.services.markdown.reading import document_of
from runtime.services.rendering import body_of, failed, script_error
from runtime.store import installed, rows, searching
from runtime.store.database import Database
from runtime.store.queue import Source
from runtime.store.rows import Reach
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.spaces import SpaceRow

LONGEST_MARKDOWN = 1_000_000
M = TypeVar("M", bound=BaseModel)


class ContentSourceClient:
    """Asks content sources, for readers of one space."""

    def __init__(self, database: Database, plans: Plans, invoker: Invoker, at: Addresses) -> None:
        self._database, self._plans, self._invoker, self._at = database, plans, invoker, at

    def revision(self, reach: Reach, space: SpaceRow, request: Compute) -> ComputedRevision:
        """Compute the pages and files of a source; raises NotFound, or what the script's failure becomes."""
        answer = self._ask("content_compute_revision", reach, space, request)
        pages = _read(ComputedPages, answer, request, "pages")
        ids = _Ids(request)
        writer = _Pages(self._at, space.id, request.seed, ids)
        files = [
            {"id": ids.of(file.id, "file", place), **file.model_dump(mode="json", by_alias=True, exclude={"id"})}
            for place, file in enumerate(pages.files)
        ]
        return ComputedRevision(pages=writer.pages(pages.pages, ""), files=files, reusable_contents=[])

    def document(self, reach: Reach, space: SpaceRow, request: Compute) -> JsonDocument:
        """Compute one document of a source; raises as `revision` does."""
        answer = self._ask("content_compute_document", reach, space, request)
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
        written = document_of(markdown)
        return JsonDocument(data=written["data"], nodes=written["nodes"])

    def _ask(self, kind: str, reach: Reach, space: SpaceRow, request: Compute) -> bytes:
        name, source = request.source.names

        def find(session: Session) -> Level | None:
            return _level(session, reach, space, name, source)

        plan = self._plans.get(("compute", reach, space.id, name, source), self._database.basis(), find)
        if plan is None:
            raise errors.NotFound(f"`{name}` is not active on this space.")
        with self._database.transaction(writes=False) as session:
            if reach.kind == "visitor":
                check_named(session, space, request)
            dependencies = {
                key: {"ref": dependency.ref.model_dump(mode="json"), "value": _value(session, reach, dependency.ref)}
                for key, dependency in request.source.dependencies.items()
            }
        fields = {"spaceId": space.id, "sourceId": source, "props": request.source.props, "dependencies": dependencies}
        source_: Source = "visitors" if reach.kind == "visitor" else "people"
        outcome = self._invoker.call(plan, kind, fields, source=source_)
        if outcome.failure is not None:
            raise failed(outcome.failure)
        body = body_of(outcome.body)
        if outcome.status >= 300:
            raise script_error(outcome.status, body, "computed content")
        return body


def _level(session: Session, reach: Reach, space: SpaceRow, name: str, source: str) -> Level | None:
    integration = rows.find(session, reach, IntegrationRow, name=name)
    if integration is None or integration.id not in {row.id for row in searching.active_on_space(session, space)}:
        return None
    if source not in {source_["id"] for source_ in integration.manifest.get("contentSources") or ()}:
        raise errors.NotFound(f"`{name}` has no content source `{source[:60]}`.")
    installation = installed.covering_space(session, integration.id, space)
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
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])[:200]
        raise _no_such_thing(request, what, f"{where}: {first['msg']}" if where else first["msg"]) from None
    except ValueError as error:
        raise _no_such_thing(request, what, str(error)) from None
    return parsed


def _no_such_thing(request: Compute, what: str, why: str) -> errors.BadGateway:
    return errors.BadGateway(f"`{request.source.type}` answered with something that is not {what}: {why}.")


class _Ids:
    """Ids for what the script gave none: the same for the same seed and place."""

    def __init__(self, request: Compute) -> None:
        self._wanted = request
        self._taken: set[str] = set()

    def of(self, given: Any, *place: object) -> str:
        """Take a given id, or make one; raises BadGateway for one that is taken."""
        id_ = given if isinstance(given, str) else self._made(place)
        if id_ in self._taken:
            raise _no_such_thing(self._wanted, "pages", f"the id `{id_}` is given twice")
        self._taken.add(id_)
        return id_

    def _made(self, place: tuple[object, ...]) -> str:
        digest = hashlib.sha256(
            repr((self._wanted.source.type, plain_seed(self._wanted.seed), place)).encode()
        ).digest()
        number = int.from_bytes(digest, "big")
        return "".join(ALPHABET[number // 62**at % 62] for at in range(LENGTH))


class _Pages:
    """Writes the pages of a script as the pages of a revision."""

    def __init__(self, at: Addresses, space_id: str, seed: str, ids: _Ids) -> None:
        self._at, self._space_id, self._seed, self._ids = at, space_id, seed, ids

    def pages(self, given: Sequence[Any], parent: str) -> list[dict[str, Any]]:
        """Write pages that stand beside each other."""
        slugs = Slugs()
        return [self._page(page, parent, place, slugs) for place, page in enumerate(given)]

    def _page(self, page: Any, parent: str, place: int, slugs: Slugs) -> dict[str, Any]:
        page_shown: dict[str, Any] = {"id": self._ids.of(page.id, parent, place)}
        page_shown |= page.model_dump(mode="json", by_alias=True, exclude={"id", "slug", "pages"})
        if page.type == "link":
            return {**page_shown, "kind": "link"}
        if not isinstance(page, InputPageDocument | InputPageGroup):
            return page_shown
        slug = slugs.take(slug_of(page.slug if isinstance(page.slug, str) else page.title))
        path = f"{parent}/{slug}" if parent else slug
        page_shown |= {"slug": slug, "path": path, "pages": self.pages(page.pages, path)}
        if page.type == "group":
            return {**page_shown, "kind": "group"}
        app = self._at.app("spaces", self._space_id, "pages", page_shown["id"])
        seed = {}
        if page.computed is not MISSING:
            seed = {"computedSeed": signed_seed(self._space_id, page_shown["computed"], self._seed)}
        return {**page_shown, "kind": "sheet", "urls": {"app": app}, "layout": dict(LAYOUT), **seed}
