"""The three-way merge of one entry of a revision, field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from runtime.services.merging import conflicts
from runtime.services.merging.conflicts import Conflict, What
from runtime.services.merging.documents import merge_documents
from runtime.services.merging.three_way import BothChanged, pick, pick_by_name, prefer
from runtime.store.content.entries import Entry, File, Page, ReusableContent
from runtime.store.content.revisions import name_of

E = TypeVar("E", bound=Entry)
Document = Callable[[str], Mapping[str, Any]]

FIELDS: Mapping[type[Entry], Mapping[str, tuple[str, ...]]] = {
    Page: {
        "type": ("type",),
        "title": ("title",),
        "slug": ("slug",),
        "description": ("description",),
        "icon": ("emoji", "icon"),
        "target": ("target",),
        "computed source": ("computed",),
        "cover": ("cover",),
        "former paths": ("former_paths",),
        "hiding": ("hidden",),
        "exclusion from search": ("no_index",),
        "exclusion from search engines": ("no_robots_index",),
    },
    File: {"name": ("name",), "content": ("content_type", "size", "blob", "dimensions")},
    ReusableContent: {"title": ("title",)},
}
"""What a person knows as one field -> the fields of the entry that are taken together."""
BY_NAME = {Page: ("layout", "variables"), File: (), ReusableContent: ()}
"""Mappings that merge name by name."""
KEPT_BY_MACHINES: tuple[str, ...] = ("git", "computed_seed", "created_at", "updated_at")
"""Fields that are no change by themselves, and never a conflict."""

WHAT: Mapping[type[Entry], What] = {Page: "page", File: "file", ReusableContent: "reusable content"}


@dataclass(frozen=True, slots=True)
class MergedEntry:
    """A merged entry, with its merged document if that is new; neither is valid if there are conflicts."""

    entry: Any
    document: Mapping[str, Any] | None
    conflicts: Sequence[Conflict]


def title_of(entry: Entry) -> str:
    """Return an entry's display name."""
    return str(getattr(entry, "title", None) or getattr(entry, "name", None) or entry.id)


def touched(base: Entry, side: Entry) -> bool:
    """Return whether a side changed an entry or moved a page; its order among siblings does not count."""
    return base != side and any(
        getattr(base, field.name) != getattr(side, field.name)
        for field in fields(base)
        if field.name not in KEPT_BY_MACHINES
    )


def merge_entry(base: E | None, ours: E, theirs: E, document: Document) -> MergedEntry:
    """Merge an entry that both sides have; if both added it, every difference is a conflict.

    A page's position is merged by `tree`; here it is that of either side. `document` loads documents by name.
    """
    if theirs in (ours, base):
        return MergedEntry(ours, None, ())
    if ours == base:
        return MergedEntry(theirs, None, ())
    kind, what, title = type(ours), WHAT[type(ours)], title_of(base or ours)
    found: list[Conflict] = []
    values: dict[str, Any] = {}
    for label, names in FIELDS[kind].items():
        try:
            values |= pick(_values(base, names), _values(ours, names), _values(theirs, names))
        except BothChanged:
            found.append(conflicts.in_field(what, ours.id, title, label))
    for name in BY_NAME[kind]:
        values[name], disputed = _by_name(getattr(base, name, None), getattr(ours, name), getattr(theirs, name))
        found += [conflicts.in_field(what, ours.id, title, f"{name} `{one}`") for one in disputed]
    for name in KEPT_BY_MACHINES:
        if hasattr(ours, name):
            choose: Callable[[Any, Any], Any] = _later if name == "updated_at" else _theirs
            values[name] = prefer(getattr(base, name, None), getattr(ours, name), getattr(theirs, name), choose)
    made = None
    if hasattr(ours, "document"):
        values["document"], made, more = _text(base, ours, theirs, document)
        found += [conflicts.in_text(what, ours.id, title, one) for one in more]
    return MergedEntry(ours if found else replace(ours, **values), made, found)


def _values(side: Entry | None, names: Sequence[str]) -> dict[str, Any]:
    return {} if side is None else {name: getattr(side, name) for name in names}


def _by_name(base: Any, ours: Any, theirs: Any) -> tuple[Any, list[str]]:
    try:
        return pick(base, ours, theirs), []
    except BothChanged:
        merged, disputed = pick_by_name(base or {}, ours or {}, theirs or {})
        return merged or None, disputed


def _text(base: Any, ours: Any, theirs: Any, document: Document) -> tuple[str | None, Any, Sequence[Any]]:
    """Merge the documents of an entry; returns the merged one's name, the document if it is new, and conflicts."""
    names = [getattr(side, "document", None) for side in (base, ours, theirs)]
    try:
        return pick(*names), None, ()
    except BothChanged:
        merged = merge_documents(*(None if name is None else document(name) for name in names))
    if merged.document is None:
        return None, None, merged.conflicts
    name = name_of(merged.document)
    return name, None if name in names else merged.document, ()


def _later(ours: str | None, theirs: str | None) -> str | None:
    """Choose the later time; all are UTC in one format, so strings sort by time."""
    return max(ours or "", theirs or "") or None


def _theirs(_: Any, theirs: Any) -> Any:
    return theirs
