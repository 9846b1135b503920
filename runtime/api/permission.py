"""Who may call an operation, as data (docs/contract/api.md, "Roles")."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from runtime.api.resource import Chain, Resource
from runtime.contract.integrations import Scope
from runtime.contract.organizations import Role


@dataclass(frozen=True, slots=True)
class Needs:
    """What a token must be for an operation.

    `role` is the least level of a person on what the path names: on the last of it that has levels, or on the resource
    that `on` names. Without a role any person may, because they ask for themselves. `visitor` admits tokens that read
    one published site, `public` admits anybody, with or without a token. `integration` admits the token of
    the integration addressed, `installation` that of an installation: both must hold the `scope`, or the operation is
    the script's `own`: about the integration itself and nothing of the tenants it is installed with. `instead` is a
    sentence for scripts that are not admitted: what to do about it. Raises ValueError for needs that leave open what
    binds a script.
    """

    role: Role | None = None
    on: str | None = None
    user: bool = False
    integration: bool = False
    installation: bool = False
    scope: Scope | None = None
    own: bool = False
    visitor: bool = False
    public: bool = False
    instead: str | None = None

    def __post_init__(self) -> None:
        bounds = (self.scope is not None) + self.own
        if bounds != (1 if self.integration or self.installation else 0):
            raise ValueError("needs that admit tokens of scripts name a scope, or say that the operation is their own")


@dataclass(frozen=True, slots=True)
class Gate:
    """The authorization of an operation or a stream: the resources of its path, and what its token needs.

    With `missing`, the last resource may not exist; with `deleted`, it may be a deleted one, for whoever may restore
    it. Raises ValueError for a role that nothing on the path could decide about: such an operation does not start.
    """

    name: str
    chain: Chain
    needs: Needs
    missing: bool = False
    deleted: bool = False

    def __post_init__(self) -> None:
        if self.needs.role is not None and not self.deciders:
            raise ValueError(f"{self.name}: nothing its path names has levels to decide about `{self.needs.role}`")

    @property
    def deciders(self) -> tuple[Resource[Any], ...]:
        """The resources whose levels decide, nearest first: the next one does where the nearest names nothing."""
        able = [resource for resource in self.chain if resource.has_levels and self.needs.on in (None, resource.name)]
        return tuple(reversed(able))


def member(role: Role, *, on: str | None = None, instead: str | None = None) -> Needs:
    """Admit people with at least this level on what the path names last, or on the resource named."""
    return Needs(role=role, on=on, user=True, instead=instead)


def scoped(needs: Needs, scope: Scope, *, integration: bool = True) -> Needs:
    """Admit installation tokens with a scope as well, and integration tokens."""
    return replace(needs, integration=integration, installation=True, scope=scope)


def own(needs: Needs) -> Needs:
    """Admit the tokens of the integration addressed as well, for what is its own."""
    return replace(needs, integration=True, installation=True, own=True)


def for_visitors(needs: Needs) -> Needs:
    """Admit tokens that read one published site as well, on that site."""
    return replace(needs, visitor=True)


ANYBODY_WITH_A_TOKEN = own(Needs(user=True))
ANYBODY_OR_VISITOR = for_visitors(ANYBODY_WITH_A_TOKEN)
INTEGRATION_ONLY = Needs(integration=True, own=True)
INTEGRATION_OR_INSTALLATION = own(Needs())
USER = Needs(user=True)
PUBLIC = replace(own(USER), visitor=True, public=True)
