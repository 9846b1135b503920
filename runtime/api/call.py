"""One call of an operation: who asks, what the path names, and the session it all happens in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from runtime.api.auth import Actor
from runtime.api.host import Host, Named
from runtime.contract import errors
from runtime.contract.organizations import Role, reaches
from runtime.serializers.view import View
from runtime.store import rows
from runtime.store.database import Table
from runtime.store.levels import level_on
from runtime.store.remembered import Basis

R = TypeVar("R", bound=Table)


@dataclass(slots=True)
class Call:
    """Handed to every handler.

    `path` has the values of the path's parameters, `named` the rows they stand for, by the names of their resources,
    with the actor's levels on them, and `basis` what all that rests on. `location` becomes the `Location` header,
    `status` replaces the operation's own where it answers with several, `extended` shows whole objects where ids would
    do, and `after` runs when the transaction is committed.
    """

    host: Host
    actor: Actor
    path: dict[str, str]
    basis: Basis
    opened: Session | None = None
    named: Named = field(default_factory=Named)
    location: str | None = None
    status: int | None = None
    extended: bool = False
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

    def view(self, session: Session) -> CallView:
        """Give the actor's look at rows, which serializers take; the levels known by now are not asked for again."""
        view = CallView(session, self, extended=self.extended)
        view.note(self.named.rows.values(), (self.named.levels[name] for name in self.named.rows))
        return view

    def level_again(self, row: Table) -> None:
        """Ask anew for the actor's level on a row the path names: what was done may have changed it."""
        for name, named in self.named.rows.items():
            if named is row:
                self.named.levels[name] = level_on(self.session, self.actor.reach, row)

    def show(self, serialize: Callable[[View, Sequence[R]], Sequence[Any]], row: R) -> Any:
        """Show one row."""
        return serialize(self.view(self.session), [row])[0]

    def require(self, role: Role, row: Table, where: str, session: Session) -> None:
        """Raise Forbidden unless the actor is a person with at least this level on a row; `where` says in what."""
        level = level_on(session, self.actor.reach, row)
        if self.actor.kind != "user" or not reaches(level, role):
            raise errors.Forbidden(refusal(self.actor, f"the role `{role}` in {where}", level or "guest"))


class CallView(View):
    """The look of the actor of one call; serializers of this layer find the host's parts behind it."""

    def __init__(self, session: Session, call: Call, *, extended: bool = False) -> None:
        super().__init__(session, call.host.addresses, call.actor.reach, extended=extended)
        self.call = call


def refusal(actor: Actor, needed: str, level: str | None = None) -> str:
    """Word a 403: which token was used, what was needed (docs/contract/api.md, "Roles")."""
    if actor.kind == "user":
        used = f"a user token with the role `{level}`" if level else "a user token"
    elif actor.kind == "visitor":
        used = "a token of a visitor, which reads one published site"
    else:
        used = f"an {actor.kind} token with the scopes {', '.join(actor.scopes) or 'none'}"
    return f"This needs {needed}; it was called with {used}."
