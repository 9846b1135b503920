"""The result of reading a source: pages, files and reusable contents, identified by the source's own keys.

A key names one thing within an import: a path, an address, an id of the other system. Documents refer to pages, files
and reusable contents by these keys, where a document of a space has their ids; whoever makes the revision puts ids in
their place. The same thing has the same key in the next import, so that it keeps its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """A page; pages are listed in tree order, parents before children.

    `target` is a ContentRef with keys, `cover` has `ref` with a ContentRef. `git` has `oid` and `path` of what it was
    read from. `too_large` is one whose document is left out for its size: an existing page keeps the one it has.
    `title_slug` tells that an existing page whose slug follows from its title is the same one: earlier releases gave
    it that slug.
    """

    key: str
    title: str
    type: Literal["document", "group", "link"] = "document"
    parent: str | None = None
    slug: str | None = None
    document: Document | None = None
    target: Mapping[str, Any] | None = None
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    cover: Mapping[str, Any] | None = None
    layout: Mapping[str, Any] | None = None
    variables: Mapping[str, Any] | None = None
    former_paths: Sequence[str] | None = None
    hidden: bool | None = None
    no_index: bool | None = None
    no_robots_index: bool | None = None
    git: Mapping[str, str] | None = None
    too_large: bool = False
    title_slug: bool = False


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file: its bytes are in the file `path` of the folder that the reader was given."""

    key: str
    name: str
    path: str
    content_type: str = ""
    git: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ImportedReusableContent:
    """Reusable content that pages include; `too_large` is as in pages."""

    key: str
    title: str
    document: Document | None = None
    git: Mapping[str, str] | None = None
    too_large: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """Everything that was read; `total` also counts what could not be read, which is in `problems`."""

    pages: Sequence[ImportedPage] = ()
    files: Sequence[ImportedFile] = ()
    reusable_contents: Sequence[ImportedReusableContent] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)
    total: int = 0
    problems: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        """Serialize for another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Imported:
        """Read what `to_json` wrote."""
        return cls(
            [ImportedPage(**page) for page in value["pages"]],
            [ImportedFile(**file) for file in value["files"]],
            [ImportedReusableContent(**content) for content in value["reusable_contents"]],
            value["variables"],
            value["total"],
            value["problems"],
        )
