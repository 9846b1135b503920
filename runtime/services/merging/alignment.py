"""Matches the elements of a list with those of a changed copy, in bounded time even if elements repeat.

Elements that are unique in both lists are matched first (a patience diff), then, recursively, what lies between them.
Without unique elements, short parts are matched exactly; in long ones the n-th of several equal elements matches the
n-th, which takes about linear time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

MAX_PAIRS = 2_500
"""Pairs of elements that are looked at one by one in one part of the lists."""
MAX_ROUNDS = 32
"""How often a part is cut again; each round takes time linear in the length."""

Pairs = list[tuple[int, int]]
Part = tuple[int, int, int, int, int]
"""From and to in the one list, from and to in the other, and the round."""


def align(base: Sequence[Hashable], side: Sequence[Hashable]) -> Pairs:
    """Match equal elements of two lists; returns pairs of positions, ascending in both."""
    pairs: Pairs = []
    todo: list[Part] = [(0, len(base), 0, len(side), 0)]
    while todo:
        low, high, start, end, round_ = todo.pop()
        while low < high and start < end and base[low] == side[start]:
            pairs.append((low, start))
            low, start = low + 1, start + 1
        while low < high and start < end and base[high - 1] == side[end - 1]:
            high, end = high - 1, end - 1
            pairs.append((high, end))
        if low == high or start == end:
            continue
        anchors = _once_in_both(base, side, (low, high, start, end, round_)) if round_ < MAX_ROUNDS else []
        if anchors:
            pairs += anchors
            before = (low - 1, start - 1)
            for after in (*anchors, (high, end)):
                todo.append((before[0] + 1, after[0], before[1] + 1, after[1], round_ + 1))
                before = after
        else:
            pairs += _repeated(base, side, (low, high, start, end, round_))
    return sorted(pairs)


def heaviest(rows: int, columns: int, weight: Callable[[int, int], int]) -> Pairs:
    """Match rows with columns so that the sum of weights is maximal; a weight of 0 is no match.

    Takes time and memory for all pairs, so callers pass at most MAX_PAIRS. Of several best answers, the one with the
    earliest matches is returned.
    """
    weights = [[weight(row, column) for column in range(columns)] for row in range(rows)]
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        here, below, of_row = best[row], best[row + 1], weights[row]
        for column in range(columns - 1, -1, -1):
            here[column] = max(below[column], here[column + 1], of_row[column] and below[column + 1] + of_row[column])
    pairs: Pairs = []
    row = column = 0
    while row < rows and column < columns:
        own = weights[row][column]
        if own and best[row][column] == own + best[row + 1][column + 1]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def ascending(places: Sequence[int]) -> list[int]:
    """Find a longest ascending subsequence of distinct numbers; returns its positions."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for place, number in enumerate(places):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            at.append(place)
        else:
            ends[length], at[length] = number, place
    run: list[int] = []
    place = at[-1] if at else -1
    while place >= 0:
        run.append(place)
        place = before[place]
    return run[::-1]


def _once_in_both(base: Sequence[Hashable], side: Sequence[Hashable], part: Part) -> Pairs:
    low, high, start, end, _ = part
    often, often_there = Counter(base[low:high]), Counter(side[start:end])
    where = {element: place for place, element in enumerate(side[start:end], start) if often_there[element] == 1}
    found = [
        (place, where[element])
        for place, element in enumerate(base[low:high], low)
        if often[element] == 1 and element in where
    ]
    return [found[place] for place in ascending([there for _, there in found])]


def _repeated(base: Sequence[Hashable], side: Sequence[Hashable], part: Part) -> Pairs:
    low, high, start, end, _ = part
    if (high - low) * (end - start) <= MAX_PAIRS:
        exact = heaviest(high - low, end - start, lambda row, column: int(base[low + row] == side[start + column]))
        return [(low + row, start + column) for row, column in exact]
    where = {element: place for place, element in enumerate(_numbered(side[start:end]), start)}
    numbered = enumerate(_numbered(base[low:high]), low)
    found = [(place, where[element]) for place, element in numbered if element in where]
    return [found[place] for place in ascending([there for _, there in found])]


def _numbered(elements: Sequence[Hashable]) -> list[tuple[Hashable, int]]:
    """Number equal elements in order, so that all are distinct."""
    seen: Counter[Hashable] = Counter()
    numbered = []
    for element in elements:
        numbered.append((element, seen[element]))
        seen[element] += 1
    return numbered
