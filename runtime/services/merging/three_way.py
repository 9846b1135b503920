"""The rule of all three-way merges: a change of one side is taken, equal changes of both sides count once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class BothChanged(Exception):
    """Both sides changed a value differently."""


def pick(base: T, ours: T, theirs: T) -> T:
    """Merge an atomic value; raises BothChanged."""
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
    """Merge mappings name by name; returns the result, and the names that both sides changed differently."""
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
