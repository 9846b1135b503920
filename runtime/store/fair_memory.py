"""A cache with a limit in bytes that organizations share: the largest owner's least recently used value goes first."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

from runtime.store.largest import Largest

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class _Kept(Generic[V]):
    value: V
    owner: str
    size: int


class FairMemory(Generic[K, V]):
    """Values by key, each of an owner and with a size in bytes; safe to use from many threads."""

    def __init__(self, most_bytes: int) -> None:
        """Take the limit, in bytes, of all values together."""
        self._most = most_bytes
        self._size = 0
        self._size_of: Counter[str] = Counter()
        self._largest = Largest()
        self._keys_of: dict[str, OrderedDict[K, None]] = {}
        self._kept: dict[K, _Kept[V]] = {}
        self._lock = threading.Lock()

    def peek(self, key: K) -> V | None:
        """Return the value of a key without counting it as used; takes no lock."""
        kept = self._kept.get(key)
        return kept.value if kept is not None else None

    def use(self, key: K) -> V | None:
        """Return the value of a key, and count it as used: its owner's other values are evicted before it."""
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            self._keys_of[kept.owner].move_to_end(key)
            return kept.value

    def keep(self, key: K, value: V, owner: str, size: int) -> None:
        """Store a value for an owner, replacing that of the key, and evict others if the limit is exceeded."""
        with self._lock:
            self._drop(key)
            self._kept[key] = _Kept(value, owner, size)
            self._keys_of.setdefault(owner, OrderedDict())[key] = None
            self._size += size
            self._size_of[owner] += size
            self._largest.set(owner, self._size_of[owner])
            while self._size > self._most:
                self._drop(next(iter(self._keys_of[self._largest.owner()])))

    def drop(self, key: K) -> None:
        """Remove the value of a key, if there is one."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: K) -> None:
        gone = self._kept.pop(key, None)
        if gone is None:
            return
        self._size -= gone.size
        self._size_of[gone.owner] -= gone.size
        del self._keys_of[gone.owner][key]
        if self._keys_of[gone.owner]:
            self._largest.set(gone.owner, self._size_of[gone.owner])
        else:
            del self._keys_of[gone.owner], self._size_of[gone.owner]
            self._largest.forget(gone.owner)
