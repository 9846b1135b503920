"""What is kept in memory for many organizations: who has most of it loses first, and of theirs what came first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from runtime.store.largest import Largest

Parts = Mapping[Hashable, int]
"""What a value consists of, with about how many bytes each part has."""


class Weights:
    """How many bytes there are of all parts of what is kept; one that several values share is counted once."""

    def __init__(self) -> None:
        self.together = 0
        self._counted: dict[Hashable, tuple[int, int]] = {}  # how many values have a part, and its weight

    def add(self, parts: Parts) -> None:
        """Count the parts of one more value; of a part that others have as well, the most that any of them said.

        A part may grow while it is kept. That it shrinks is not believed: the value that said more may still hold it.
        """
        for part, weight in parts.items():
            holders, counted = self._counted.get(part, (0, 0))
            self._counted[part] = holders + 1, max(weight, counted)
            self.together += max(weight - counted, 0)

    def remove(self, parts: Iterable[Hashable]) -> None:
        """Count the parts of a value no longer."""
        for part in parts:
            holders, counted = self._counted[part]
            if holders > 1:
                self._counted[part] = holders - 1, counted
            else:
                del self._counted[part]
                self.together -= counted


@dataclass(slots=True)
class _Share:
    """What one owner has: the parts of each value, the oldest value first."""

    values: dict[Hashable, Parts] = field(default_factory=dict)
    weights: Weights = field(default_factory=Weights)


class FairEviction:
    """Says what has to go where there are more than `most` values, or they weigh more than `heaviest` together.

    A part that values of several owners share weighs once, and for each of these owners. One value alone has always
    room. Whoever uses it from several threads holds a lock.
    """

    def __init__(self, most: int, heaviest: int) -> None:
        """Take the two bounds."""
        self._most, self._heaviest = most, heaviest
        self._weights = Weights()
        self._many = 0
        self._shares: dict[str, _Share] = {}
        self._having_most, self._having_heaviest = Largest(), Largest()

    def add(self, key: Hashable, owner: str, parts: Parts) -> None:
        """Note a value that is kept under a key that had none."""
        share = self._shares.setdefault(owner, _Share())
        share.values[key] = parts
        share.weights.add(parts)
        self._weights.add(parts)
        self._many += 1
        self._note(owner, share)

    def remove(self, key: Hashable, owner: str) -> None:
        """Note that the value under a key is kept no longer."""
        share = self._shares[owner]
        parts = share.values.pop(key)
        share.weights.remove(parts)
        self._weights.remove(parts)
        self._many -= 1
        if share.values:
            self._note(owner, share)
            return
        del self._shares[owner]
        self._having_most.forget(owner)
        self._having_heaviest.forget(owner)

    def too_much(self) -> Hashable | None:
        """Give the key of what has to go next; None where there is room for all."""
        if self._many <= 1:
            return None
        if self._many > self._most:
            owner = self._having_most.owner()
        elif self._weights.together > self._heaviest:
            owner = self._having_heaviest.owner()
        else:
            return None
        return next(iter(self._shares[owner].values))

    def _note(self, owner: str, share: _Share) -> None:
        self._having_most.set(owner, len(share.values))
        self._having_heaviest.set(owner, share.weights.together)
