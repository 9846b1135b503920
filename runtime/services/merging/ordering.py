"""The three-way merge of the order of siblings."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.services.merging.alignment import ascending


def merge_order(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Merge the order of siblings; the lists hold ids of entries that exist after the merge.

    Entries that neither side moved or inserted keep their order. The others are placed between the same two of those
    as on their side: theirs for what theirs moved or inserted, else ours. Of two at one place, the side that changed
    their order decides; if one of them is new, ours comes first.
    """
    by_theirs = _placed(base, theirs) | (set(theirs) - set(ours))
    by_ours = (_placed(base, ours) | (set(ours) - set(theirs))) - by_theirs
    after_ours, after_theirs = _after(ours, by_ours, by_theirs), _after(theirs, by_theirs, by_ours)
    precedence = _Precedence(base, ours, theirs)
    merged: list[str] = []
    for fixed in (None, *(id_ for id_ in ours if id_ not in by_ours and id_ not in by_theirs)):
        merged += [fixed] if fixed is not None else []
        merged += precedence.put_together(after_ours.get(fixed, []), after_theirs.get(fixed, []))
    return merged


def _placed(base: Sequence[str], side: Sequence[str]) -> set[str]:
    """Find the smallest set of entries that a side moved or inserted."""
    places = _places(base)
    former = [id_ for id_ in side if id_ in places]
    kept = {former[place] for place in ascending([places[id_] for id_ in former])}
    return {id_ for id_ in side if id_ not in kept}


def _places(ids: Sequence[str]) -> dict[str, int]:
    return {id_: place for place, id_ in enumerate(ids)}


def _after(side: Sequence[str], own: set[str], others: set[str]) -> dict[str | None, list[str]]:
    """List what a side placed after each unmoved entry; None stands for the beginning."""
    after: dict[str | None, list[str]] = {}
    fixed: str | None = None
    for id_ in side:
        if id_ in own:
            after.setdefault(fixed, []).append(id_)
        elif id_ not in others:
            fixed = id_
    return after


class _Precedence:
    """Decides which of two entries at one place comes first: ours or theirs."""

    def __init__(self, base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> None:
        self._sides = _places(base), _places(ours), _places(theirs)

    def put_together(self, mine: Sequence[str], others: Sequence[str]) -> list[str]:
        """Merge what both sides placed between the same two entries; new entries stay with their successor."""
        leads: list[str | None] = [None]
        for id_ in reversed(others):
            leads.append(id_ if self._is_in_all(id_) else leads[-1])
        merged: list[str] = []
        next_ = 0
        for id_ in mine:
            while next_ < len(others) and self._theirs_first(id_, leads[len(others) - next_]):
                merged.append(others[next_])
                next_ += 1
            merged.append(id_)
        return [*merged, *others[next_:]]

    def _is_in_all(self, id_: str) -> bool:
        return all(id_ in side for side in self._sides)

    def _theirs_first(self, mine: str, other: str | None) -> bool:
        if other is None or not self._is_in_all(mine):
            return False
        former, here, there = (side[other] < side[mine] for side in self._sides)
        return here if here == there else not former
