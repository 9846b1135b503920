"""Answers stored with the trace: those of endpoints, and of other calls the ones that refuse or fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runtime.contract.credentials import is_credential
from runtime.contract.event_descriptions import unhandled
from runtime.contract.invocation import Outcome
from runtime.contract.masking import MASK, Masker
from runtime.dispatch.traces import MAX_BODY, recorded_body

KINDS = frozenset(("fetch", "fetch_published_script", "fetch_visitor_authentication"))
"""Events whose answers are sent as HTTP; renders are not among them, since there are thousands of them."""
MOST_REFUSED = 4_000
"""Characters of a refusal of any other call: enough for a sentence, and for the error of a service that was asked."""


class Copied:
    """The chunks of an answer as they are sent; a copy is kept as long as it is short."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._copy: list[bytes] = []
        self.size = 0

    @property
    def copy(self) -> bytes | None:
        """The body so far; None if it is too long to keep."""
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
        """Close the source of the chunks."""
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()


def stored_answer(kind: str, outcome: Outcome, body: bytes | Copied, masker: Masker) -> dict[str, Any] | None:
    """Return the answer to an event of this type with the body that was sent, without secrets; None if not kept."""
    if outcome.failure is not None:
        return None
    if kind not in KINDS and (outcome.status < 400 or unhandled(kind, outcome.status)):
        return None
    text = recorded_body(body if isinstance(body, bytes) else body.copy, masker)
    if text is not None and kind not in KINDS:
        text = text[:MOST_REFUSED]
    size = len(body) if isinstance(body, bytes) else body.size
    headers = [(name.lower(), _header(name, value, masker)) for name, value in outcome.headers]
    return {"status": outcome.status, "headers": headers, "bytes": size, **({} if text is None else {"body": text})}


def _header(name: str, value: str, masker: Masker) -> str:
    if is_credential(name):
        return MASK
    # A redirect without a host has a query, too, which may contain the result of a sign-in.
    return masker.url(value) if "://" in value or name.lower() == "location" else masker.text(value)
