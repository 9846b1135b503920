"""Which of many owners has most, found without a look at all of them."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

SPARE = 64


class Largest:
    """How much each owner has; of those that have equally much, the one that came to it first counts as having more."""

    def __init__(self) -> None:
        self._has: dict[str, tuple[int, int]] = {}
        self._order: list[tuple[int, int, str]] = []  # a heap; what an owner had before stays in it for a while
        self._changes = 0

    def set(self, owner: str, amount: int) -> None:
        """Note how much an owner has by now."""
        self._changes += 1
        self._has[owner] = (-amount, self._changes)
        heappush(self._order, (-amount, self._changes, owner))
        if len(self._order) > 2 * len(self._has) + SPARE:
            self._order = [(*has, owner) for owner, has in self._has.items()]
            heapify(self._order)

    def forget(self, owner: str) -> None:
        """Note that an owner is there no more."""
        del self._has[owner]

    def owner(self) -> str:
        """Name the owner that has most; there must be one."""
        while self._has.get(self._order[0][2]) != self._order[0][:2]:
            heappop(self._order)
        return self._order[0][2]
