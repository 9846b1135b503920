"""How much each word says of a page, and how that is stored.

Pages of a space are numbered. The pages of one chunk of numbers that have a word stand in one row, each as 16 bits: its
place in the chunk, and what the word weighs there. What a word weighs depends on its page alone, so that a changed page
changes no other.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

from runtime.contract.document_sections import Section
from runtime.store.search_index.words import words_of

PLACES = 128
"""Pages of a chunk."""
HEAVIEST = 511
TITLE, TITLE_ALONE = 160, 90
"""What a word weighs in a title, and how much more where it is the only one."""
HEADING, HEADING_ALONE = 60, 40
DESCRIPTION = 45
BODY = 80
"""What a word in the text weighs at most, however often it stands there."""
AVERAGE = 400
"""Words of a page of usual length: in longer ones each weighs less."""

Weights = Mapping[str, int]


def weights_of(title: str, description: str, sections: Sequence[Section]) -> dict[str, int]:
    """Weigh the words of a page: those of its title most, then those of headings, then those of the text."""
    weights: dict[str, float] = {}
    heading: dict[str, float] = {}
    counts: dict[str, int] = {}
    length = 0
    names = words_of(title)
    for word in names:
        weights[word] = TITLE + TITLE_ALONE / len(names)
    for word in set(words_of(description)):
        weights[word] = weights.get(word, 0) + DESCRIPTION
    for section in sections:
        parts = words_of(section.title)
        for word in parts:
            heading[word] = max(heading.get(word, 0), HEADING + HEADING_ALONE / len(parts))
        body = words_of(section.text)
        length += len(body)
        for word in body:
            counts[word] = counts.get(word, 0) + 1
    for word, weight in heading.items():
        weights[word] = weights.get(word, 0) + weight
    damping = 1.2 * (0.25 + 0.75 * length / AVERAGE)
    for word, count in counts.items():
        weights[word] = weights.get(word, 0) + BODY * count / (count + damping)
    return {word: max(1, min(HEAVIEST, round(weight))) for word, weight in weights.items()}


def pack(weights: Mapping[int, int]) -> bytes:
    """Write what a word weighs in the pages of one chunk, by their places."""
    packed = array("H", sorted(place << 9 | weight for place, weight in weights.items()))
    return packed.tobytes()


def unpack(entries: bytes) -> Iterable[int]:
    """Read what `pack` wrote: numbers of which the lower 9 bits are the weight, and the others the place."""
    packed = array("H")
    packed.frombytes(entries)
    return packed


def unpacked(entries: bytes) -> dict[int, int]:
    """Read what `pack` wrote, by the places."""
    return {entry >> 9: entry & HEAVIEST for entry in unpack(entries)}
