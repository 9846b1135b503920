"""Entries of a revision: pages, files, reusable contents. They are immutable; a change replaces an entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

PageType = Literal["document", "group", "link", "computed"]
HOLDS_PAGES = ("document", "group")
"""The types of pages that other pages may be in, and that have a slug."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Common fields of entries; their JSON omits null and false."""

    id: str
    git: Mapping[str, str] | None = None

    kind: ClassVar[str] = ""

    @property
    def git_path(self) -> str | None:
        """The path of its file in the repository it was last imported from or exported to."""
        return self.git.get("path") if self.git is not None else None

    @property
    def git_oid(self) -> str | None:
        """The id of the Git object that its file was there."""
        return self.git.get("oid") if self.git is not None else None

    def to_json(self) -> dict[str, Any]:
        """Write the entry as it is stored."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) is not None and value is not False
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Read an entry that `to_json` wrote."""
        return cls(**stored)


@dataclass(frozen=True, slots=True)
class Page(Entry):
    """A page: its place is given by `parent` and by the order of the revision's list.

    `document` names its content (`documents`), `target` is where a link leads, `computed` the source of what is not
    written but computed. `layout`, `cover`, `variables`, `target` and `computed` have the form of the wire.
    `former_paths` are further paths in the space that lead to the page, as long as no page is at them.
    """

    type: PageType = "document"
    title: str = ""
    parent: str | None = None
    slug: str | None = None
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    document: str | None = None
    target: Mapping[str, Any] | None = None
    computed: Mapping[str, Any] | None = None
    computed_seed: str | None = None
    layout: Mapping[str, Any] | None = None
    cover: Mapping[str, Any] | None = None
    variables: Mapping[str, Any] | None = None
    former_paths: Sequence[str] | None = None
    hidden: bool = False
    no_index: bool = False
    no_robots_index: bool = False
    created_at: str | None = None
    updated_at: str | None = None

    kind: ClassVar[str] = "pages"

    @property
    def is_computed(self) -> bool:
        """Whether the content of the page comes from a source when it is read."""
        return self.type == "document" and self.computed is not None


@dataclass(frozen=True, slots=True)
class File(Entry):
    """A file: `blob` names its bytes."""

    name: str = ""
    content_type: str = "application/octet-stream"
    size: int = 0
    blob: str = ""
    dimensions: Mapping[str, int] | None = None

    kind: ClassVar[str] = "files"


@dataclass(frozen=True, slots=True)
class ReusableContent(Entry):
    """A piece of a document that pages include; `document` names its content."""

    title: str = ""
    document: str | None = None

    kind: ClassVar[str] = "reusable_contents"
