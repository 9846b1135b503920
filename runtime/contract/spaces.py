"""Spaces: containers of content."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import MISSING, AfterValidator, Field, StringConstraints, model_validator

from runtime.contract.base import Body, JsonObject, ListQuery, Moment, WebAddress, WireModel
from runtime.contract.emoji import Emoji as AnyEmoji
from runtime.contract.git import GitSyncState
from runtime.contract.identifiers import ObjectId
from runtime.contract.organizations import NoMergeRules, Role, SomeMergeRules
from runtime.contract.titles import Title
from runtime.contract.translations import TranslationLanguage

ContentVisibility = Literal["public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"]
Emoji = Annotated[AnyEmoji, StringConstraints(max_length=50)]
SpaceTitle = Annotated[Title, StringConstraints(max_length=50)]

RESTORABLE_DAYS = 7
"""Days for which a deleted space is kept, and may be restored."""
NO_EMOJI = "1f4d8"
"""What a space shows that was given no emoji."""


class ApplyTemplate(Body):
    """Content to begin with: this host has one template, the pages that `sample` stands for, without parameters."""

    id: Literal["sample"]
    params: JsonObject | MISSING = MISSING

    @model_validator(mode="after")
    def _without_parameters(self) -> Self:
        if self.params is not MISSING and any(self.params.values()):
            raise ValueError("params: the template `sample` has no parameters; leave them out")
        return self


class CreateSpace(Body):
    """Everything is optional: an empty body makes an untitled, private space."""

    title: SpaceTitle = "Untitled"
    emoji: Emoji = NO_EMOJI
    parent: ObjectId | MISSING = MISSING
    language: TranslationLanguage | MISSING = MISSING
    edit_mode: Literal["live", "locked"] = "locked"
    template: ApplyTemplate | MISSING = MISSING
    computed_source: JsonObject | MISSING = MISSING


class InheritedMergeRules(Body):
    """The rules of the organization hold."""

    type: Literal["inherit"]


MAX_MERGE_RULES = 4000
"""Characters of the merge rules of a space, as JSON: each list of spaces has those of all of them."""


def _short(rules: Body) -> Body:
    if len(rules.model_dump_json(by_alias=True)) > MAX_MERGE_RULES:
        raise ValueError(f"must have at most {MAX_MERGE_RULES:,} characters as JSON")
    return rules


SpaceMergeRules = Annotated[
    InheritedMergeRules | NoMergeRules | SomeMergeRules, Field(discriminator="type"), AfterValidator(_short)
]


class UpdateSpace(Body):
    """A change of a space: what is absent stays. A space has an emoji or an icon: setting one removes the other."""

    title: SpaceTitle | MISSING = MISSING
    emoji: Emoji | MISSING | None = MISSING
    icon: WebAddress | MISSING | None = MISSING
    edit_mode: Literal["live", "locked"] | MISSING = MISSING
    default_level: Role | Literal["inherit"] | MISSING | None = MISSING
    language: TranslationLanguage | MISSING = MISSING
    visibility: ContentVisibility | MISSING = MISSING
    merge_rules: SpaceMergeRules | MISSING = MISSING


class SpaceUrls(WireModel):
    location: str
    app: str
    published: str | MISSING = MISSING
    public: str | MISSING = MISSING
    icon: str | MISSING = MISSING


class Space(WireModel):
    """A space."""

    object: Literal["space"] = "space"
    id: str
    title: str
    emoji: str
    visibility: ContentVisibility
    created_at: Moment
    updated_at: Moment
    deleted_at: Moment | MISSING = MISSING
    edit_mode: Literal["live", "locked"]
    merge_rules: dict[str, Any]
    urls: SpaceUrls
    organization: str
    parent: str | MISSING = MISSING
    language: str | MISSING = MISSING
    git_sync: GitSyncState | MISSING = MISSING
    revision: str
    default_level: Role | Literal["inherit"] | None
    comments: int
    change_requests: int
    change_requests_open: int
    change_requests_draft: int
    permissions: dict[str, bool]


class SpaceListQuery(ListQuery):
    """With `deleted`, the list has the deleted spaces that the requester may restore, the last deleted first."""

    deleted: bool = False
