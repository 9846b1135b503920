"""Patterns of addresses that a block is made for: `https://*.example.com/browse/**` (docs/contract/contentkit.md).

`*` stands for anything inside one segment of the path or one label of the host, `**` for anything, and a `*` at the
very end of a path for anything too. The whole address must match; scheme and host whatever their case.

All ways to match are followed at once, one bit for each place in the pattern: the time grows with the length of the
address and never with how the wildcards could share it.
"""

from __future__ import annotations

from functools import lru_cache

LONGEST = 512
"""Characters of a pattern; a longer one matches nothing."""
KEPT = 256
"""Patterns that are kept ready: one of as many different letters as it may have takes 80 kB, most take two."""
IN_PATH, IN_HOST, ANYTHING = "/?#", "/?#.:@", ""
"""What ends the run of a wildcard."""


def matches(pattern: str, address: str) -> bool:
    """Return whether an address is one of those a pattern stands for."""
    return len(pattern) <= LONGEST and _compiled(pattern).matches(lower_host(address))


def lower_host(address: str) -> str:
    """Write scheme and host in lower case; both mean the same whatever their case, a path does not."""
    end = _host_end(address)
    return address[:end].lower() + address[end:]


def _host_end(address: str) -> int:
    start = address.find("://")
    start = start + 3 if start >= 0 else 0
    ends = [place for place in (address.find(mark, start) for mark in "/?#") if place >= 0]
    return min(ends, default=len(address))


class _Pattern:
    """A pattern as sets of places, each set the bits of one number."""

    __slots__ = ("_end", "_literal", "_stays", "_wild")

    def __init__(self, pattern: str) -> None:
        elements = _elements(lower_host(pattern))
        self._literal: dict[str, int] = {}
        self._stays: dict[str, int] = dict.fromkeys(IN_HOST, 0)
        self._wild, self._end = 0, 1 << len(elements)
        for place, (text, stops) in enumerate(elements):
            bit = 1 << place
            if stops is None:
                self._literal[text] = self._literal.get(text, 0) | bit
            else:
                self._wild |= bit
                for character in IN_HOST:
                    self._stays[character] |= 0 if character in stops else bit

    def matches(self, address: str) -> bool:
        places = 1 | (2 if self._wild & 1 else 0)
        for character in address:
            stays = places & self._stays.get(character, self._wild)
            places = ((places & self._literal.get(character, 0)) << 1) | stays
            places |= (places & self._wild) << 1  # a wildcard may stand for nothing more; no two stand side by side
            if not places:
                return False
        return bool(places & self._end)


def _elements(pattern: str) -> list[tuple[str, str | None]]:
    """Split a pattern into characters, with None, and wildcards, with what ends them."""
    host_end = _host_end(pattern)
    elements: list[tuple[str, str | None]] = []
    place = 0
    while place < len(pattern):
        if pattern[place] != "*":
            elements.append((pattern[place], None))
            place += 1
            continue
        run = len(pattern) - place - len(pattern[place:].lstrip("*"))
        last = place + run == len(pattern)
        one_part = IN_HOST if place < host_end else IN_PATH
        stops = ANYTHING if run > 1 or (last and place > host_end) else one_part
        elements.append(("*", stops))
        place += run
    return elements


@lru_cache(maxsize=KEPT)
def _compiled(pattern: str) -> _Pattern:
    return _Pattern(pattern)
