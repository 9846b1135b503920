"""Gives specifications their sources, from which they are processed in the background."""

from __future__ import annotations

import io

from runtime.contract import errors
from runtime.contract.openapi_specs import MAX_TEXT, TextSource, UrlSource
from runtime.services import organization_storage
from runtime.services.openapi_specs.processing import KIND
from runtime.store import openapi_specs as store
from runtime.store.blobs.store import BlobStore
from runtime.store.database import Database
from runtime.store.jobs import TooManyJobs
from runtime.store.tables.openapi_specs import OpenApiSpecRow


class Sources:
    """Writes sources down: a text as a blob first, with no transaction open, then the rest in one."""

    def __init__(self, database: Database, blobs: BlobStore, seconds: float) -> None:
        """Take how long a file may take to fetch."""
        self._database, self._blobs, self._seconds = database, blobs, seconds

    def create(self, organization_id: str, slug: str, source: UrlSource | TextSource) -> OpenApiSpecRow:
        """Make a specification; raises BadRequest, TooManyRequests."""
        return self._write(organization_id, slug, source, replace=False)[0]

    def put(self, organization_id: str, slug: str, source: UrlSource | TextSource) -> tuple[OpenApiSpecRow, bool]:
        """Make a specification, or give one another source; tells whether it is new. Raises as `create` does."""
        return self._write(organization_id, slug, source, replace=True)

    def _write(
        self, organization_id: str, slug: str, source: UrlSource | TextSource, *, replace: bool
    ) -> tuple[OpenApiSpecRow, bool]:
        # Half of a character is kept as well: that it cannot be read is for the processing to say.
        text = source.text.encode("utf-8", "surrogatepass") if isinstance(source, TextSource) else b""
        with self._database.transaction(writes=False) as session:  # before it is stored
            organization_storage.enforce_for_files(session, organization_id, len(text))
        blob = self._blobs.put(io.BytesIO(text), MAX_TEXT, organization_id) if isinstance(source, TextSource) else None
        try:
            with self._database.transaction(writes=True) as session:
                organization_storage.enforce(session, organization_id, len(text))
                store.lock_specs(session, organization_id)
                url = source.url if isinstance(source, UrlSource) else None
                name = blob.name if blob is not None else None
                known = store.by_slug(session, organization_id, slug) if replace else None
                replaced = None
                if known is not None:
                    spec = known
                    replaced = store.waiting_source(spec)
                    store.source_given(session, spec, url, name)
                elif store.is_full(session, organization_id):
                    raise errors.BadRequest(
                        f"An organization keeps at most {store.MAX_SPECS} API specifications; delete one first."
                    )
                else:
                    spec = OpenApiSpecRow(organization_id=organization_id, slug=slug, source_url=url, source_blob=name)
                    session.add(spec)
                    session.flush()
                spec.source_blob_came_at = blob.came_at if blob is not None else None
                store.enqueue(session, KIND, spec, self._seconds)
        except BaseException as error:
            if blob is not None:
                self._blobs.discard(blob)
            if isinstance(error, TooManyJobs):
                raise errors.TooManyRequests(
                    "This organization has too many waiting jobs; try again when some are done."
                ) from None
            raise
        if replaced is not None:
            self._blobs.discard(replaced)
        return spec, known is None
