"""The blocks of the integrations in a space, as one answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from runtime.contract.embedding import IntegrationBlocks, LeftOut
from runtime.store import searching
from runtime.store.reach import Reach
from runtime.store.tables.spaces import SpaceRow

MOST_BLOCKS = 16_000_000
"""Characters of all blocks of a space, as JSON: they are one answer."""
LONG: tuple[LeftOut, ...] = ("icon", "urlUnfurl")
"""What a block can do without, where it is too long, in the order in which it is left out."""


def blocks_of(session: Session, space: SpaceRow, reach: Reach) -> list[IntegrationBlocks]:
    """List the blocks of each integration that is active in a space and has some.

    Where all are too long for one answer, those who publish the longest ones are given less: first their icons are left
    out, then what they are made for, then the blocks. Which of these were, each says.
    """
    lengths = searching.lengths_of_blocks(session, space, reach)
    totals: Counter[str] = Counter()
    for one in lengths:
        totals[one.owner] += one.length
    parts = divided(MOST_BLOCKS, totals)
    whole, room = {one.id: one.length for one in lengths}, dict[str, int]()
    for owner, part in parts.items():
        room |= divided(part, {one.id: one.length for one in lengths if one.owner == owner})
    return [
        IntegrationBlocks(name=row.name, blocks=row.manifest["blocks"])
        if whole.get(row.id, 0) <= room.get(row.id, 0)
        else _shortened(row.name, row.manifest["blocks"], room[row.id])
        for row in searching.active_on_space(session, space, reach)
        if row.manifest.get("blocks")
    ]


def divided(most: int, wanted: Mapping[str, int]) -> dict[str, int]:
    """Divide so much among some who want it: who wants little has all of that, the others equal parts of the rest."""
    parts, left = {}, most
    for place, (name, wants) in enumerate(sorted(wanted.items(), key=lambda one: one[1])):
        parts[name] = min(wants, left // (len(wanted) - place))
        left -= parts[name]
    return parts


def _shortened(name: str, blocks: list[dict[str, Any]], room: int) -> IntegrationBlocks:
    """Give as much as there is room for of blocks that are too long."""
    for many in range(1, len(LONG) + 1):
        without = LONG[:many]
        shorter = [{key: value for key, value in block.items() if key not in without} for block in blocks]
        if len(json.dumps(shorter, separators=(",", ":"))) <= room:
            return IntegrationBlocks(name=name, blocks=shorter, left_out=list(without))
    return IntegrationBlocks(name=name, blocks=[], left_out=["blocks"])
