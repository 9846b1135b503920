"""One call of an operation: who asks, what the path names, and the session it all happens in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import MISSING
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from runtime.api.auth import Actor
from runtime.api.host import Host
from runtime.api.objects import Objects
from runtime.contract import errors
from runtime.contract.base import ListOf, ListQuery, Next
from runtime.contract.organizations import Role, reaches
from runtime.store import rows
from runtime.store.database import Table
from runtime.store.tables.events import EventRow
from runtime.store.tables.installations import InstallationRow
from runtime.store.tables.integrations import IntegrationRow
from runtime.store.tables.organizations import OrganizationRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.store.tables.tunnels import TunnelRow

R = TypeVar("R", bound=Table)


@dataclass(slots=True)
class Call:
    """Handed to every handler.

    `location` becomes the `Location` header, `status` replaces the operation's own where it answers with several.
    """

    host: Host
    actor: Actor
    path: dict[str, str]
    epoch: int
    opened: Session | None = None
    objects: Objects = field(default_factory=Objects)
    location: str | None = None
    status: int | None = None
    after: list[Callable[[], None]] = field(default_factory=list)

    @property
    def session(self) -> Session:
        """The session of this call; operations with a transaction of their own have none."""
        if self.opened is None:
            raise LookupError("this operation opens its own transactions")
        return self.opened

    def find(self, table: type[R], **by: Any) -> R:
        """Find a row the actor may see; raises NotFound."""
        row = rows.find(self.session, self.actor.reach, table, **by)
        if row is None:
            raise errors.NotFound
        return row

    def page(
        self,
        table: type[R],
        query: ListQuery,
        show: Callable[[Sequence[R]], list[Any]],
        *conditions: ColumnElement[bool],
    ) -> ListOf[Any]:
        """Show one page of the rows the actor may see; raises BadRequest for a cursor this list did not give out."""
        try:
            found = rows.page(self.session, self.actor.reach, table, *conditions, cursor=query.page, limit=query.limit)
        except rows.BadCursor:
            raise errors.BadRequest("page: not a cursor of this list; send `next.page` of the page before") from None
        following = Next(page=found.next) if found.next else MISSING
        return ListOf[Any](items=show(found.rows), count=found.count, next=following)

    @property
    def organization(self) -> OrganizationRow:
        """The organisation of the path."""
        return _there(self.objects.organization)

    @property
    def space(self) -> SpaceRow:
        """The space of the path."""
        return _there(self.objects.space)

    @property
    def site(self) -> SiteRow:
        """The site of the path."""
        return _there(self.objects.site)

    @property
    def integration(self) -> IntegrationRow:
        """The integration of the path."""
        return _there(self.objects.integration)

    @property
    def installation(self) -> InstallationRow:
        """The installation of the path."""
        return _there(self.objects.installation)

    @property
    def event(self) -> EventRow:
        """The event of the path."""
        return _there(self.objects.event)

    @property
    def tunnel(self) -> TunnelRow:
        """The tunnel of the path."""
        return _there(self.objects.tunnel)

    def require_role(self, role: Role, organization_id: str) -> None:
        """Raise Forbidden unless the actor is a member with at least this role."""
        mine = self.actor.role_in(organization_id) or "guest"
        if self.actor.kind != "user" or not reaches(mine, role):
            raise errors.Forbidden(refusal(self.actor, f"the role `{role}` in organization {organization_id}", mine))


def refusal(actor: Actor, needed: str, role: str | None = None) -> str:
    """Word a 403: which token was used, what was needed (section 6 of the design)."""
    if actor.kind == "user":
        used = f"a user token with the role `{role}`" if role else "a user token"
    else:
        used = f"an {actor.kind} token with the scopes {', '.join(actor.scopes) or 'none'}"
    return f"This needs {needed}; it was called with {used}."


def _there(row: R | None) -> R:
    if row is None:
        raise LookupError("this operation's path names no such object")
    return row
