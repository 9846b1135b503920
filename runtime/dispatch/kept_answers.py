"""Answers of endpoints, stored with the trace: status, headers, and the body if it is text of at most 64 KB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runtime.contract.credentials import is_credential
from runtime.contract.invocation import Outcome
from runtime.contract.masking import MASK, Masker
from runtime.dispatch.traces import MAX_BODY, recorded_body

KINDS = frozenset(("fetch", "fetch_published_script", "fetch_visitor_authentication"))
"""Events whose answers are sent as HTTP; renders are not among them, since there are thousands of them."""


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


def kept_answer(kind: str, outcome: Outcome, body: bytes | Copied, masker: Masker) -> dict[str, Any] | None:
    """Return the answer to an event of this type with the body that was sent, without secrets; None if not kept."""
    if kind not in KINDS or outcome.failure is not None:
        return None
    text = recorded_body(body if isinstance(body, bytes) else body.copy, masker)
    size = len(body) if isinstance(body, bytes) else body.size
    headers = [(name.lower(), _header(name, value, masker)) for name, value in outcome.headers]
    return {"status": outcome.status, "headers": headers, "bytes": size, **({} if text is None else {"body": text})}


def _header(name: str, value: str, masker: Masker) -> str:
    if is_credential(name):
        return MASK
    # A redirect without a host has a query, too, which may contain the result of a sign-in.
    return masker.url(value) if "://" in value or name.lower() == "location" else masker.text(value)
