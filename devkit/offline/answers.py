"""Reads the answers of integrations, for commands and tests."""

from __future__ import annotations

import json
from typing import Any


class ReadableAnswer:
    """The body of an answer, read as integrations write it."""

    __slots__ = ()
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON; raises ValueError."""
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The sentence of an error answer, "" where it has none."""
        try:
            content = self.json
        except ValueError:
            return ""
        sentence = content.get("error") if isinstance(content, dict) else None
        return sentence if isinstance(sentence, str) else ""
