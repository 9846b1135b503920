"""A visit to a published site: what stands at a place of it for a visitor, and under which policy."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from flask import request
from sqlalchemy.orm import Session

from runtime.api.host import Host
from runtime.contract.sites import SiteIntegrationScript
from runtime.services import site_scripts, tracking, visiting
from runtime.store.content.revisions import is_long
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.store.tables.spaces import SpaceRow
from runtime.web.sites.computing import computed_for
from runtime.web.sites.frame import Frame, Look, frame_of, look_of
from runtime.web.sites.indexes import index_at, is_index, type_of
from runtime.web.sites.markdown import ENDING, markdown_page
from runtime.web.sites.page_content import sample_of
from runtime.web.sites.policy import policy_of_framed, policy_of_read, policy_of_sample, scripts_that_fit
from runtime.web.sites.reading import SEARCH, listing_of, reading_of, search_of
from runtime.web.sites.site_map import CONTENTS, Computed, SiteMap, SitePage
from runtime.web.sites.stylesheet import source_of
from runtime.web.sites.targets import SpaceTargets

log = logging.getLogger(__name__)

MAX_WARNED = 1000
"""Sites of which is remembered what was said of them."""
MAX_NAMED = 10
"""Scripts that a line of the log names."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is shown: the fields of the page, the scripts that integrations put on it, and its policy; or a text."""

    scripts: Sequence[SiteIntegrationScript]
    policy: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    listed: bool = True
    text: str | None = None
    text_type: str = "text/markdown"


