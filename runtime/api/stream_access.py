"""Whether the reader of a stream may still read it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from runtime.api.auth import Actor
from runtime.api.call import Call
from runtime.api.entrance import caller
from runtime.api.host import Host
from runtime.contract import errors


class StreamAccess:
    """The permissions of a stream's reader, checked again whenever a row that affects them has changed.

    People are demoted, removed and signed out while their streams are open. `call` is as it was admitted last.
    """

    def __init__(
        self, host: Host, authorization: str | None, path: Mapping[str, str], admit: Callable[[Call], None]
    ) -> None:
        """Admit the bearer of an `Authorization` header; raises what `admit` raises, and Unauthorized.

        What `admit` finds out past `admit_alone`, the call's basis does not know of: it must say so with `use(None)`.
        """
        self._host, self._authorization, self._path, self._admit = host, authorization, path, admit
        self.call = self._look()

    @property
    def actor(self) -> Actor:
        """Who reads."""
        return self.call.actor

    def _look(self) -> Call:
        call = caller(self._host, self._authorization, self._path)
        with self._host.capacity.turns.of(call.actor.owner, call.actor.part):
            self._admit(call)
        return call

    def holds(self) -> bool:
        """Return whether the reader still may; to be asked before anything is written.

        It is asked with a part of the connections of the reader's organization.
        """
        with self._host.capacity.turns.of(self.actor.owner, self.actor.part):
            return self._holds()

    def _holds(self) -> bool:
        # The call's own basis stands for the moment it was admitted.
        if self._host.database.basis().holds(self.call.basis.used) and time.time() < self.actor.expires:
            return True
        try:
            self.call = self._look()
        except errors.ApiError:
            return False
        return True
