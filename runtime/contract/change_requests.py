"""Change requests: content that waits to be merged (docs/contract/api.md, "Change requests")."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract.base import Body, JsonObject, ListQuery, Moment, Text, WireModel
from runtime.contract.computing import GivenSource, JsonDocument
from runtime.contract.content_references import ContentReference, FileReference, UrlReference
from runtime.contract.documents import check_document
from runtime.contract.emoji import Emoji
from runtime.contract.file_names import FileName
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import User

Status = Literal["draft", "open", "archived", "merged"]
Subject = Annotated[Text, StringConstraints(max_length=100)]
MAX_CHANGES = 1000
MAX_MARKDOWN = 1_000_000
"""Characters of the Markdown of one page."""
MAX_MARKDOWN_TOGETHER = 4_000_000
"""Characters of all the Markdown in one request: it takes seconds to read."""


def _document(value: dict[str, Any]) -> dict[str, Any]:
    check_document(value)
    return value


Document = Annotated[JsonObject, AfterValidator(_document)]


class CreateChangeRequest(Body):
    """Both fields are optional; `agentTaskId` is taken for clients that send it, and has no effect here."""

    subject: Subject = ""
    agent_task_id: Text | MISSING = MISSING


class UpdateChangeRequest(Body):
    """A change of a change request: what is absent stays. What is merged is so by merging only."""

    subject: Subject | MISSING = MISSING
    description: Document | MISSING = MISSING
    status: Literal["draft", "open", "archived"] | MISSING = MISSING


class ChangeRequestQuery(ListQuery):
    status: Status = "open"
    contributor: ObjectId | None = None


class ChangeRequestUrls(WireModel):
    app: str
    location: str


class ChangeRequest(WireModel):
    """A change request; `outdated` tells that its space has changed since they were last brought together."""

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
    """What two sides changed differently, and a sentence about it (extension)."""

    what: Literal["page", "file", "reusable content", "variable"]
    id: str
    title: str
    place: str | MISSING = MISSING
    message: str


class MergeResult(WireModel):
    """How merging ended: with conflicts nothing has changed, and `revision` is the change request's own."""

    revision: str
    result: Literal["merge", "conflicts"]
    conflicts: list[Conflict] | MISSING = MISSING


class UpdateResult(WireModel):
    """How bringing a change request up to date ended."""

    revision: str
    result: Literal["update", "conflicts"]
    conflicts: list[Conflict] | MISSING = MISSING


class DocumentInput(Body):
    """What a page says: Markdown, or a document."""

    markdown: Annotated[Text, StringConstraints(max_length=MAX_MARKDOWN)] | MISSING = MISSING
    document: Document | MISSING = MISSING

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.markdown is MISSING) == (self.document is MISSING):
            raise ValueError("must have either `markdown` or `document`")
        return self


PageTitle = Annotated[Text, StringConstraints(min_length=1, max_length=1000)]
Slug = Annotated[Text, StringConstraints(pattern=r"^[^/?#%\s\\]{1,100}$")]
Icon = Annotated[Text, StringConstraints(max_length=50)]
Description = Annotated[Text, StringConstraints(max_length=300)]
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
VariableValue = Annotated[Text, StringConstraints(max_length=256)] | bool | int | float
Variables = Annotated[dict[VariableName, VariableValue], Field(max_length=200)]


class PagePosition(Body):
    """Where a page goes: into a page or to the top, before or behind one of those there; without either, to the end."""

    parent: ObjectId | None = None
    before: ObjectId | MISSING = MISSING
    after: ObjectId | MISSING = MISSING


class PageLayout(Body):
    """How a page is laid out, as far as it says."""

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
    """The picture above a page."""

    ref: FileReference | UrlReference | MISSING = MISSING
    ref_dark: FileReference | UrlReference | MISSING = MISSING
    y_pos: Annotated[float, Field(ge=-1e6, le=1e6)] = 0


class PageFields(Body):
    """What can be said of a page; what is absent stays, what is null goes."""

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
    """A new page; an `id` may be given, to speak of it in what follows."""

    type: Literal["insert_page"]
    id: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9]{1,40}$")] | MISSING = MISSING
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
    """The page goes with all that is in it."""

    type: Literal["delete_page"]
    id: ObjectId


class PutReusableContent(Body):
    """A reusable content: a new one, or what is said of the one with this id."""

    type: Literal["put_reusable_content"]
    id: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9]{1,40}$")] | MISSING = MISSING
    title: PageTitle | MISSING = MISSING
    document: DocumentInput | MISSING = MISSING


class DeleteReusableContent(Body):
    type: Literal["delete_reusable_content"]
    id: ObjectId


class UpdateFile(Body):
    """A file gets another name."""

    type: Literal["update_file"]
    id: ObjectId
    name: FileName


class DeleteFile(Body):
    type: Literal["delete_file"]
    id: ObjectId


class SetVariables(Body):
    """Variables of the space; those that are null go."""

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
    """Changes, one after the other: all of them make one revision, or none does."""

    changes: Annotated[list[Change], Field(min_length=1, max_length=MAX_CHANGES), AfterValidator(_not_too_long)]


class ChangedContent(WireModel):
    """The revision that changes made, and the ids of what they added, in order."""

    revision: str
    added: list[str]


class RequestReviewers(Body):
    """Who is asked to review; `subject` and `description` change those of the change request."""

    users: Annotated[list[ObjectId], Field(min_length=1, max_length=50)]
    subject: Subject | MISSING = MISSING
    description: Document | MISSING = MISSING


class RequestedReviewer(WireModel):
    """Somebody who was asked to review a change request, as it was at a revision."""

    object: Literal["change-request-requested-reviewer"] = "change-request-requested-reviewer"
    kind: Literal["user"] = "user"
    user: User
    revision: str
    requested_by: User
    created_at: Moment


class RequestedReviewers(WireModel):
    users: list[RequestedReviewer]


class Contributor(WireModel):
    """Somebody who changed the content of a change request; `count` says how often."""

    user: User
    count: int
    updated_at: str
    action_type: Literal["edit"] = "edit"