class SiteVisit:
    """What a visitor with these claims sees of a site.

    `key` is that of the link which opened it, `theme` what the visitor chose.
    """

    def __init__(
        self, host: Host, site: SiteRow, claims: Mapping[str, Any] | None, key: str | None, theme: str = ""
    ) -> None:
        self._theme = theme
        self._host, self._site, self._claims, self._key = host, site, claims, key
        self._at, self._computed = host.addresses, Computed()
        self.home = self._at.site(site.id) + (f"{key}/" if key else "")
        self._files = {"files": f"{self._at.site_origin(site.id)}/sites/-", "silent": key is not None}

    def compute(self, place: str) -> None:
        """Have computed what the page at a place shows; no transaction may be open."""
        if place != SEARCH:
            self._computed = computed_for(self._host, self._site, self._claims, place)

    def read(self, session: Session, place: str) -> Seen | str | None:
        """Give what is at a place: a page, the place to go on to, or None where nothing is."""
        map_ = SiteMap(session, self._site, self._claims, self._computed)
        turn = partial(self._host.capacity.pages.turn, self._site.organization_id)
        part = None
        if place == SEARCH:
            look = self._look(session, map_, None)
            with turn(SEARCH, long=True):
                reading = search_of(session, map_, request.args.get("q", ""), self.home)
        elif (part := map_.listed_at(place)) is not None:
            look = self._look(session, map_, part)
            with turn(CONTENTS, long=True):
                reading = listing_of(map_, part, self.home, request.args.get("page", 1, type=int))
        elif (leads_on := map_.leads_on(place)) is not None:
            return leads_on
        elif (shown := map_.at(place)) is not None:
            part = shown.part
            look = self._look(session, map_, part)
            with turn(shown.page.id, long=self._is_long(session, shown)):
                reading = reading_of(session, self._site, look, map_, shown, self.home, self._at)
        else:
            return self._without_pages(session, map_) if not place else self._text(session, map_, place)
        frame = frame_of(self._site, look, SpaceTargets(map_, part, self.home, self._at), reading.layout.cover_y)
        scripts = self._scripts(session)
        heard = tracking.heard(session, self._site)
        rated = reading.rated and "page_feedback" in heard and self._key is None
        alive = bool(scripts or reading.drawn or rated) or "site_view" in heard
        policy = policy_of_read(
            scripts, reading.drawn, self._at, self._site.id, self.home, alive=alive, style=source_of(frame.style)
        )
        fields = {"reading": reading, "rated": rated, **self._around(frame), **(self._files if alive else {})}
        return Seen(scripts, policy, fields, reading.listed)

    def sample(self, session: Session, place: str) -> Seen | str | None:
        """Give what is at a place where the preview is served: a page of a space, or a sample page."""
        sample = sample_of(session, self._site, self._at, self._claims)
        page = sample.filled(session, place, self.home, self._at)
        if page is None:
            return sample.map.leads_on(place) if sample.map is not None else None
        scripts = self._scripts(session)
        policy = policy_of_sample(scripts, sample, self._at, self._site.id)
        return Seen(scripts, policy, {"sample": sample, "page": page, **self._files})

    def _without_pages(self, session: Session, map_: SiteMap) -> Seen:
        """Name the spaces of a site in which there is no page yet."""
        spaces = [(_emoji(space), space.title) for space in visiting.spaces_of(session, self._site, self._claims)]
        frame = frame_of(self._site, self._look(session, map_, None), SpaceTargets(map_, None, self.home, self._at))
        scripts = self._scripts(session)
        alive = bool(scripts) or "site_view" in tracking.heard(session, self._site)
        policy = policy_of_framed(
            scripts, self._at, self._site.id, alive=alive, style=source_of(frame.style), pictures=frame.origins
        )
        return Seen(scripts, policy, {"spaces": spaces, **self._around(frame), **(self._files if alive else {})})

    def _text(self, session: Session, map_: SiteMap, place: str) -> Seen | None:
        """Give what is at a place for programs: an index of the site, or a page as Markdown."""
        if not is_index(place):
            return self._markdown(session, map_, place)
        markdown = self._look(session, map_, None).settings.page_actions.markdown
        with self._host.capacity.pages.turn(self._site.organization_id, place.rpartition("/")[2], long=True):
            text = index_at(map_, self._site, place, self.home, self._at, markdown=markdown)
        return Seen((), "", listed=False, text=text, text_type=type_of(place)) if text is not None else None

    def _markdown(self, session: Session, map_: SiteMap, place: str) -> Seen | None:
        """Give a page as Markdown, where the site lets readers have it so."""
        shown = map_.at(place.removesuffix(ENDING)) if place.endswith(ENDING) else None
        if shown is None or not self._look(session, map_, shown.part).settings.page_actions.markdown:
            return None
        with self._host.capacity.pages.turn(
            self._site.organization_id, shown.page.id, long=self._is_long(session, shown)
        ):
            text = markdown_page(session, map_, shown, self.home, self._at)
        return Seen((), "", listed=False, text=text)

    def _is_long(self, session: Session, shown: SitePage) -> bool:
        document = shown.page.document
        if shown.page.id in self._computed.documents:
            return True  # nobody measured it
        return document is not None and is_long(session, shown.space.id, document)

    def _scripts(self, session: Session) -> Sequence[SiteIntegrationScript]:
        """List the scripts of the site that a page has room for."""
        scripts = site_scripts.of_site(session, self._site, self._at)
        chosen = scripts_that_fit(scripts)
        if len(chosen) < len(scripts):
            missing = [one.script for one in scripts if one not in chosen]
            _warn(self._site.id, len(missing), ", ".join(missing[:MAX_NAMED]))
        return chosen

    def _look(self, session: Session, map_: SiteMap, part: SiteSpaceRow | None) -> Look:
        return look_of(session, self._site, map_, part, self._theme)

    def _around(self, frame: Frame) -> Mapping[str, Any]:
        return {"frame": frame, "title": frame.title}


@lru_cache(maxsize=MAX_WARNED)
def _warn(site_id: str, many: int, named: str) -> None:
    """Say which scripts are left out: once, not for each reader."""
    log.warning(
        "the pages of the site %s have no room for the content security policies of %d scripts, which are left out: %s",
        site_id,
        many,
        named,
    )


def _emoji(space: SpaceRow) -> str:
    """Turn the code points of an emoji, in hexadecimal, into the emoji."""
    points = space.emoji.split("-")
    if all(re.fullmatch(r"[0-9a-fA-F]{2,6}", point) and int(point, 16) < 0x110000 for point in points):
        return "".join(chr(int(point, 16)) for point in points if not 0xD800 <= int(point, 16) < 0xE000)
    return space.emoji
