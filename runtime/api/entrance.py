"""The single entry point: authenticates, finds what the path names, and authorizes.

Operations, renders, streams and the preview all use it, so that access is decided in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, TypeVar
from wsgiref.types import WSGIEnvironment

from flask import request
from sqlalchemy.orm import Session

from runtime.api.anonymous_lanes import Whose, lane_of
from runtime.api.auth import ANYBODY, Actor, with_share_key
from runtime.api.call import Call, refusal, role_refusal
from runtime.api.host import Host, ResolvedPath
from runtime.api.permission import Gate, Needs
from runtime.api.resource import Resource
from runtime.contract import errors
from runtime.contract.integrations import Scope
from runtime.contract.organizations import Role, reaches
from runtime.engines.interpreter_turns import owner_at_work
from runtime.store import rows
from runtime.store.database import Table

LONGEST_VALUE = 200
LONGEST_PATH = 1000


def caller(host: Host, authorization: str | None, path: Mapping[str, str], *, public: bool = False) -> Call:
    """Begin a call for the bearer of an `Authorization` header; raises Unauthorized.

    Operations that are `public` need no token, but one that is sent must be valid.
    """
    basis = host.database.basis()
    if public and authorization is None:
        return Call(host, ANYBODY, dict(path), basis)
    turns = host.capacity.turns
    with nullcontext() if owner_at_work() is not None else turns.of(*provisional_owner(host, request.environ)):
        actor = host.authenticator.actor(authorization, basis)
    return Call(host, actor, dict(path), basis, identify=lambda basis: host.authenticator.actor(authorization, basis))


def provisional_owner(host: Host, environ: WSGIEnvironment) -> tuple[str, str]:
    """Tell for whom a request waits until it is known whose it is: owner and part.

    Those its token was good for when it was last sent; with any other one, and with none, it waits among strangers.
    """
    owner, part = host.authenticator.last_seen(environ.get("HTTP_AUTHORIZATION"))
    return (owner, part) if owner else (lane_of(environ), "")


Found = TypeVar("Found")


def look_up(
    host: Host, find: Callable[[Session], Found | None], whose: Callable[[Found], Whose], *sent: str
) -> Found | None:
    """Find what somebody without a token names by `sent`; `whose` tells the owner of what is found.

    It is looked for in the line of the organization whose it was when it was last sent, otherwise among strangers.
    """
    with host.capacity.turns.lent(*(host.known_owners.whose(*sent) or (lane_of(request.environ), ""))):
        with host.database.transaction(writes=False) as session:
            found = find(session)
            owner = None if found is None else whose(found)
        host.known_owners.note(owner, *sent)
    return found


def admit(call: Call, gate: Gate, session: Session) -> None:
    """Find the rows that the path names, from left to right, and authorize; raises NotFound before Forbidden."""
    parent: Table | None = None
    named = call.named
    for place, resource in enumerate(gate.chain):
        value = call.path[resource.parameter]
        within = named.rows.get(resource.within.name) if resource.within is not None else None
        match = find_resource(call, session, resource, value, within)
        if match is None and gate.deleted and resource.deleted is not None and place == len(gate.chain) - 1:
            match = resource.deleted(session, call.actor.reach, value)
        if match is None and not (gate.missing and place == len(gate.chain) - 1):
            raise errors.not_seen(f"There is no {resource.word} `{value[:60]}`")
        if match is not None:
            parent, level = match
            named.rows[resource.name], named.levels[resource.name] = parent, level
    permit(call.actor, call, gate)


def admit_sharing(call: Call, gate: Gate, session: Session, share_key: str | None) -> None:
    """Authorize like `admit`; people who may not see what the path names are visitors if they have a key that opens it.

    A visitor of the published site gets the same with the same key, from `/v1/urls/published`.
    """
    try:
        admit(call, gate, session)
    except errors.NotFound:
        if not share_key or call.actor.kind != "user" or not gate.needs.visitor:
            raise
        visitor = with_share_key(session, call.actor, share_key)
        if visitor is None:
            raise
        call.actor, call.named = visitor, ResolvedPath()
        admit(call, gate, session)


def admit_alone(call: Call, gate: Gate) -> None:
    """Authorize like `admit`, for operations that open their own transactions.

    The rows of the path are cached until an epoch that they depend on advances, so a render reads only epochs.
    """

    def find(session: Session) -> ResolvedPath:
        admit(call, gate, session)
        return call.named

    key = (call.actor.owner, call.actor.reach, gate.name, *call.path.values())
    call.named = call.host.named.get(key, call.basis, find)
    permit(call.actor, call, gate)


def find_resource(
    call: Call, session: Session, resource: Resource[Any], value: str, within: Table | None
) -> tuple[Any, Role | None] | None:
    """Find what a value names that came from a caller, as in a path: by its key, or by its alias, such as a number.

    Gives the row with the caller's level on it; None for what is not there, or not to be seen.
    """
    longest = LONGEST_PATH if resource.slashes else LONGEST_VALUE
    if "\x00" in value or len(value) > longest:
        return None
    reach = call.actor.reach
    match = rows.find_with_level(session, reach, resource.row, **resource.by(value, within))
    other = resource.by_alias(value, within) if match is None else None
    return rows.find_with_level(session, reach, resource.row, **other) if other is not None else match


def permit(actor: Actor, call: Call, gate: Gate) -> None:
    """Raise Forbidden, with the token and the need, unless the actor may. Undecidable cases are refused."""
    needs, named = gate.needs, call.named
    if needs.public:
        return
    if actor.kind == "visitor":
        if needs.visitor:
            return
        raise errors.Forbidden(refusal(actor, _needed(gate)))
    if actor.kind != "user":
        integration = named.rows.get("integration")
        admitted = needs.integration if actor.kind == "integration" else needs.installation
        own = integration is None or integration.id == actor.reach.integration_id  # type: ignore[attr-defined]
        if admitted and own and (needs.own or needs.scope in actor.scopes):
            return
        raise errors.Forbidden(refusal(actor, _needed(gate)) + (f" {needs.instead}" if needs.instead else ""))
    if needs.user and needs.role is None:
        return
    if not needs.user:
        raise errors.Forbidden(refusal(actor, _needed(gate)))
    decider = next((resource for resource in gate.deciders if resource.name in named.rows), None)
    if decider is None and gate.missing and len(gate.chain) == 1:
        return  # the path names one object, which does not exist: there is nothing to do, and nothing to protect
    level = named.levels[decider.name] if decider is not None else None
    if not reaches(level, needs.role or "admin"):
        role = (needs.role or "admin").capitalize()
        said = role_refusal(f"the role {role}{decider.level_source if decider is not None else ''}", level)
        raise errors.Forbidden(refusal(actor, _needed(gate), level or "guest"), on_pages=said)


def require_scope(call: Call, what: str, scope: Scope) -> None:
    """Raise Forbidden unless the actor is a person, or a script with the scope that a part of an answer needs."""
    if call.actor.kind != "user" and scope not in call.actor.scopes:
        raise errors.Forbidden(refusal(call.actor, f"the scope `{scope}` for {what}"))


def _needed(gate: Gate) -> str:
    needs: Needs = gate.needs
    ways = []
    if needs.user:
        place = gate.deciders[0].level_source if gate.deciders else ""
        ways.append(f"a user token with the role `{needs.role}`{place}" if needs.role else "a user token")
    scope = f" with the scope `{needs.scope}`" if needs.scope else ""
    if needs.integration:
        ways.append(f"the integration's own token{scope}")
    if needs.installation:
        ways.append(f"an installation token{scope}")
    return " or ".join(ways)
