"""What can be wrong with a specification, and the bounds of one."""

from __future__ import annotations

MAX_FILE = 20 * 1024 * 1024
"""Bytes of one file."""
MAX_TOTAL = 50 * 1024 * 1024
"""Bytes of all files that a specification consists of."""
MAX_RESULT = 2 * MAX_TOTAL
"""Bytes of what is kept, where every alias is written out."""
MAX_FILES = 200
MAX_NODES = 3_000_000
"""Values in all files together, as they are when every alias is written out; a long text counts as several."""
LONG = 64
"""Characters of a text that count as one value more."""
MAX_DEPTH = 200
"""Levels of nesting."""
MAX_FAULTS = 20
"""Sentences that are kept about what is wrong."""
LONGEST_FAULT = 500


class Unreadable(Exception):
    """A specification cannot be read; `sentences` say why, for the person it belongs to."""

    def __init__(self, *sentences: str) -> None:
        super().__init__("; ".join(sentences[:3]))
        self.sentences = [shortened(sentence) for sentence in sentences[:MAX_FAULTS]]


def shortened(sentence: str) -> str:
    """Return a sentence at a length that can be kept and shown: it may quote what somebody sent."""
    clean = sentence.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
    return clean if len(clean) <= LONGEST_FAULT else clean[: LONGEST_FAULT - 1] + "…"


class Count:
    """How many values have been read so far."""

    def __init__(self) -> None:
        self.nodes = 0

    def add(self, number: int) -> None:
        """Count more; raises Unreadable for too many."""
        self.nodes += number
        if self.nodes > MAX_NODES:
            raise Unreadable(
                f"The specification has more than {MAX_NODES:,} values with its aliases expanded; split it."
            )


def check_depth(depth: int) -> None:
    """Raise Unreadable for what is nested too deeply."""
    if depth > MAX_DEPTH:
        raise Unreadable(f"The specification is nested deeper than {MAX_DEPTH} levels.")
