"""What a script answers as pages -> pages of a revision."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from pydantic import MISSING

from runtime.contract.computing import InputPageComputed, InputPageDocument, InputPageGroup, InputPageLink
from runtime.contract.identifiers import ALPHABET, LENGTH
from runtime.contract.slugs import Slugs, slug_of
from runtime.services.computed_sources import signed_seed
from runtime.store.content.entries import HOLDS_PAGES, Page, PageType

InputPage = InputPageDocument | InputPageGroup | InputPageLink | InputPageComputed


class TakenTwice(ValueError):
    """A script gave two pages, or two files, one id."""


def made_id(*of: object) -> str:
    """Make an id of 20 base62 characters: the same of the same, and practically never the same of anything else."""
    number = int.from_bytes(hashlib.sha256(repr(of).encode("utf-8", "surrogatepass")).digest(), "big")
    return "".join(ALPHABET[number // 62**at % 62] for at in range(LENGTH))


class Ids:
    """Ids of what a script computed: its own, or the same for the same seed and place where it gave none."""

    def __init__(self, *seed: str) -> None:
        """Take what sets the ids of one source apart from those of others."""
        self._seed = seed
        self._taken: set[str] = set()

    def of(self, given: Any, *place: object) -> str:
        """Take a given id, or make one; raises TakenTwice."""
        return self._take(given if isinstance(given, str) else made_id(*self._seed, place))

    def _take(self, id_: str) -> str:
        if id_ in self._taken:
            raise TakenTwice(f"the id `{id_}` is used twice")
        self._taken.add(id_)
        return id_


class IdsWithin(Ids):
    """Ids of what stands in the place of a page: none is the script's own, since another script may give the same."""

    def of(self, given: Any, *place: object) -> str:
        """Make an id of the given one, or of the place; raises TakenTwice."""
        return self._take(made_id(*self._seed, "id", given) if isinstance(given, str) else made_id(*self._seed, place))


class PageWriter:
    """Writes the pages that a script answered."""

    def __init__(self, space_id: str, seed: str, ids: Ids) -> None:
        """Take the seed with which their documents are computed later."""
        self._space_id, self._seed, self._ids = space_id, seed, ids

    def pages(self, given: Iterable[Any], parent: str | None = None, beside: Iterable[str] = ()) -> list[Page]:
        """Write pages that stand in a page or at the top, parents before what is in them.

        `beside` are the slugs of the pages that are there already. In a page there are no groups: there they become
        pages without text. Raises TakenTwice.
        """
        return list(self._inside(given, parent, "", Slugs(beside)))

    def _inside(self, given: Iterable[InputPage], parent: str | None, path: str, slugs: Slugs) -> Iterator[Page]:
        own = Slugs()  # ids are made of these: they must not change with what stands beside
        for place, one in enumerate(given):
            id_ = self._ids.of(one.id, path, place)
            if not isinstance(one, InputPageDocument | InputPageGroup):
                yield self._page(one, parent, id_, None)
                continue
            slug = slug_of(one.slug if isinstance(one.slug, str) else one.title)
            yield self._page(one, parent, id_, slugs.take(slug))
            below = own.take(slug)
            yield from self._inside(one.pages, id_, f"{path}/{below}" if path else below, Slugs())

    def _page(self, given: InputPage, parent: str | None, id_: str, slug: str | None) -> Page:
        type_: PageType = "document" if given.type == "group" and parent is not None else given.type
        values: dict[str, Any] = {
            name: value
            for name in ("emoji", "icon", "description")
            if (value := getattr(given, name, MISSING)) is not MISSING
        }
        if isinstance(given, InputPageLink):
            values["target"] = given.target.model_dump(mode="json", by_alias=True)
        if isinstance(given, InputPageDocument | InputPageComputed) and given.computed is not MISSING:
            source = given.computed.model_dump(mode="json", by_alias=True)
            values["computed"] = source
            if given.type == "document":
                values["computed_seed"] = signed_seed(self._space_id, source, self._seed)
        return Page(id_, type=type_, title=given.title, parent=parent, slug=slug, **values)


def hidden_as(page: Page, one: Page) -> Page:
    """Hide a page as another one is, in whose place or below whose place it stands.

    Readers are not shown what is below a hidden page; search engines are, so each page below tells them itself.
    """
    hidden = page.hidden if one.parent == page.parent else one.hidden
    return replace(one, hidden=hidden, no_index=page.no_index, no_robots_index=page.no_robots_index)


def slugs_in(pages: Iterable[Page]) -> dict[str | None, set[str]]:
    """Collect the slugs of pages by where they stand."""
    found: dict[str | None, set[str]] = {}
    for page in pages:
        if page.type in HOLDS_PAGES and page.slug is not None:
            found.setdefault(page.parent, set()).add(page.slug)
    return found
