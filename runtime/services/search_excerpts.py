"""What of a page is shown for a query: its sections that have most of the words, each cut around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from runtime.contract.document_sections import Section
from runtime.store.search_index.words import LONGEST, spans

BEFORE, ABOUT = 60, 240
"""Characters of a body before the first word that was found, and of all of it."""
IN_HEADING = 2.0
"""How much more a word counts in the title of a section."""
MAX_FOUND, NEAR = 100, 12
"""Words in one section that are looked at, and those that may stand in one body."""
MAX_SHOWN = 64
"""Words of the index that are looked for in what is shown."""

Place = tuple[int, int, str]
"""Where a word begins and ends in a text, and the word."""


class Excerpt(NamedTuple):
    """A section with the part of its text that is shown, and the words in it: where each begins and ends."""

    section: Section
    score: float
    body: str
    found: Sequence[tuple[int, int]]


class Words:
    """The words of a query as they stand in texts, each with what it weighs."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """Take the words of the index that count; only those that weigh most are shown."""
        most = sorted(weights, key=lambda word: (-weights[word], word))[:MAX_SHOWN]
        self.weights = {word: weights[word] for word in most}
        plain = sorted((word for word in most if word.isascii()), key=lambda word: (-len(word), word))
        # What must not stand before a word is looked at afterwards: in front, it would keep the search from skipping.
        self._plain = re.compile(rf"(?:{'|'.join(plain)})(?![a-z0-9])") if plain else None
        self._longest = max(map(len, plain), default=0)

    def find(self, text: str) -> list[Place]:
        """Find them in a text, the first ones where there are many."""
        if text.isascii() and self._longest < LONGEST:
            return self._in_plain(text.lower()) if self._plain is not None else []
        return list(islice((one for one in spans(text) if one[2] in self.weights), MAX_FOUND))

    def _in_plain(self, text: str) -> list[Place]:
        assert self._plain is not None
        found = (
            (match.start(), match.end(), match[0])
            for match in self._plain.finditer(text)
            if not match.start() or not text[match.start() - 1].isalnum()
        )
        return list(islice(found, MAX_FOUND))

    def worth(self, found: Iterable[Place]) -> float:
        """Add up what those of a text weigh, each once."""
        said = {word for _, _, word in found}
        return sum(self.weights[word] for word in (said if len(said) < 2 else sorted(said)))


def excerpts(sections: Sequence[Section], words: Words, many: int) -> list[Excerpt]:
    """Pick the sections that have most of some words, each word counting what it weighs."""
    scored = []
    for place, section in enumerate(sections):
        found = words.find(section.text)
        score = words.worth(found) + IN_HEADING * words.worth(words.find(section.title))
        if score > 0:
            scored.append((-score, place, found))
    scored.sort(key=lambda one: one[:2])
    return [
        Excerpt(sections[place], -score, *_cut(sections[place].text, found, words))
        for score, place, found in scored[:many]
    ]


def _cut(text: str, found: Sequence[Place], words: Words) -> tuple[str, list[tuple[int, int]]]:
    """Cut a text around the place that has most of the words."""
    first, most = 0, 0.0
    for place, (begin, _, _) in enumerate(found if len(text) > ABOUT else ()):
        worth = words.worth(one for one in found[place : place + NEAR] if one[1] - begin <= ABOUT - BEFORE)
        if worth > most:
            first, most = begin, worth
    start = max(0, first - BEFORE)
    if start:
        start = next((at + 1 for at in range(start, first) if text[at].isspace()), first)
    end = min(len(text), start + ABOUT)
    if end < len(text):
        end = next((at for at in range(end, start + ABOUT // 2, -1) if text[at].isspace()), end)
    left, right = "…" if start else "", "…" if end < len(text) else ""
    shift = len(left) - start
    inside = [(at + shift, to + shift) for at, to, _ in found if at >= start and to <= end]
    return left + text[start:end].replace("\n", " ") + right, inside
