"""Content that integrations and specifications compute."""

from __future__ import annotations

from runtime.api.call import Call
from runtime.api.computed_reading import source_of
from runtime.api.operation import FROM_SCRIPTS, Family
from runtime.api.permission import for_visitors, member
from runtime.contract.computing import Compute, ComputedRevision, DocumentQuery, JsonDocument
from runtime.store.tables.spaces import SpaceRow

computing = Family("Spaces")

CONTENT = "/v1/spaces/{spaceId}/content/computed"


@computing.operation(
    f"POST {CONTENT}/revision",
    ComputedRevision,
    needs=for_visitors(member("read")),
    own_transaction=True,
    also=FROM_SCRIPTS,
)
def get_computed_revision(call: Call, space: SpaceRow, body: Compute) -> ComputedRevision:
    """Compute the pages and files of a content source."""
    return source_of(call, body).revision(call.actor.reach, space, body)


@computing.operation(
    f"POST {CONTENT}/document",
    JsonDocument,
    needs=for_visitors(member("read")),
    own_transaction=True,
    also=FROM_SCRIPTS,
)
def get_computed_document(call: Call, space: SpaceRow, body: Compute, query: DocumentQuery) -> JsonDocument:
    """Compute one document of a content source."""
    return source_of(call, body).document(call.actor.reach, space, body)
