"""The actor of a query, as the store knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from runtime.contract.organizations import Role


@dataclass(frozen=True, slots=True)
class Reach:
    """A person with memberships, one integration, one installation, a visitor of a site, or the host itself.

    `roles` holds a person's role in each organization; a guest, a member without a role, sees only what is shared with
    them, so `organizations` names those with a role, `guest_of` those without. `rests_on` are the owners of the epochs
    that move when what the actor sees may change, besides those of the rows they see. `token_id` is the personal token
    or session a person came with, and `bound_to` the one organization where that is worth anything, if it is bound to
    one. A visitor sees the site `site_id` in the organization `home_id`, of its content the `spaces` that are there for
    them and the change request or revision that they were let preview, and without these nothing.
    """

    kind: Literal["user", "integration", "installation", "visitor", "host"]
    user_id: str | None = None
    roles: frozenset[tuple[str, Role | None]] = frozenset()
    integration_id: str | None = None
    installation_id: str | None = None
    site_id: str | None = None
    home_id: str | None = None
    spaces: frozenset[str] = frozenset()
    preview: str | None = None
    bound_to: str | None = None
    token_id: str | None = field(default=None, compare=False)
    organizations: frozenset[str] = field(init=False, compare=False, repr=False)
    guest_of: frozenset[str] = field(init=False, compare=False, repr=False)
    rests_on: frozenset[str] = field(init=False, compare=False, repr=False)
    _role_in: Mapping[str, Role | None] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "organizations", frozenset(place for place, role in self.roles if role is not None))
        object.__setattr__(self, "guest_of", frozenset(place for place, role in self.roles if role is None))
        object.__setattr__(self, "_role_in", dict(self.roles))
        ids = (self.user_id, self.integration_id, self.home_id, *(place for place, _ in self.roles))
        object.__setattr__(self, "rests_on", frozenset(one for one in ids if one is not None))

    def role_in(self, organization_id: str | None) -> Role | None:
        """Return the role a person has in an organization."""
        return self._role_in.get(organization_id) if organization_id else None

    def joined(self, organization_id: str, role: Role | None) -> Reach:
        """Return who a person is with one more membership."""
        return replace(self, roles=self.roles | {(organization_id, role)})

    def belongs_to(self, organization_id: str) -> bool:
        """Return whether a person is a member or a guest of an organization."""
        return organization_id in self._role_in


HOST = Reach("host")
"""The host's own work: dispatch, and services after a permission was checked."""
