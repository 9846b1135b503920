"""Search: what is asked for, and what is found (docs/contract/api.md, "Search")."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import MISSING, Field, StringConstraints, model_validator

from runtime.contract.base import Body, ListQuery, Text, WireModel
from runtime.contract.identifiers import ObjectId

SearchText = Annotated[Text, StringConstraints(max_length=512)]
MAX_PARTS = 1000


class ContentSearchQuery(ListQuery):
    """The text that is searched."""

    query: SearchText


class DefaultScope(Body):
    """The default space of each section, or its space in the language of the current one, and that one itself."""

    mode: Literal["default"]
    current_site_space: ObjectId | MISSING = MISSING
    included_site_spaces: Annotated[list[ObjectId], Field(max_length=MAX_PARTS)] | MISSING = MISSING


class SpecificScope(Body):
    """These spaces of the site."""

    mode: Literal["specific"]
    site_space_ids: Annotated[list[ObjectId], Field(min_length=1, max_length=MAX_PARTS)]


class WholeScope(Body):
    """All spaces of the site."""

    mode: Literal["all"]


AnySiteScope = DefaultScope | SpecificScope | WholeScope
SiteScope = Annotated[AnySiteScope, Field(discriminator="mode")]


class SearchSite(Body):
    """A search in a site: `scope` says where; `mode` with its ids is how that was said before."""

    query: SearchText
    scope: SiteScope | MISSING = MISSING
    mode: Literal["specific", "current", "all"] | MISSING = MISSING
    site_space_ids: Annotated[list[ObjectId], Field(min_length=1, max_length=MAX_PARTS)] | MISSING = MISSING
    site_space_id: ObjectId | MISSING = MISSING

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        _ = self.where
        return self

    @property
    def where(self) -> AnySiteScope:
        """Return the scope, whichever way it was said; raises ValueError where it was not."""
        if self.scope is not MISSING:
            return self.scope
        if self.mode == "all":
            return WholeScope(mode="all")
        if self.mode == "current" and self.site_space_id is not MISSING:
            return DefaultScope(mode="default", current_site_space=self.site_space_id)
        if self.mode in (MISSING, "specific") and self.site_space_ids is not MISSING:
            return SpecificScope(mode="specific", site_space_ids=self.site_space_ids)
        raise ValueError('scope: say where to search, for example {"mode": "all"}')


class FoundUrls(WireModel):
    app: str


class Highlight(WireModel):
    """A word of the query in a body: where it begins and how long it is, in UTF-16 code units."""

    offset: int
    length: int


class SearchSectionResult(WireModel):
    """A section of a page: `body` is plain text around what was found, `highlights` (extension) says where it is."""

    id: str
    title: str
    path: str
    body: str
    highlights: list[Highlight]
    urls: FoundUrls


class SearchPageResult(WireModel):
    id: str
    title: str
    path: str
    sections: list[SearchSectionResult]
    urls: FoundUrls


class SearchSpaceResult(WireModel):
    id: str
    title: str
    pages: list[SearchPageResult]
