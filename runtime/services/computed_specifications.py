"""Computes the pages of a specification for requests that name their source, the same pages that readers see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.contract import errors
from runtime.contract.computing import Compute, ComputedRevision, JsonDocument
from runtime.services import content
from runtime.services.computed_content import ComputedContent, Reader
from runtime.services.computed_sources import check_named
from runtime.services.computing import ContentSourceClient
from runtime.services.openapi_specs.pages import spec_of
from runtime.store.content.entries import Page
from runtime.store.content.revisions import snapshot_of
from runtime.store.database import Database
from runtime.store.rows import Reach
from runtime.store.tables.spaces import SpaceRow


class SpecificationSource:
    """Answers as `ContentSourceClient` does, for sources of the type `builtin:openapi`."""

    def __init__(self, client: ContentSourceClient, computed: ComputedContent, database: Database) -> None:
        self._client, self._computed, self._database = client, computed, database

    def revision(self, reach: Reach, space: SpaceRow, request: Compute) -> ComputedRevision:
        """List the pages of a specification; raises NotFound, and Forbidden as the client does."""
        reader, page = self._asked(reach, space, request)
        answered = reader.pages(page)
        if answered is None:
            raise _absent(page.computed or {})
        return self._client.written(space, request, answered)

    def document(self, reach: Reach, space: SpaceRow, request: Compute) -> JsonDocument:
        """Return what one of these pages says; raises as `revision` does."""
        reader, page = self._asked(reach, space, request)
        document = reader.document(page)
        if document is None:
            raise _absent(page.computed or {})
        return JsonDocument(data=document["data"], nodes=document["nodes"])

    def _asked(self, reach: Reach, space: SpaceRow, request: Compute) -> tuple[Reader, Page]:
        source = request.source.model_dump(mode="json", by_alias=True)
        with self._database.transaction(writes=False) as session:
            if reach.kind == "visitor":
                check_named(session, space, request)
            revision = content.current(session, space)
            snapshot = snapshot_of(session, revision)
        reader = self._computed.reader(reach, space, revision.id, snapshot)
        return reader, Page("asked", type="computed", title="", computed=source)


def _absent(source: Mapping[str, Any]) -> errors.NotFound:
    def told(reader: str) -> str:
        return (
            f"The specification `{spec_of(source)}` has no such page. Either {reader} may not see the specification, or"
            " it has no version that could be read, is too large for pages, or has no page of that name."
        )

    return errors.NotFound(told("this token"), on_pages=told("you"))
