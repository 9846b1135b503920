"""The rule of every three-way merge: what one side alone changed is taken, and both may make the same change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class BothChanged(Exception):
    """Both sides changed a value, and not to the same."""


def pick(base: T, ours: T, theirs: T) -> T:
    """Merge a value that is taken whole; raises BothChanged."""
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    raise BothChanged


def prefer(base: T, ours: T, theirs: T, choose: Callable[[T, T], T]) -> T:
    """Merge a value that is never a conflict: `choose` decides where both sides changed it."""
    try:
        return pick(base, ours, theirs)
    except BothChanged:
        return choose(ours, theirs)


def pick_by_name(
    base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Merge mappings name by name; returns what was merged, and the names both sides changed differently."""
    merged: dict[str, Any] = {}
    disputed: list[str] = []
    for name in dict.fromkeys((*ours, *theirs, *base)):
        # A list of no or one value tells a name that is not there from one that is there with None.
        sides = [[side[name]] if name in side else [] for side in (base, ours, theirs)]
        try:
            for value in pick(*sides):
                merged[name] = value
        except BothChanged:
            disputed.append(name)
    return merged, disputed
