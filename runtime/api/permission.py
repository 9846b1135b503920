"""Who may call an operation, as data (section 6 of the design)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from runtime.contract.integrations import Scope
from runtime.contract.organizations import Role

Where = Literal["organization", "owner", "self"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a token must be for an operation.

    `role`: the least role of a member, in the organisation `of` the object addressed (`organization`), of the
    integration's owner (`owner`), or none because a user asks for themself (`self`). `integration` admits the token of
    the integration addressed, `installation` that of an installation: both must hold the `scope`, or the operation is
    the script's `own`: about the integration itself and nothing of the tenants it is installed with. `instead` is a
    sentence for scripts that are not admitted: what to do about it. Raises ValueError for needs that leave open what
    binds a script.
    """

    role: Role | None = None
    of: Where = "organization"
    user: bool = False
    integration: bool = False
    installation: bool = False
    scope: Scope | None = None
    own: bool = False
    public: bool = False
    instead: str | None = None

    def __post_init__(self) -> None:
        bounds = (self.scope is not None) + self.own
        if bounds != (1 if self.integration or self.installation else 0):
            raise ValueError("needs that admit tokens of scripts name a scope, or say that the operation is their own")


def member(role: Role, *, of: Where = "organization", instead: str | None = None) -> Needs:
    """Admit members with at least this role."""
    return Needs(role=role, of=of, user=True, instead=instead)


def scoped(needs: Needs, scope: Scope, *, integration: bool = True) -> Needs:
    """Admit installation tokens with a scope as well, and integration tokens."""
    return replace(needs, integration=integration, installation=True, scope=scope)


def own(needs: Needs) -> Needs:
    """Admit the tokens of the integration addressed as well, for what is its own."""
    return replace(needs, integration=True, installation=True, own=True)


ANYBODY_WITH_A_TOKEN = own(Needs(user=True, of="self"))
INTEGRATION_ONLY = Needs(integration=True, own=True)
INTEGRATION_OR_INSTALLATION = own(Needs())
USER = Needs(user=True, of="self")
PUBLIC = Needs(public=True)
