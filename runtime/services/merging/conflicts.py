"""Conflicts of a merge, worded for the person who merges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runtime.services.merging.documents import BlockConflict

What = Literal["page", "file", "reusable content", "variable"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict about one item; `title` is its title in the base, else on our side.

    `place` is the field, or the block as a person counts ("the second paragraph"); it is empty if the conflict is
    about the whole item.
    """

    what: What
    id: str
    title: str
    place: str
    sentence: str


def in_field(what: What, id_: str, title: str, label: str) -> Conflict:
    """Both sides changed a field."""
    return Conflict(what, id_, title, label, f"Both sides changed the {label} of {_named(what, title)}.")


def in_text(what: What, id_: str, title: str, block: BlockConflict) -> Conflict:
    """Both sides changed a block of a text."""
    where = f"{block.place} of `{title}`"
    sentence = {
        "changed": f"Both sides changed {where}.",
        "deleted": f"One side deleted {where}, and the other changed it.",
        "emptied": f"Together, the two sides leave {where} empty.",
    }[block.why]
    return Conflict(what, id_, title, block.place, sentence)


def deleted(what: What, id_: str, title: str) -> Conflict:
    """One side deleted what the other changed."""
    return about(what, id_, title, f"One side deleted {_named(what, title)}, and the other changed it.")


def variable(name: str, deleted: bool) -> Conflict:
    """Both sides changed a variable of the space, or one deleted it and the other changed it (`deleted`)."""
    both = f"Both sides changed the variable `{name}` to different values."
    one = f"One side deleted the variable `{name}`, and the other changed it."
    return about("variable", name, name, one if deleted else both)


def about(what: What, id_: str, title: str, sentence: str) -> Conflict:
    """Make a conflict about a whole item, with a sentence that names it."""
    return Conflict(what, id_, title, "", sentence)


def _named(what: What, title: str) -> str:
    return f"the {what} `{title}`"
