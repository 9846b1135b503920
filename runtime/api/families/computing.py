"""Content that integrations compute."""

from __future__ import annotations

from runtime.api.call import Call
from runtime.api.operation import Family
from runtime.api.permission import member
from runtime.contract.computing import Compute, ComputedRevision, DocumentQuery, JsonDocument
from runtime.services.computing import Computer

computing = Family("Spaces")

CONTENT = "/v1/spaces/{spaceId}/content/computed"


@computing.operation(f"POST {CONTENT}/revision", ComputedRevision, needs=member("read"), own_transaction=True)
def get_computed_revision(call: Call, body: Compute) -> ComputedRevision:
    """Compute the pages and files of an integration's content source."""
    return _computer(call).revision(call.actor.reach, call.space, body)


@computing.operation(f"POST {CONTENT}/document", JsonDocument, needs=member("read"), own_transaction=True)
def get_computed_document(call: Call, body: Compute, query: DocumentQuery) -> JsonDocument:
    """Compute one document of an integration's content source."""
    return _computer(call).document(call.actor.reach, call.space, body)


def _computer(call: Call) -> Computer:
    host = call.host
    return Computer(host.database, host.plans, host.invoker, host.addresses)
