"""Change requests: content to be merged (docs/contract/api.md, "Change requests")."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract.base import Body, JsonObject, ListQuery, Moment, Text, WireModel, small
from runtime.contract.computing import GivenSource, JsonDocument
from runtime.contract.content_references import ContentReference, FileReference, UrlReference
from runtime.contract.documents import check_document
from runtime.contract.emoji import Emoji
from runtime.contract.expected import NEW_ID, expecting
from runtime.contract.file_names import FileName
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import User
from runtime.contract.titles import Line

Status = Literal["draft", "open", "archived", "merged"]
Subject = Annotated[Line, StringConstraints(max_length=100)]
MAX_CHANGES = 1000
MAX_MARKDOWN = 1_000_000
"""Characters of the Markdown of one page."""
MAX_MARKDOWN_TOGETHER = 4_000_000
"""Characters of all the Markdown in one request: it takes seconds to read."""


def _document(value: dict[str, Any]) -> dict[str, Any]:
    check_document(value)
    return value


Document = Annotated[JsonObject, AfterValidator(_document)]
SmallDocument = Annotated[Document, AfterValidator(small)]


class CreateChangeRequest(Body):
    """Both fields are optional; `agentTaskId` is accepted for compatibility, and has no effect."""

    subject: Subject = ""
    agent_task_id: Text | MISSING = MISSING


class UpdateChangeRequest(Body):
    """A change of a change request; absent fields stay unchanged. `merged` can only be reached by merging."""

    subject: Subject | MISSING = MISSING
    description: SmallDocument | MISSING = MISSING
    status: Literal["draft", "open", "archived"] | MISSING = MISSING


class ChangeRequestQuery(ListQuery):
    status: Status = "open"
    contributor: ObjectId | None = None
    creator: ObjectId | None = None


class ChangeRequestUrls(WireModel):
    app: str
    location: str


class ChangeRequest(WireModel):
    """A change request; `outdated` says that its space has changed since the change request was last updated."""

    object: Literal["change-request"] = "change-request"
    id: str
    number: int
    status: Status
    subject: str
    description: JsonDocument | MISSING = MISSING
    created_by: User
    created_at: Moment
    updated_at: Moment
    space: str
    revision: str
    revision_initial: str
    revision_merged_ancestor: str | MISSING = MISSING
    revision_merged: str | MISSING = MISSING
    comments: int
    outdated: bool
    urls: ChangeRequestUrls


class Conflict(WireModel):
    """A conflict between two sides, with a description (extension)."""

    what: Literal["page", "file", "reusable content", "variable"]
    id: str
    title: str
    place: str | MISSING = MISSING
    message: str


class MergeResult(WireModel):
    """The result of a merge: with conflicts, nothing has changed, and `revision` is the change request's own."""

    revision: str
    result: Literal["merge", "conflicts"]
    conflicts: list[Conflict] | MISSING = MISSING


class UpdateResult(WireModel):
    """The result of updating a change request."""

    revision: str
    result: Literal["update", "conflicts"]
    conflicts: list[Conflict] | MISSING = MISSING


class DocumentInput(Body):
    """The document of a page, or Markdown."""

    markdown: Annotated[Text, StringConstraints(max_length=MAX_MARKDOWN)] | MISSING = MISSING
    document: Document | MISSING = MISSING

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.markdown is MISSING) == (self.document is MISSING):
            raise ValueError("must have either `markdown` or `document`")
        return self


PageTitle = Annotated[Line, StringConstraints(min_length=1, max_length=1000)]
SLUG = expecting("1 to 100 characters without spaces, /, ?, #, % and \\", r"^[^/?#%\s\\]{1,100}$")
Slug = Annotated[Text, StringConstraints(pattern=SLUG)]
Icon = Annotated[Text, StringConstraints(max_length=50)]
Description = Annotated[Text, StringConstraints(max_length=300)]
VARIABLE = expecting(
    "up to 64 letters, digits and underscores that begin with no digit", r"^[A-Za-z_][A-Za-z0-9_]{0,63}$"
)
VariableName = Annotated[str, StringConstraints(pattern=VARIABLE)]
MAX_WHOLE = 2**53 - 1
"""Whole numbers up to here are kept exactly by all readers of JSON; larger ones become floats, or are refused."""
VariableValue = (
    Annotated[Text, StringConstraints(max_length=256)]
    | bool
    | Annotated[int, Field(ge=-MAX_WHOLE, le=MAX_WHOLE)]
    | Annotated[float, Field(allow_inf_nan=False)]
)
Variables = Annotated[dict[VariableName, VariableValue], Field(max_length=200)]


class PagePosition(Body):
    """The position of a page: in a page or at the top level, before or after a sibling; by default at the end."""

    parent: ObjectId | None = None
    before: ObjectId | MISSING = MISSING
    after: ObjectId | MISSING = MISSING


