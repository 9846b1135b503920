"""Whether who opened a stream still may read it."""

from __future__ import annotations

import time
from collections.abc import Callable

from runtime.api.auth import Actor
from runtime.api.host import Host
from runtime.contract import errors


class Standing:
    """The rights of a stream's reader, looked at again whenever a row that decides over access has changed.

    People are demoted, removed and signed out while their streams are open. `admit` raises an error of the API for an
    actor who may not read; `actor` is as it was found last.
    """

    def __init__(self, host: Host, authorization: str | None, admit: Callable[[Actor], None]) -> None:
        """Admit the bearer of an `Authorization` header; raises what `admit` raises, and Unauthorized."""
        self._host, self._authorization, self._admit = host, authorization, admit
        self._epoch, self.actor = self._look()

    def _look(self) -> tuple[int, Actor]:
        epoch = self._host.database.epoch()  # before the rows are read: they are at least as new
        actor = self._host.authenticator.actor(self._authorization, epoch)
        self._admit(actor)
        return epoch, actor

    def holds(self) -> bool:
        """Tell whether the reader still may; to be asked before anything is written."""
        if self._host.database.epoch() == self._epoch and time.time() < self.actor.expires:
            return True
        try:
            self._epoch, self.actor = self._look()
        except errors.ApiError:
            return False
        return True
