"""Content of spaces: revisions, pages, files, reusable contents (docs/contract/api.md, "Content")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import JsonObject, ListQuery, Moment, Query, WireModel
from runtime.contract.change_requests import ChangeRequest
from runtime.contract.expected import NEW_ID
from runtime.contract.file_names import FileName
from runtime.contract.pages import Page

RevisionType = Literal["edits", "merge", "rollback", "update", "computed"]
DocumentFormat = Literal["document", "markdown"]
Evaluation = bool | Literal["deterministic-only"]


class ContentQuery(Query):
    """`metadata` shows where content came from in Git.

    With `computed`, what sources compute stands in the place of the pages that name them; without, these pages do.
    """

    metadata: bool = True
    computed: bool = True


class FilesQuery(ListQuery):
    """`metadata` shows where a file came from in Git; no file is computed, so that `computed` changes nothing."""

    metadata: bool = True
    computed: bool = True


class FileQuery(Query):
    """As for a list of files."""

    metadata: bool = True
    computed: bool = True


class UploadQuery(Query):
    """`name` is that of the file; with the `id` of an existing file, its bytes are replaced."""

    name: FileName
    id: Annotated[str, StringConstraints(pattern=NEW_ID)] | None = None


class PageQuery(ContentQuery):
    """How a page is returned: with its document in a format, and with expressions evaluated."""

    format: DocumentFormat | None = None
    evaluated: Evaluation = False


class EvaluatedQuery(Query):
    evaluated: Evaluation = False


class LimitQuery(Query):
    limit: Annotated[int, Field(ge=0, le=1000)] = 10


class ChangesQuery(ContentQuery, LimitQuery):
    """The flags of all reads of content, and the number of listed changes."""


class GitCommit(WireModel):
    """The commit that a revision came from, or went to."""

    oid: str
    message: str
    created_by_service: bool
    created_by_git_book: bool = Field(alias="createdByGitBook")
    url: str | MISSING = MISSING
    ref: str | MISSING = MISSING


class RevisionUrls(WireModel):
    app: str
    published: str | MISSING = MISSING
    public: str | MISSING = MISSING


class Pages(WireModel):
    """The pages of a revision, as a tree."""

    pages: list[Page]


class RevisionFile(WireModel):
    """A file of a revision."""

    id: str
    name: str
    content_type: str
    download_url: str = Field(alias="downloadURL")
    size: int
    dimensions: JsonObject | MISSING = MISSING
    git: JsonObject | MISSING = MISSING


class RevisionReusableContent(WireModel):
    """A reusable content that pages include; `document` is the id of its document."""

    id: str
    title: str
    document: str | MISSING = MISSING
    git: JsonObject | MISSING = MISSING


class Revision(WireModel):
    """An immutable state of a space's content."""

    object: Literal["revision"] = "revision"
    id: str
    type: RevisionType
    parents: list[str]
    pages: list[Page]
    files: list[RevisionFile]
    reusable_contents: list[RevisionReusableContent]
    variables: JsonObject | MISSING = MISSING
    created_at: Moment
    merged_from: ChangeRequest | MISSING = MISSING
    git: GitCommit | MISSING = MISSING
    urls: RevisionUrls


class SemanticChanges(WireModel):
    """The changes of a revision compared to the previous one; `more` counts those beyond the limit."""

    merged_from: ChangeRequest | MISSING = MISSING
    changes: list[JsonObject]
    more: int | MISSING = MISSING
