"""Comments on spaces and change requests, with replies and reactions (docs/contract/api.md, "Comments")."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract.base import Body, JsonObject, ListQuery, Moment, Query, Text, WireModel, refusing
from runtime.contract.computing import JsonDocument
from runtime.contract.content import DocumentFormat
from runtime.contract.documents import check_document
from runtime.contract.emoji import Emoji
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import User

MAX_CHARACTERS = 100_000
"""Of a comment or a reply, as Markdown or as JSON."""
MAX_REACTIONS = 50
"""Different emoji on one comment or reply."""
PREVIEW = 200
"""Characters of a node that are shown with a comment on it."""


def _document(value: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(value, separators=(",", ":"), ensure_ascii=False)) > MAX_CHARACTERS:
        raise ValueError(f"must have at most {MAX_CHARACTERS:,} characters as JSON")
    check_document(value)
    return value


Reactions = Annotated[list[Emoji], Field(max_length=MAX_REACTIONS)]


class CommentBody(Body):
    """The body of a comment: Markdown, or a document; an empty object is an empty body."""

    markdown: Annotated[Text, StringConstraints(max_length=MAX_CHARACTERS)] | MISSING = MISSING
    document: Annotated[JsonObject, AfterValidator(_document)] | MISSING = MISSING

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        if isinstance(value, dict) and value and value.keys().isdisjoint(("markdown", "document")):
            raise ValueError("must have either `markdown` or `document`, or be empty")
        return value

    @model_validator(mode="after")
    def _not_both(self) -> Self:
        if self.markdown is not MISSING and self.document is not MISSING:
            raise ValueError("must have either `markdown` or `document`")
        return self


class TableCellTarget(Body):
    """A cell of a table: its record, and the definition of its column."""

    record: ObjectId
    definition: ObjectId


class PostComment(Body):
    """A comment on a space or a change request, on a page of it, on a node of that page, or on a cell of a table."""

    body: CommentBody
    page: ObjectId | MISSING = MISSING
    node: ObjectId | MISSING = MISSING
    table_cell: TableCellTarget | MISSING = MISSING


class UpdateComment(Body):
    """A change of a comment; absent fields stay unchanged."""

    resolved: bool | MISSING = MISSING
    body: CommentBody | MISSING = MISSING
    added_reactions: Reactions | MISSING = MISSING
    removed_reactions: Reactions | MISSING = MISSING


class PostReply(Body):
    body: CommentBody


class UpdateReply(Body):
    """A change of a reply; absent fields stay unchanged."""

    body: CommentBody | MISSING = MISSING
    added_reactions: Reactions | MISSING = MISSING
    removed_reactions: Reactions | MISSING = MISSING
    _refused = refusing(resolved="a reply is not resolved by itself; resolve its comment")


class FormatQuery(Query):
    format: DocumentFormat | None = None


class RepliesQuery(ListQuery):
    format: DocumentFormat | None = None


class CommentQuery(ListQuery):
    """The filters of the comments of a space or a change request."""

    order: Literal["asc", "desc"] = "desc"
    status: Literal["all", "open", "resolved"] = "all"
    format: DocumentFormat | None = None
    target_page: ObjectId | None = None
    authors: Annotated[list[ObjectId], Field(max_length=100)] = Field(default_factory=list)


class ReactionOf(WireModel):
    user: User
    reacted_at: Moment


class EmojiReaction(WireModel):
    emoji: str
    count: int
    users: list[ReactionOf]


class MarkdownText(WireModel):
    markdown: str


class DocumentText(WireModel):
    document: JsonDocument


ShownBody = MarkdownText | DocumentText


class CommentUrls(WireModel):
    location: str


class CommentPermissions(WireModel):
    """What the requester may do: `reply` includes reacting, `edit` is changing the body."""

    view: bool
    edit: bool
    reply: bool
    delete: bool


class CommentNode(WireModel):
    """A node of a page, with the beginning of its text when the comment was made."""

    id: str
    preview: str | MISSING = MISSING


class CommentPage(WireModel):
    """The page of a comment as it is now, or as it was before its deletion; `outdated` if its target is gone."""

    id: str
    title: str
    emoji: str | MISSING = MISSING
    icon: str | MISSING = MISSING
    created_at: str | MISSING = MISSING
    updated_at: str | MISSING = MISSING
    path: str
    outdated: bool


class CommentTarget(WireModel):
    """The target of a comment, and the revision that contains it."""

    node: CommentNode | MISSING = MISSING
    table_cell: TableCellTarget | MISSING = MISSING
    change_request: str | MISSING = MISSING
    review: str | MISSING = MISSING
    page: CommentPage | MISSING = MISSING
    space: str
    revision: str


class Comment(WireModel):
    """A comment, which starts a thread that is open or resolved."""

    object: Literal["comment"] = "comment"
    id: str
    posted_by: User
    posted_at: Moment
    edited_at: Moment | MISSING = MISSING
    reactions: list[EmojiReaction]
    replies: int
    body: ShownBody
    target: CommentTarget
    urls: CommentUrls
    permissions: CommentPermissions
    status: Literal["open", "resolved"]
    resolved_at: Moment | MISSING = MISSING
    resolved_by: User | MISSING = MISSING


class CommentReply(WireModel):
    """A reply to a comment."""

    object: Literal["comment-reply"] = "comment-reply"
    id: str
    posted_by: User
    posted_at: Moment
    edited_at: Moment | MISSING = MISSING
    reactions: list[EmojiReaction]
    body: ShownBody
    urls: CommentUrls
    permissions: CommentPermissions
