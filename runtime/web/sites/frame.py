"""What stands around every page of a site: its header, its footer, its announcement, its icon, and how it looks.

All of it was written by whoever owns the site. It is escaped, addresses are http or https, and references to content
lead somewhere only for readers for whom the content is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from markupsafe import Markup, escape
from pydantic import MISSING
from sqlalchemy.orm import Session

from runtime.contract.customizations import ContentLink, HeaderItem, SiteCustomizationSettings
from runtime.contract.favicons import EmojiFavicon, IconFavicon, ThemedUrl
from runtime.services import customizing
from runtime.services.markdown.emoji import character_of
from runtime.services.markdown.links import is_safe
from runtime.store.tables.site_structure import SiteSpaceRow
from runtime.store.tables.sites import SiteRow
from runtime.web.sites.site_map import SiteMap
from runtime.web.sites.stylesheet import style_of
from runtime.web.sites.targets import SpaceTargets, leads_away

Theme = Literal["light", "dark"]
Scheme = Literal["light", "dark", "light dark"]
"""The modes in which a page may be drawn; of two, the reader's system chooses."""
THEMES: tuple[Theme, Theme] = ("light", "dark")
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]+)?(?=[/?#]|\Z)")
LANGUAGES = {"pt-br": "pt-BR"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture; `dark` is the one for a dark page where the reader's system decides, None where it is the same."""

    light: str
    dark: str | None = None


@dataclass(frozen=True, slots=True)
class FrameLink:
    """A link around the page: `style` is how it looks in the header, `below` is what its menu holds."""

    title: str
    href: str | None
    away: bool = False
    style: str = "link"
    below: Sequence[FrameLink] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """An announcement above the page."""

    message: str
    style: str
    link: FrameLink | None


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a page; `theme` is what its reader chose, where they may and did."""

    title: str
    style: Markup
    scheme: str
    theme: str
    choice: bool
    classes: str
    language: str
    icons: Sequence[tuple[str, str]]
    logo: Picture | None
    links: Sequence[FrameLink]
    notice: Notice | None
    footer_logo: Picture | None
    groups: Sequence[tuple[str, Sequence[FrameLink]]]
    copyright: str
    privacy: str | None
    preview: str | None
    trademark: bool

    @property
    def origins(self) -> Sequence[str]:
        """The origins of the pictures, as sources of a policy."""
        logos = [url for one in (self.logo, self.footer_logo) if one is not None for url in (one.light, one.dark)]
        found = (_ORIGIN.match(url) for url in (*logos, *(href for href, _ in self.icons)) if url)
        return list(dict.fromkeys(match[0] for match in found if match is not None))


@dataclass(frozen=True, slots=True)
class Look:
    """The customization of a page as it is for one reader; `theme` is what they chose, where they may and did."""

    settings: SiteCustomizationSettings
    theme: str
    scheme: Scheme


@dataclass(frozen=True, slots=True)
class FrameWriter:
    """Writes the frame of one page for one reader."""

    settings: SiteCustomizationSettings
    scheme: Scheme
    targets: SpaceTargets
    home: str

    def frame(self, site: SiteRow, theme: str, cover_y: float) -> Frame:
        """Write all that stands around the page."""
        settings = self.settings
        footer, header = settings.footer, settings.header
        bare = header.preset == "none"
        groups = [(group.title, self._links(group.links)) for group in footer.groups]
        return Frame(
            title=settings.title if settings.title is not MISSING else site.title,
            style=Markup(style_of(settings, self.scheme, cover_y)),  # made of numbers and of words of the host
            scheme=self.scheme,
            theme=theme,
            choice=settings.themes.toggeable,
            classes=self._classes(),
            language=LANGUAGES.get(settings.internationalization.locale, settings.internationalization.locale),
            icons=self._icons(),
            logo=self._picture(header.logo) if not bare else None,
            links=[link for item in header.links if (link := self._item(item)) is not None] if not bare else (),
            notice=self._notice(),
            footer_logo=self._picture(footer.logo),
            groups=[(title, links) for title, links in groups if links],
            copyright=footer.copyright if footer.copyright is not MISSING else "",
            privacy=_web(settings.privacy_policy.url),
            preview=_web(settings.social_preview.url),
            trademark=settings.trademark.enabled,
        )

    def _classes(self) -> str:
        styling = self.settings.styling
        names = (
            f"theme-{styling.theme}",
            f"header-{self.settings.header.preset}",
            f"sidebar-{styling.sidebar.background}",
            f"list-{styling.sidebar.list}",
            f"search-{styling.search}",
        )
        return " ".join(names)

    def _picture(self, urls: ThemedUrl | Any) -> Picture | None:
        """Choose the picture for the theme, or both where the reader's system decides."""
        light, dark = (_web(urls.light), _web(urls.dark)) if isinstance(urls, ThemedUrl) else (None, None)
        return chosen_picture(light, dark, self.scheme) if light is not None and dark is not None else None

    def _icons(self) -> list[tuple[str, str]]:
        """Give the addresses of the icon, each with the mode that it is for."""
        favicon = self.settings.favicon
        if isinstance(favicon, EmojiFavicon):
            return [(_drawn(favicon.emoji), "")]
        picture = self._picture(favicon.icon) if isinstance(favicon, IconFavicon) else None
        if picture is None:
            return [("data:,", "")]
        if picture.dark is None:
            return [(picture.light, "")]
        modes = zip((picture.light, picture.dark), THEMES, strict=True)
        return [(url, f"(prefers-color-scheme: {mode})") for url, mode in modes]

    def _item(self, item: HeaderItem) -> FrameLink | None:
        """Write a link of the header; one that leads nowhere, and has nothing below it, is left out."""
        target = self._target(item.to) if item.to is not None else None
        below = self._links(item.links)
        if target is None and not below:
            return None
        style = item.style if item.style is not MISSING else "link"
        return FrameLink(item.title, target, self._leaves(target), style, below)

    def _links(self, links: Sequence[ContentLink]) -> list[FrameLink]:
        found = [(link.title, self._target(link.to)) for link in links]
        return [
            FrameLink(title or target, target, self._leaves(target)) for title, target in found if target is not None
        ]

    def _target(self, to: Any) -> str | None:
        href = self.targets.href(to.model_dump(mode="json", by_alias=True))
        return href if href is not None and is_safe({"kind": "url", "url": href}) else None

    def _leaves(self, href: str | None) -> bool:
        """Tell whether a link opens a tab of its own: it leads away, and the site wants that."""
        return href is not None and self.settings.external_links.target == "blank" and leads_away(href, self.home)

    def _notice(self) -> Notice | None:
        said = self.settings.announcement
        if said is MISSING or not said.enabled:
            return None
        links = self._links([said.link]) if said.link is not MISSING else ()
        return Notice(said.message, said.style, links[0] if links else None)


def look_of(session: Session, site: SiteRow, map_: SiteMap, part: SiteSpaceRow | None, chosen: str) -> Look:
    """Find how a page in a space looks, or one in none; `chosen` is the theme that the reader asked for."""
    settings = customizing.of_space(session, site, part) if part is not None else customizing.of_site(session, site)
    settings = customizing.for_visitor(settings, map_.visitor)
    if not settings.themes.toggeable:
        return Look(settings, "", settings.themes.default)
    return Look(settings, chosen, chosen) if chosen in THEMES else Look(settings, "", "light dark")


def frame_of(site: SiteRow, look: Look, targets: SpaceTargets, cover_y: float = 0) -> Frame:
    """Write the frame of a page whose cover is moved by so many pixels."""
    return FrameWriter(look.settings, look.scheme, targets, targets.home).frame(site, look.theme, cover_y)


def chosen_picture(light: str, dark: str, scheme: Scheme) -> Picture:
    """Choose the picture for a mode, or both where the reader's system decides."""
    if scheme == "light dark":
        return Picture(light, dark if dark != light else None)
    return Picture(dark if scheme == "dark" else light)


def _web(url: Any) -> str | None:
    return url if isinstance(url, str) and url.startswith(("http://", "https://")) else None


def _drawn(emoji: str) -> str:
    """Draw an emoji, named by its code points or written as it is, as a picture in an address."""
    character = character_of(emoji.lower()) or emoji[:8]
    text = f'<text x="50%" y="50%" font-size="52" text-anchor="middle" dominant-baseline="central">{escape(character)}'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">{text}</text></svg>'
    return f"data:image/svg+xml,{quote(svg)}"
