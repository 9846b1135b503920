"""Who may call an operation, as data (section 6 of the design)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.contract.organizations import Role

Where = Literal["organization", "owner", "self"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a token must be for an operation.

    `role`: the least role of a member, in the organisation `of` the object addressed (`organization`), of the
    integration's owner (`owner`), or none because a user asks for themself (`self`). `integration` admits the token of
    the integration addressed, `installation` that of an installation. `instead` is a sentence for scripts that are not
    admitted: what to do about it.
    """

    role: Role | None = None
    of: Where = "organization"
    user: bool = False
    integration: bool = False
    installation: bool = False
    scope: str | None = None
    public: bool = False
    instead: str | None = None


def member(role: Role, *, of: Where = "organization", instead: str | None = None) -> Needs:
    """Admit members with at least this role."""
    return Needs(role=role, of=of, user=True, instead=instead)


def also(needs: Needs, *, integration: bool = False, installation: bool = False, scope: str | None = None) -> Needs:
    """Admit integration or installation tokens as well."""
    return Needs(needs.role, needs.of, needs.user, integration, installation, scope)


ANYBODY_WITH_A_TOKEN = Needs(user=True, of="self", integration=True, installation=True)
INTEGRATION_ONLY = Needs(integration=True)
INTEGRATION_OR_INSTALLATION = Needs(integration=True, installation=True)
USER = Needs(user=True, of="self")
PUBLIC = Needs(public=True)
