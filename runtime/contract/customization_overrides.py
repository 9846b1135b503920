"""What a space of a site has otherwise than the site: every setting may be left out, or taken back with null."""

from __future__ import annotations

from pydantic import MISSING

from runtime.contract.base import Body, WebAddress
from runtime.contract.customizations import (
    Announcement,
    Background,
    Copyright,
    Corners,
    Depth,
    FooterGroups,
    HeaderItems,
    HeaderPreset,
    IconsStyle,
    LinksStyle,
    LinkTarget,
    Locale,
    Search,
    SidebarBackground,
    SidebarList,
    Theme,
    ThemedColor,
    ThemeMode,
    Tint,
)
from runtime.contract.favicons import Favicon, ThemedUrl
from runtime.contract.sites import SiteTitle


class SidebarOverride(Body):
    background: SidebarBackground | MISSING | None = MISSING
    list: SidebarList | MISSING | None = MISSING


class StylingOverride(Body):
    theme: Theme | MISSING | None = MISSING
    primary_color: ThemedColor | MISSING | None = MISSING
    info_color: ThemedColor | MISSING | None = MISSING
    success_color: ThemedColor | MISSING | None = MISSING
    warning_color: ThemedColor | MISSING | None = MISSING
    danger_color: ThemedColor | MISSING | None = MISSING
    tint: Tint | MISSING | None = MISSING
    corners: Corners | MISSING | None = MISSING
    depth: Depth | MISSING | None = MISSING
    links: LinksStyle | MISSING | None = MISSING
    icons: IconsStyle | MISSING | None = MISSING
    sidebar: SidebarOverride | MISSING = MISSING
    search: Search | MISSING | None = MISSING
    background: Background | MISSING | None = MISSING


class LocaleOverride(Body):
    locale: Locale | None


class HeaderOverride(Body):
    preset: HeaderPreset | MISSING | None = MISSING
    logo: ThemedUrl | MISSING | None = MISSING
    background_color: ThemedColor | MISSING | None = MISSING
    link_color: ThemedColor | MISSING | None = MISSING
    links: HeaderItems | MISSING | None = MISSING


class FooterOverride(Body):
    logo: ThemedUrl | MISSING | None = MISSING
    groups: FooterGroups | MISSING | None = MISSING
    copyright: Copyright | MISSING | None = MISSING


class ThemesOverride(Body):
    default: ThemeMode | MISSING | None = MISSING
    toggeable: bool | MISSING | None = MISSING


class EnabledOverride(Body):
    enabled: bool | None


class GitOverride(Body):
    show_edit_link: bool | None


class ExternalLinksOverride(Body):
    target: LinkTarget | None


class AddressOverride(Body):
    url: WebAddress | MISSING | None = MISSING


class OverrideCustomization(Body):
    """A change of the overrides of a space."""

    title: SiteTitle | MISSING | None = MISSING
    styling: StylingOverride | MISSING = MISSING
    internationalization: LocaleOverride | MISSING = MISSING
    favicon: Favicon | MISSING | None = MISSING
    announcement: Announcement | MISSING = MISSING
    header: HeaderOverride | MISSING = MISSING
    footer: FooterOverride | MISSING = MISSING
    themes: ThemesOverride | MISSING = MISSING
    pdf: EnabledOverride | MISSING = MISSING
    feedback: EnabledOverride | MISSING = MISSING
    git: GitOverride | MISSING = MISSING
    external_links: ExternalLinksOverride | MISSING = MISSING
    pagination: EnabledOverride | MISSING = MISSING
    trademark: EnabledOverride | MISSING = MISSING
    privacy_policy: AddressOverride | MISSING = MISSING
    social_preview: AddressOverride | MISSING = MISSING