class PageLayout(Body):
    """The layout settings of a page."""

    width: Literal["default", "wide"] | MISSING = MISSING
    cover: bool | MISSING = MISSING
    cover_size: Literal["hero", "full"] | MISSING = MISSING
    title: bool | MISSING = MISSING
    description: bool | MISSING = MISSING
    table_of_contents: bool | MISSING = MISSING
    outline: bool | MISSING = MISSING
    pagination: bool | MISSING = MISSING
    metadata: bool | MISSING = MISSING


class PageCover(Body):
    """The cover image of a page."""

    ref: FileReference | UrlReference | MISSING = MISSING
    ref_dark: FileReference | UrlReference | MISSING = MISSING
    y_pos: Annotated[float, Field(ge=-1e6, le=1e6)] = 0


class PageFields(Body):
    """Fields of a page; absent fields stay unchanged, null removes a field."""

    description: Description | MISSING | None = MISSING
    slug: Slug | MISSING = MISSING
    emoji: Emoji | MISSING | None = MISSING
    icon: Icon | MISSING | None = MISSING
    layout: PageLayout | MISSING | None = MISSING
    cover: PageCover | MISSING | None = MISSING
    variables: Variables | MISSING | None = MISSING
    hidden: bool | MISSING = MISSING
    no_index: bool | MISSING = MISSING
    no_robots_index: bool | MISSING = MISSING
    target: ContentReference | MISSING = MISSING
    document: DocumentInput | MISSING = MISSING
    computed: GivenSource | MISSING = MISSING


class InsertPage(PageFields):
    """A new page; an `id` may be given, to refer to it in further changes."""

    type: Literal["insert_page"]
    id: Annotated[str, StringConstraints(pattern=NEW_ID)] | MISSING = MISSING
    page: Literal["document", "group", "link", "computed"] = "document"
    title: PageTitle
    position: PagePosition = Field(default_factory=PagePosition)


class UpdatePage(PageFields):
    type: Literal["update_page"]
    id: ObjectId
    title: PageTitle | MISSING = MISSING


class MovePage(Body):
    type: Literal["move_page"]
    id: ObjectId
    position: PagePosition


class DeletePage(Body):
    """Delete a page, with everything inside it."""

    type: Literal["delete_page"]
    id: ObjectId


class PutReusableContent(Body):
    """Create a reusable content, or change the one with this id."""

    type: Literal["put_reusable_content"]
    id: Annotated[str, StringConstraints(pattern=NEW_ID)] | MISSING = MISSING
    title: PageTitle | MISSING = MISSING
    document: DocumentInput | MISSING = MISSING


class DeleteReusableContent(Body):
    type: Literal["delete_reusable_content"]
    id: ObjectId


class UpdateFile(Body):
    """Rename a file."""

    type: Literal["update_file"]
    id: ObjectId
    name: FileName


class DeleteFile(Body):
    type: Literal["delete_file"]
    id: ObjectId


class SetVariables(Body):
    """Set variables of the space; those that are null are removed."""

    type: Literal["set_variables"]
    variables: Annotated[dict[VariableName, VariableValue | None], Field(max_length=200)]


Change = Annotated[
    InsertPage
    | UpdatePage
    | MovePage
    | DeletePage
    | PutReusableContent
    | DeleteReusableContent
    | UpdateFile
    | DeleteFile
    | SetVariables,
    Field(discriminator="type"),
]


def document_in(change: Change) -> DocumentInput | None:
    """Return what a change writes, if it writes something."""
    given = getattr(change, "document", MISSING)
    return None if given is MISSING else given


def _not_too_long(changes: list[Change]) -> list[Change]:
    given = [written.markdown for change in changes if (written := document_in(change)) is not None]
    if sum(len(markdown) for markdown in given if isinstance(markdown, str)) > MAX_MARKDOWN_TOGETHER:
        raise ValueError(f"more than {MAX_MARKDOWN_TOGETHER} characters of Markdown; send them in several requests")
    return changes


class ChangeContent(Body):
    """Changes, applied in order: all of them create one revision, or none does.

    `revision` is the revision of the change request that they were made on. Unless it is the latest one, they are
    refused (409).
    """

    revision: ObjectId | MISSING = MISSING
    changes: Annotated[list[Change], Field(min_length=1, max_length=MAX_CHANGES), AfterValidator(_not_too_long)]


class ChangedContent(WireModel):
    """The created revision, and the ids of added items, in order."""

    revision: str
    added: list[str]


class RequestReviewers(Body):
    """Requested reviewers; `subject` and `description` change those of the change request."""

    users: Annotated[list[ObjectId], Field(max_length=50)]
    subject: Subject | MISSING = MISSING
    description: SmallDocument | MISSING = MISSING


class RequestedReviewer(WireModel):
    """A requested reviewer of a change request, with its revision at that time."""

    object: Literal["change-request-requested-reviewer"] = "change-request-requested-reviewer"
    kind: Literal["user"] = "user"
    user: User
    revision: str
    requested_by: User
    created_at: Moment


class RequestedReviewers(WireModel):
    users: list[RequestedReviewer]


class Contributor(WireModel):
    """A person who changed the content of a change request; `count` says how often."""

    user: User
    count: int
    updated_at: str
    action_type: Literal["edit"] = "edit"
