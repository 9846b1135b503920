"""The edits of one side: which blocks it changed or removed, and what it inserted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.services.merging.alignment import MAX_PAIRS, Pairs, align, heaviest
from runtime.services.merging.blocks import Node, fingerprint, likeness, type_of, words_of


@dataclass(frozen=True, slots=True)
class Block:
    """A block with the fingerprint of its content."""

    node: Node
    print: bytes


@dataclass(frozen=True, slots=True)
class Edits:
    """`became` has each base block's new version, None if it was removed; `put_in[n]` was inserted before block n."""

    became: Sequence[Block | None]
    put_in: Sequence[Sequence[Block]]


def blocks_of(nodes: Sequence[Node]) -> list[Block]:
    """Pair each block with its fingerprint."""
    return [Block(node, fingerprint(node)) for node in nodes]


def edits(base: Sequence[Block], side: Sequence[Block]) -> Edits:
    """Compute the edits that a side made.

    Between two unchanged blocks, a new block with the type of a former one, or with half of its words, counts as an
    edited version of it; blocks are matched by the words they share.
    """
    became: list[Block | None] = [None] * len(base)
    put_in: list[list[Block]] = [[] for _ in range(len(base) + 1)]
    low = start = 0
    stayed = align([block.print for block in base], [block.print for block in side])
    for place, there in (*stayed, (len(base), len(side))):
        gap = low
        successors = {start + column: low + row for row, column in _edited(base[low:place], side[start:there])}
        for number in range(start, there):
            if number in successors:
                became[successors[number]] = side[number]
                gap = successors[number] + 1
            else:
                put_in[gap].append(side[number])
        if place < len(base):
            became[place] = side[there]
        low, start = place + 1, there + 1
    return Edits(became, put_in)


def _edited(former: Sequence[Block], new: Sequence[Block]) -> Pairs:
    if not former or not new:
        return []
    types, new_types = [type_of(block.node) for block in former], [type_of(block.node) for block in new]
    if len(former) * len(new) > MAX_PAIRS:
        return align(types, new_types)
    words, new_words = [words_of(block.node) for block in former], [words_of(block.node) for block in new]
    return heaviest(
        len(former),
        len(new),
        lambda row, column: likeness(types[row], words[row], new_types[column], new_words[column]),
    )
