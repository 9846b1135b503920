"""What a site is made of: sections, groups of sections, and spaces (docs/contract/api.md, "Structure of sites")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, ListQuery, Query, Text, WireModel
from runtime.contract.conditions import checked
from runtime.contract.expected import expecting
from runtime.contract.identifiers import ObjectId
from runtime.contract.spaces import Space
from runtime.contract.titles import Title

ShareKey = Annotated[Text, StringConstraints(max_length=200)]
RESERVED = (".", "..", "-")
"""No part of an address: two mean another place, and below the third are the site's own pages."""


def _not_reserved(path: str) -> str:
    if path in RESERVED:
        raise ValueError("must be neither `.`, `..` nor `-`, which have a special meaning in addresses")
    return path


SEGMENT = expecting("letters, digits, dots, underscores, hyphens and ~", r"^[A-Za-z0-9._~-]+$")
PathSegment = Annotated[
    Text, StringConstraints(min_length=1, max_length=100, pattern=SEGMENT), AfterValidator(_not_reserved)
]
Condition = Annotated[Text, StringConstraints(min_length=1, max_length=1024), AfterValidator(checked)]
NoCondition = Annotated[Literal[""], AfterValidator(lambda value: None)]
SectionTitle = Annotated[Title, StringConstraints(min_length=2, max_length=128)]
GroupTitle = Annotated[Title, StringConstraints(min_length=1, max_length=100)]
Icon = Annotated[Text, StringConstraints(max_length=50)]
SectionIds = Annotated[list[ObjectId], Field(max_length=200)]


class PublishedUrls(WireModel):
    published: str | MISSING = MISSING


class SiteSpace(WireModel):
    """A space as a part of a site."""

    object: Literal["site-space"] = "site-space"
    id: str
    path: str
    section: str | MISSING = MISSING
    space: Space
    title: str
    default: bool
    condition: str | MISSING = MISSING
    has_advanced_customization_feature: bool
    urls: PublishedUrls


class SiteSection(WireModel):
    """A section with its spaces."""

    object: Literal["site-section"] = "site-section"
    id: str
    title: str
    description: str | MISSING = MISSING
    default: bool
    path: str
    condition: str | MISSING = MISSING
    section_group: str | MISSING = MISSING
    site_spaces: list[SiteSpace]
    urls: PublishedUrls
    icon: str | MISSING = MISSING


class SiteSectionGroup(WireModel):
    """A group: `children` are its sections and groups in order, `sections` the sections alone."""

    object: Literal["site-section-group"] = "site-section-group"
    id: str
    title: str
    sections: list[SiteSection]
    section_group: str | MISSING = MISSING
    children: list[SiteSection | SiteSectionGroup]
    icon: str | MISSING = MISSING


class Sections(WireModel):
    type: Literal["sections"] = "sections"
    structure: list[SiteSection | SiteSectionGroup]


class SpacesAlone(WireModel):
    type: Literal["siteSpaces"] = "siteSpaces"
    structure: list[SiteSpace]


SiteStructure = Annotated[Sections | SpacesAlone, Field(discriminator="type")]
SiteStructureItem = SiteSpace | SiteSection | SiteSectionGroup


class AddSection(Body):
    space_id: ObjectId
    title: SectionTitle | MISSING | None = MISSING
    icon: Icon | MISSING | None = MISSING


class UpdateSection(Body):
    """A change of a section: what is absent stays."""

    title: SectionTitle | MISSING = MISSING
    path: PathSegment | MISSING = MISSING
    default_site_space: ObjectId | MISSING = MISSING
    condition: Condition | MISSING | None = MISSING
    icon: Icon | MISSING | None = MISSING
    description: Annotated[Text, StringConstraints(max_length=256)] | MISSING | None = MISSING


class AddGroup(Body):
    title: GroupTitle
    icon: Icon | MISSING | None = MISSING
    sections: SectionIds | MISSING = MISSING
    parent: ObjectId | MISSING = MISSING


class UpdateGroup(Body):
    title: GroupTitle | MISSING = MISSING
    icon: Icon | MISSING | None = MISSING


class AddSectionToGroup(Body):
    section_id: ObjectId


class AddSiteSpace(Body):
    space_id: ObjectId
    section_id: ObjectId | MISSING = MISSING


class UpdateSiteSpace(Body):
    """A change of a space of a site: what is absent stays; `spaceId` puts another space in its place."""

    path: PathSegment | MISSING = MISSING
    condition: Condition | NoCondition | MISSING | None = MISSING
    space_id: ObjectId | MISSING = MISSING


class SectionPointer(Body):
    type: Literal["site-section"]
    site_section: ObjectId


class SiteSpacePointer(Body):
    type: Literal["site-space"]
    site_space: ObjectId


class NodePointer(Body):
    type: Literal["site-section", "site-section-group"]
    id: ObjectId


class ItemPointer(Body):
    type: Literal["site-space", "site-section", "site-section-group"]
    id: ObjectId


class SectionPosition(Body):
    before: SectionPointer | None = None
    after: SectionPointer | None = None


class SiteSpacePosition(Body):
    before: SiteSpacePointer | None = None
    after: SiteSpacePointer | None = None


class NodePosition(Body):
    before: NodePointer | None = None
    after: NodePointer | None = None


class ItemPosition(Body):
    before: ItemPointer | None = None
    after: ItemPointer | None = None


class MoveSection(Body):
    position: SectionPosition = Field(default_factory=SectionPosition)


class MoveSiteSpace(Body):
    position: SiteSpacePosition = Field(default_factory=SiteSpacePosition)


class MoveGroup(Body):
    position: NodePosition = Field(default_factory=NodePosition)


class SortStructure(Body):
    item: ItemPointer
    position: ItemPosition


class ShareKeyQuery(Query):
    """With the key of a share link, the addresses in an answer are those that the link opens."""

    share_key: ShareKey | None = None


class ShareKeyListQuery(ListQuery):
    """The same, of a list."""

    share_key: ShareKey | None = None


class SiteSpaceQuery(ShareKeyListQuery):
    default: bool | None = None
