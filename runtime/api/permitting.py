"""Whether an actor may do what an operation does (section 6 of the design)."""

from __future__ import annotations

from runtime.api.auth import Actor
from runtime.api.call import Call, refusal
from runtime.api.permission import Needs
from runtime.contract import errors
from runtime.contract.integrations import Scope
from runtime.contract.organizations import reaches


def permit(call: Call, needs: Needs) -> None:
    """Raise Forbidden, naming token and need, unless the actor may."""
    actor, objects = call.actor, call.objects
    if actor.kind != "user":
        admitted = needs.integration if actor.kind == "integration" else needs.installation
        own = objects.integration is None or objects.integration.id == actor.reach.integration_id
        if admitted and own and (needs.own or needs.scope in actor.scopes):
            return
        raise errors.Forbidden(_refusal(actor, needs))
    if needs.user and needs.role is None:
        return
    organization = _organization_of(call, needs)
    role = actor.role_in(organization)
    if needs.user and (organization is None or reaches(role, needs.role or "read")):
        return
    raise errors.Forbidden(refusal(actor, _needed(needs), role or "guest" if needs.user else None))


def permit_more(call: Call, what: str, scope: Scope) -> None:
    """Raise Forbidden unless the actor is a person, or a script with the scope that a part of an answer needs."""
    if call.actor.kind != "user" and scope not in call.actor.scopes:
        raise errors.Forbidden(refusal(call.actor, f"the scope `{scope}` for {what}"))


def _organization_of(call: Call, needs: Needs) -> str | None:
    """Find the organisation whose role counts; None where the path names nothing that has one."""
    objects = call.objects
    if needs.of == "owner":
        return objects.integration.organization_id if objects.integration else None
    for row in (objects.installation, objects.space, objects.site):
        if row is not None:
            return row.organization_id
    return objects.organization.id if objects.organization else None


def _refusal(actor: Actor, needs: Needs) -> str:
    """Word the refusal of a script's token, with what its author can do."""
    return refusal(actor, _needed(needs)) + (f" {needs.instead}" if needs.instead else "")


def _needed(needs: Needs) -> str:
    ways = []
    if needs.user:
        place = " in the organization that owns the integration" if needs.of == "owner" else ""
        ways.append(f"a user token with the role `{needs.role}`{place}" if needs.role else "a user token")
    scope = f" with the scope `{needs.scope}`" if needs.scope else ""
    if needs.integration:
        ways.append(f"the integration's own token{scope}")
    if needs.installation:
        ways.append(f"an installation token{scope}")
    return " or ".join(ways)
