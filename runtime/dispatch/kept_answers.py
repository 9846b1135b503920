"""What endpoints answered, kept beside the trace: status, headers, and a body that is a text of at most 64 KB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runtime.contract.credentials import is_credential
from runtime.contract.invocation import Outcome
from runtime.contract.masking import MASK, Masker
from runtime.dispatch.traces import MAX_BODY, recorded_body

KINDS = frozenset(("fetch", "fetch_published_script", "fetch_visitor_authentication"))
"""Events whose answers go out as HTTP. Renders are drawn, and come by the thousand."""


class Copied:
    """The pieces of an answer on their way out; a copy is kept as long as it is short."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._copy: list[bytes] = []
        self.size = 0

    @property
    def copy(self) -> bytes | None:
        """What passed so far; None when it was too much to keep."""
        return b"".join(self._copy) if self.size <= MAX_BODY else None

    def __iter__(self) -> Iterator[bytes]:
        try:
            for piece in self._pieces:
                self.size += len(piece)
                if self.size <= MAX_BODY:
                    self._copy += [piece] if piece else []
                else:
                    self._copy.clear()
                yield piece
        finally:
            self.close()

    def close(self) -> None:
        """Close what the pieces come from."""
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()


def kept_answer(kind: str, outcome: Outcome, body: bytes | Copied, masker: Masker) -> dict[str, Any] | None:
    """Give the answer to an event of this type, and of its body what went out, without secrets; None: none is kept."""
    if kind not in KINDS or outcome.failure is not None:
        return None
    text = recorded_body(body if isinstance(body, bytes) else body.copy, masker)
    size = len(body) if isinstance(body, bytes) else body.size
    headers = [(name.lower(), _header(name, value, masker)) for name, value in outcome.headers]
    return {"status": outcome.status, "headers": headers, "bytes": size, **({} if text is None else {"body": text})}


def _header(name: str, value: str, masker: Masker) -> str:
    if is_credential(name):
        return MASK
    # A redirect without a host has a query, too, which may be how a sign-in comes back.
    return masker.url(value) if "://" in value or name.lower() == "location" else masker.text(value)
