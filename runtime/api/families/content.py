"""Content of spaces: the current revision, and all earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.computed_reading import PageLookup, whole
from runtime.api.deferred_answers import DeferredAnswer
from runtime.api.families.spaces import SPACE
from runtime.api.operation import FROM_SCRIPTS, Family
from runtime.api.permission import Needs, for_visitors, member, scoped
from runtime.api.resource import PathValue, Resource
from runtime.contract import errors
from runtime.contract.change_requests import ChangeRequest
from runtime.contract.computing import DocumentQuery, JsonDocument
from runtime.contract.content import (
    ChangesQuery,
    ContentQuery,
    EvaluatedQuery,
    PageQuery,
    Pages,
    Revision,
    RevisionReusableContent,
    SemanticChanges,
)
from runtime.contract.pages import Page
from runtime.serializers import content as serializers
from runtime.serializers.file_urls import address_of
from runtime.services import content as service
from runtime.services import semantic_changes
from runtime.services.expressions import evaluated
from runtime.services.markdown.writing import markdown_of
from runtime.store.content import entries
from runtime.store.content.revisions import snapshot_of, snapshots_of
from runtime.store.content.snapshot import Snapshot
from runtime.store.cursors import newest_first
from runtime.store.tables.content import RevisionRow
from runtime.store.tables.spaces import SpaceRow

REVISION = Resource(
    "revision",
    RevisionRow,
    at="revisions/{revisionId}",
    within=SPACE,
    parent_column="space_id",
    model=Revision,
    serialize=lambda view, rows: serializers.revisions(view, rows, snapshots_of(view.session, rows), metadata=True),
    order=newest_first(RevisionRow.created_at, RevisionRow.id),
)
PEOPLE_AND_SCRIPTS: Needs = scoped(member("read"), "space:content:read")
"""Permission to read a space as its editors see it."""
READERS: Needs = for_visitors(PEOPLE_AND_SCRIPTS)
CONTENT = f"{SPACE.path}/content"

content = Family(
    "Space content",
    REVISION,
    PathValue("page/{pageId}"),
    PathValue("content/page/{pageId}"),
    PathValue("path/{pagePath}", slashes=True),
    PathValue("content/path/{pagePath}", slashes=True),
    PathValue("reusable-contents/{reusableContentId}"),
    PathValue("content/reusable-contents/{reusableContentId}"),
    PathValue("documents/{documentId}"),
)


@content.operation(f"GET {CONTENT}", Revision, needs=READERS, also=FROM_SCRIPTS)
def get_current_revision(call: Call, space: SpaceRow, query: ContentQuery) -> Revision | DeferredAnswer:
    """Get the current content of a space."""
    return shown_revision(call, service.current(call.session, space), query)


@content.operation(f"GET {CONTENT}/pages", Pages, needs=READERS, also=FROM_SCRIPTS)
def list_pages(call: Call, space: SpaceRow, query: ContentQuery) -> Pages | DeferredAnswer:
    """List the pages of a space, as a tree."""
    return shown_pages(call, service.current(call.session, space), query)


@content.operation(f"GET {CONTENT}/page/{{pageId}}", Page, needs=READERS, also=FROM_SCRIPTS)
def get_page_by_id(call: Call, space: SpaceRow, query: PageQuery) -> Any:
    """Get a page of a space."""
    return shown_page(call, service.current(call.session, space), query, page_id=call.path["pageId"])


@content.operation(f"GET {CONTENT}/path/{{pagePath}}", Page, needs=READERS, also=FROM_SCRIPTS)
def get_page_by_path(call: Call, space: SpaceRow, query: PageQuery) -> Any:
    """Get the page of a space that is at a path."""
    return shown_page(call, service.current(call.session, space), query, path=call.path["pagePath"])


@content.operation(f"GET {CONTENT}/reusable-contents/{{reusableContentId}}", RevisionReusableContent, needs=READERS)
def get_reusable_content_by_id(call: Call, space: SpaceRow, query: ContentQuery) -> RevisionReusableContent:
    """Get a reusable content of a space."""
    return shown_reusable_content(call, service.current(call.session, space), query)


@content.operation(f"GET {SPACE.path}/documents/{{documentId}}", JsonDocument, needs=READERS)
def get_document_by_id(call: Call, space: SpaceRow, query: DocumentQuery) -> JsonDocument:
    """Get a document by the id that a page of any revision gives it."""
    name = call.path["documentId"]
    if not service.may_read(call.session, call.actor.reach, space, name):
        raise errors.not_seen(f"There is no document `{name[:60]}`")
    return _json(service.document_of(call.session, space.id, name))


@content.operation(f"GET {REVISION.path}", Revision, needs=READERS, also=FROM_SCRIPTS)
def get_revision_by_id(call: Call, revision: RevisionRow, query: ContentQuery) -> Revision | DeferredAnswer:
    """Get a revision of a space."""
    return shown_revision(call, revision, query)


@content.operation(f"GET {REVISION.path}/changes", SemanticChanges, needs=PEOPLE_AND_SCRIPTS)
def get_revision_semantic_changes(
    call: Call, space: SpaceRow, revision: RevisionRow, query: ChangesQuery
) -> SemanticChanges:
    """Get what a revision changed compared to the previous one."""
    merged_from = serializers.merged_from(call.view(call.session), revision)
    address = partial(address_of, call.host.addresses, space.id)
    return shown_changes(semantic_changes.of(call.session, revision, address), query.limit, merged_from)


@content.operation(f"GET {REVISION.path}/pages", Pages, needs=READERS, also=FROM_SCRIPTS)
def list_pages_in_revision_by_id(call: Call, revision: RevisionRow, query: ContentQuery) -> Pages | DeferredAnswer:
    """List the pages of a revision, as a tree."""
    return shown_pages(call, revision, query)


@content.operation(f"GET {REVISION.path}/page/{{pageId}}", Page, needs=READERS, also=FROM_SCRIPTS)
def get_page_in_revision_by_id(call: Call, revision: RevisionRow, query: PageQuery) -> Any:
    """Get a page of a revision."""
    return shown_page(call, revision, query, page_id=call.path["pageId"])


@content.operation(f"GET {REVISION.path}/page/{{pageId}}/document", JsonDocument, needs=READERS, also=FROM_SCRIPTS)
def get_page_document_in_revision_by_id(call: Call, revision: RevisionRow, query: EvaluatedQuery) -> Any:
    """Get the document of a page of a revision; that of a computed page is empty while its source does not answer."""

    def shown(snapshot: Snapshot, page: entries.Page, computed: Mapping[str, Any] | None) -> JsonDocument:
        return _json(_document(call, revision, snapshot, page, evaluate=bool(query.evaluated), computed=computed))

    return PageLookup(call, revision, page_id=call.path["pageId"]).show(shown, computed=True, documents=True)


@content.operation(f"GET {REVISION.path}/path/{{pagePath}}", Page, needs=READERS, also=FROM_SCRIPTS)
def get_page_in_revision_by_path(call: Call, revision: RevisionRow, query: PageQuery) -> Any:
    """Get the page of a revision that is at a path."""
    return shown_page(call, revision, query, path=call.path["pagePath"])


@content.operation(
    f"GET {REVISION.path}/reusable-contents/{{reusableContentId}}", RevisionReusableContent, needs=READERS
)
def get_reusable_content_in_revision_by_id(
    call: Call, revision: RevisionRow, query: ContentQuery
) -> RevisionReusableContent:
    """Get a reusable content of a revision."""
    return shown_reusable_content(call, revision, query)


@content.operation(f"GET {REVISION.path}/reusable-contents/{{reusableContentId}}/document", JsonDocument, needs=READERS)
def get_reusable_content_document_in_revision_by_id(
    call: Call, revision: RevisionRow, query: EvaluatedQuery
) -> JsonDocument:
    """Get the document of a reusable content of a revision."""
    snapshot = snapshot_of(call.session, revision)
    one = service.reusable_content_in(snapshot, call.path["reusableContentId"])
    return _json(_document(call, revision, snapshot, one, evaluate=bool(query.evaluated)))


def shown_changes(changes: Sequence[Any], limit: int, merged_from: ChangeRequest | None = None) -> SemanticChanges:
    """Return the first of some changes, and the number of further ones."""
    more = len(changes) - limit
    return SemanticChanges(
        merged_from=merged_from or MISSING, changes=list(changes[:limit]), more=more if more > 0 else MISSING
    )


def shown_revision(call: Call, row: RevisionRow, query: ContentQuery) -> Revision | DeferredAnswer:
    """Return a whole revision; its files do not include those that a source computes."""

    def shown(snapshot: Snapshot) -> Revision:
        return serializers.revisions(call.view(call.session), [row], [snapshot], metadata=query.metadata)[0]

    return whole(call, row, computed=query.computed, show=shown)


def _tree(call: Call, row: RevisionRow, snapshot: Snapshot, query: ContentQuery) -> serializers.PageTree:
    return serializers.PageTree(call.host.addresses, row.space_id, snapshot, metadata=query.metadata)


def shown_pages(call: Call, row: RevisionRow, query: ContentQuery) -> Pages | DeferredAnswer:
    """Show the pages of a revision."""

    def shown(snapshot: Snapshot) -> Pages:
        return Pages(pages=_tree(call, row, snapshot, query).inside(None))

    return whole(call, row, computed=query.computed, show=shown)


def shown_page(
    call: Call, row: RevisionRow, query: PageQuery, *, page_id: str = "", path: str | None = None
) -> dict[str, Any] | DeferredAnswer:
    """Show the page with an id or at a path, with its document where a format is asked for; raises NotFound.

    A computed page is shown without its document while its source does not answer.
    """

    def shown(snapshot: Snapshot, page: entries.Page, computed: Mapping[str, Any] | None) -> dict[str, Any]:
        one = _tree(call, row, snapshot, query).page(page)
        if query.format is None or page.type != "document" or (page.computed is not None and computed is None):
            return one
        document = _document(call, row, snapshot, page, evaluate=bool(query.evaluated), computed=computed)
        said = document if query.format == "document" else markdown_of(document)
        return {**one, query.format: said}

    lookup = PageLookup(call, row, page_id=page_id, path=path)
    return lookup.show(shown, computed=query.computed, documents=query.format is not None)


def _document(
    call: Call,
    row: RevisionRow,
    snapshot: Snapshot,
    of: entries.Page | entries.ReusableContent,
    *,
    evaluate: bool,
    computed: Mapping[str, Any] | None = None,
) -> Any:
    document = computed if computed is not None else service.document_of(call.session, row.space_id, of.document)
    variables = of.variables if isinstance(of, entries.Page) else None
    return evaluated(document, snapshot.variables, variables or {}) if evaluate else document


def shown_reusable_content(call: Call, row: RevisionRow, query: ContentQuery) -> RevisionReusableContent:
    """Show the reusable content that the path names."""
    snapshot = snapshot_of(call.session, row)
    found = service.reusable_content_in(snapshot, call.path["reusableContentId"])
    return serializers.reusable_content(found, metadata=query.metadata)


def _json(document: Any) -> JsonDocument:
    return JsonDocument(data=document.get("data", {}), nodes=document["nodes"])
