"""The three-way merge of documents, block by block.

Each side is a list of edits of the base (`edits`): blocks changed, removed, inserted. Edits of different blocks merge.
The same edit on both sides counts once. Insertions of both sides at one place are both kept, ours first. A block that
both changed is merged recursively if it is a container of the same type; otherwise it is a conflict, and so is a block
that one side changed and the other removed. A block that both moved to different places appears in both. Keys of nodes
are not content: ours are kept unless only theirs changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runtime.services.merging.blocks import CONTAINERS, Node, fingerprint, inner, places_of, type_of
from runtime.services.merging.edits import Block, blocks_of, edits
from runtime.services.merging.three_way import BothChanged, pick, pick_by_name, prefer

MAX_LEVELS = 16
"""Containers in containers that are merged inside; deeper ones are taken whole."""
NOTHING: Node = {"object": "document", "data": {}, "nodes": []}
WHOLE = "the text"

Path = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class BlockConflict:
    """A conflicting block; `path` is its position in the base.

    `why` is `changed` if both sides changed it, `deleted` if one changed and the other deleted it, and `emptied` if
    both sides together would leave it empty.
    """

    place: str
    path: Path
    why: Literal["changed", "deleted", "emptied"]


@dataclass(frozen=True, slots=True)
class MergedDocument:
    """The merged document; None if neither side has one, or if there are conflicts."""

    document: Node | None
    conflicts: tuple[BlockConflict, ...] = ()


def merge_documents(base: Node | None, ours: Node | None, theirs: Node | None) -> MergedDocument:
    """Merge two versions of a document; None stands for a missing document."""
    try:
        return MergedDocument(pick(base, ours, theirs))
    except BothChanged:
        pass
    if ours is None or theirs is None:
        left = ours if theirs is None else theirs
        if base is not None and left is not None and fingerprint(left) == fingerprint(base):
            return MergedDocument(None)
        return MergedDocument(None, (BlockConflict(WHOLE, (), "deleted"),))
    merging = _Merging()
    document = merging.node(NOTHING if base is None else base, ours, theirs, "", (), 0)
    return MergedDocument(None if merging.conflicts else document, tuple(merging.conflicts))


class _Merging:
    """Collects the conflicts of one merge; its results are valid only without conflicts."""

    def __init__(self) -> None:
        self.conflicts: list[BlockConflict] = []

    def node(self, base: Node, ours: Node, theirs: Node, place: str, path: Path, level: int) -> Node:
        """Merge a container, or the document itself, whose path is empty."""
        inside = f" in {place}" if place else ""
        sides = (base, ours, theirs)
        own = [{name: side[name] for name in side if name not in _BY_RULES} for side in sides]
        merged, disputed = pick_by_name(*own)
        if any("data" in side for side in sides[1:]):
            merged["data"], more = pick_by_name(*(side.get("data") or {} for side in sides))
            disputed += more
        for name in disputed:
            of = f" of {place}" if place else ""
            self.conflicts.append(BlockConflict(f"the `{name}`{of}", (*path, name), "changed"))
        for name in ("key", "meta"):
            value = prefer(base.get(name), ours.get(name), theirs.get(name), lambda mine, _: mine)
            if value is not None:
                merged[name] = value
        if any("nodes" in side for side in sides[1:]):
            before = len(self.conflicts)
            merged["nodes"] = self.blocks(inner(base), inner(ours), inner(theirs), inside, path, level)
            agreed = len(self.conflicts) == before
            if place and agreed and not merged["nodes"] and inner(ours) and inner(theirs):
                self.conflicts.append(BlockConflict(place, path, "emptied"))
        if any("fragments" in side for side in sides[1:]):
            merged["fragments"] = self.fragments(*sides, place, path, level)
        return merged

    def blocks(
        self, base: Sequence[Node], ours: Sequence[Node], theirs: Sequence[Node], inside: str, path: Path, level: int
    ) -> list[Node]:
        """Merge the blocks of a container."""
        former, our_blocks, their_blocks = blocks_of(base), blocks_of(ours), blocks_of(theirs)
        our_edits, their_edits = edits(former, our_blocks), edits(former, their_blocks)
        names = places_of(base)
        merged: list[Node] = []
        for number in range(len(former) + 1):
            merged += _put_in(our_edits.put_in[number], their_edits.put_in[number])
            if number < len(former):
                mine, other = our_edits.became[number], their_edits.became[number]
                place = f"{names[number]}{inside}"
                merged += self.block(former[number], mine, other, place, (*path, number), level)
        return merged

    def block(
        self, base: Block, ours: Block | None, theirs: Block | None, place: str, path: Path, level: int
    ) -> list[Node]:
        """Merge one block; returns no node if it was removed."""
        if ours is None or theirs is None:
            left = ours or theirs
            if left is not None and left.print != base.print:
                self.conflicts.append(BlockConflict(place, path, "deleted"))
            return []
        if ours.print == theirs.print:
            return [prefer(base.node, ours.node, theirs.node, lambda mine, _: mine)]
        if ours.print == base.print:
            return [theirs.node]
        if theirs.print == base.print:
            return [ours.node]
        types = {type_of(block.node) for block in (base, ours, theirs)}
        if len(types) == 1 and types <= CONTAINERS and level < MAX_LEVELS:
            return [self.node(base.node, ours.node, theirs.node, place, path, level + 1)]
        self.conflicts.append(BlockConflict(place, path, "changed"))
        return []

    def fragments(self, base: Node, ours: Node, theirs: Node, place: str, path: Path, level: int) -> Any:
        """Merge named parts, such as those of an expandable block, separately."""
        sides = [list(inner(side, "fragments")) for side in (base, ours, theirs)]
        names = [[str(one.get("fragment") or one.get("type")) for one in side] for side in sides]
        if names[0] == names[1] == names[2]:
            return [
                self.node(former, mine, other, place, (*path, name), level)
                for name, former, mine, other in zip(names[0], *sides, strict=True)
            ]
        try:
            return pick(*sides)
        except BothChanged:
            self.conflicts.append(BlockConflict(place or WHOLE, path, "changed"))
            return []


_BY_RULES = frozenset(("data", "key", "meta", "nodes", "fragments"))


def _put_in(ours: Sequence[Block], theirs: Sequence[Block]) -> list[Node]:
    same = [block.print for block in ours] == [block.print for block in theirs]
    return [block.node for block in (ours if same else (*ours, *theirs))]
