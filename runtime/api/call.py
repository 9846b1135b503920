"""One call of an operation: the actor, the rows that the path names, and the database session."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from runtime.api.auth import Actor
from runtime.api.host import Host, ResolvedPath
from runtime.api.request_capacity import SLOW_SECONDS
from runtime.contract import errors
from runtime.contract.organizations import Role, reaches
from runtime.serializers.view import View
from runtime.store import rows
from runtime.store.database import Table
from runtime.store.epoch_cache import Basis
from runtime.store.levels import level_on

R = TypeVar("R", bound=Table)


@dataclass(slots=True)
class Call:
    """The argument of every handler.

    `path` has the values of the path's parameters, `named` the rows they stand for, by the names of their resources,
    with the actor's levels on them, and `basis` the epochs that all of it depends on. `location` becomes the `Location`
    header, `status` replaces the operation's own, `extended` shows whole objects instead of ids, and
    `after` runs when the transaction is committed. `identify` authenticates the caller; None if no
    token is needed.
    """

    host: Host
    actor: Actor
    path: dict[str, str]
    basis: Basis
    opened: Session | None = None
    named: ResolvedPath = field(default_factory=ResolvedPath)
    location: str | None = None
    status: int | None = None
    extended: bool = False
    after: list[Callable[[], None]] = field(default_factory=list)
    identify: Callable[[Basis], Actor] | None = None

    def reauthenticate(self) -> None:
        """Authenticate the caller again, who may have been demoted, removed or signed out; raises Unauthorized.

        What the caller was found to see and to be allowed before counts no longer: check rights after this.
        """
        if self.identify is not None:
            self.basis = self.host.database.basis()
            self.actor = self.identify(self.basis)

    def reauthenticate_if_slow(self, began: float) -> None:
        """Authenticate the caller again if what began at a (monotonic) moment was slow; raises Unauthorized."""
        if time.monotonic() - began > SLOW_SECONDS:
            self.reauthenticate()

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
        """Return the actor's view of rows, for serializers; levels that are already known are not read again."""
        view = CallView(session, self, extended=self.extended)
        view.note(self.named.rows.values(), (self.named.levels[name] for name in self.named.rows))
        return view

    def level_again(self, row: Table) -> None:
        """Read the actor's level on a row of the path again: the operation may have changed it."""
        for name, named in self.named.rows.items():
            if named is row:
                self.named.levels[name] = level_on(self.session, self.actor.reach, row)

    def show(self, serialize: Callable[[View, Sequence[R]], Sequence[Any]], row: R) -> Any:
        """Show one row."""
        return serialize(self.view(self.session), [row])[0]

    def require(self, role: Role, row: Table, where: str, session: Session) -> None:
        """Raise Forbidden unless the actor is a person with this level on a row, which `where` names."""
        level = level_on(session, self.actor.reach, row)
        if self.actor.kind != "user" or not reaches(level, role):
            said = role_refusal(f"the role {role.capitalize()} in {where}", level)
            raise errors.Forbidden(
                refusal(self.actor, f"the role `{role}` in {where}", level or "guest"), on_pages=said
            )


class CallView(View):
    """The view of the actor of one call; serializers of this layer reach the host through it."""

    def __init__(self, session: Session, call: Call, *, extended: bool = False) -> None:
        super().__init__(session, call.host.addresses, call.actor.reach, extended=extended)
        self.call = call


def role_refusal(needed: str, level: Role | None) -> str:
    """Return what people are told on pages who lack a role."""
    mine = f"your role is {level.capitalize()}" if level else "you are a guest"
    return f"This needs {needed}, and {mine}. Ask an administrator."


def refusal(actor: Actor, needed: str, level: str | None = None) -> str:
    """Return the message of a 403: which token was used, and what was needed (docs/contract/api.md, "Roles")."""
    if actor.kind == "user":
        used = f"a user token with the role `{level}`" if level else "a user token"
    elif actor.kind == "visitor":
        used = "a token of a visitor, which reads one published site"
    else:
        used = f"an {actor.kind} token with the scopes {', '.join(actor.scopes) or 'none'}"
    return f"This needs {needed}; it was called with {used}."
