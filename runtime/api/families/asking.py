"""Ask: questions about the content of an organization's spaces."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import MISSING

from runtime.api.call import Call
from runtime.api.families.organizations import ORGANIZATION
from runtime.api.operation import Family
from runtime.api.permission import USER, scoped
from runtime.contract import errors
from runtime.contract.asking import Ask, Asked, AskQuery
from runtime.services import asking as service
from runtime.services.answer_model import AnswerModel
from runtime.services.asking import Passages
from runtime.store.search_index import finding
from runtime.store.search_index.finding import Scope
from runtime.store.tables.organizations import OrganizationRow

ASKERS = scoped(USER, "space:content:read")
MODEL = "model"
"""The part of an organization's slots for waiting for the model's answers."""

asking = Family("Ask")


@asking.operation(f"POST {ORGANIZATION.path}/ask", Asked, needs=ASKERS, own_transaction=True)
def ask_in_organization(call: Call, organization: OrganizationRow, query: AskQuery, body: Ask) -> Asked:
    """Ask a question about the spaces of an organization that the requester may see."""
    previous = () if body.previous_queries is MISSING else body.previous_queries
    passages = in_organization(call, organization, body.query, previous)
    if not passages.best:
        return Asked()
    model, seats = model_for(call, organization), call.host.capacity.calls
    if model is None:
        *_, text = service.answers(None, passages, body.query, previous)
    else:
        if not seats.enter(organization.id, MODEL):
            raise errors.Unavailable("Too many questions of this organization are being answered; try again later.")
        try:
            *_, text = service.answers(model, passages, body.query, previous)
        finally:
            seats.leave(organization.id, MODEL)
    return Asked(answer=service.shown(passages, text, query.format))


def in_organization(call: Call, organization: OrganizationRow, question: str, previous: Sequence[str] = ()) -> Passages:
    """Find the passages that answer a question in the spaces that the requester may see."""
    with call.host.database.transaction(writes=False) as session:
        scope = Scope(finding.spaces_seen(session, call.actor.reach, organization.id))
        return service.find(session, call.host.addresses, scope, question, previous)


def model_for(call: Call, organization: OrganizationRow) -> AnswerModel | None:
    """Return the model, for organizations that let their content be sent to one (`ai`)."""
    return call.host.answer_model if organization.ai else None
