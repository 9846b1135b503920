"""Customization of sites, and overrides of their spaces (docs/contract/api.md, "Customization")."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, Field, StringConstraints

from runtime.contract.base import Body, Query, Text, WebAddress
from runtime.contract.conditions import checked
from runtime.contract.content_references import ContentReference
from runtime.contract.expected import expecting
from runtime.contract.favicons import Favicon, ThemedUrl
from runtime.contract.sites import SiteTitle
from runtime.contract.titles import Line

MAX_LINKS, MAX_GROUPS, MAX_FACES = 100, 20, 40


Color = Annotated[str, StringConstraints(pattern=expecting("a color such as #2f5fd0", r"^#(?:[0-9a-fA-F]{3}){1,2}$"))]
FONT_FAMILY = expecting("a name without quotes, backslashes, ;, {, }, < and >", r"^[^\"'\\;{}<>\x00-\x1f]+$")
Short = Annotated[Line, StringConstraints(max_length=200)]
Condition = Literal[""] | Annotated[Text, StringConstraints(min_length=1, max_length=1024), AfterValidator(checked)]

Theme = Literal["clean", "muted", "bold", "gradient"]
Corners = Literal["straight", "rounded", "circular"]
Depth = Literal["subtle", "flat"]
LinksStyle = Literal["default", "accent"]
IconsStyle = Literal["regular", "solid", "duotone", "light", "thin"]
SidebarBackground = Literal["default", "filled"]
SidebarList = Literal["default", "pill", "line"]
Search = Literal["prominent", "subtle"]
Background = Literal["plain", "match"]
Locale = Literal["en", "fr", "es", "zh", "ja", "de", "nl", "no", "pt-br", "ru"]
HeaderPreset = Literal["default", "bold", "contrast", "custom", "none"]
ThemeMode = Literal["light", "dark"]
LinkTarget = Literal["self", "blank"]
SansSerif = Literal["ABCFavorit", "Inter", "Roboto", "OpenSans", "SourceSansPro", "Lato", "Ubuntu", "Raleway"]
DefaultFont = (
    SansSerif | Literal["RobotoSlab", "Merriweather", "Overpass", "NotoSans", "IBMPlexSerif", "Poppins", "FiraSans"]
)
MonospaceFont = Literal[
    "FiraCode", "IBMPlexMono", "JetBrainsMono", "SourceCodePro", "RobotoMono", "SpaceMono", "DMMono", "Inconsolata"
]


class ThemedColor(Body):
    light: Color
    dark: Color


class Tint(Body):
    color: ThemedColor


class FontSource(Body):
    url: WebAddress
    format: Literal["woff2", "woff"] | MISSING = MISSING


class FontFace(Body):
    weight: Annotated[int, Field(ge=1, le=1000)]
    sources: Annotated[list[FontSource], Field(min_length=1, max_length=MAX_FACES)]


class OwnFont(Body):
    """A font that is loaded from elsewhere."""

    id: Short
    custom: bool
    font_family: Annotated[Text, StringConstraints(min_length=1, max_length=50, pattern=FONT_FAMILY)]
    font_faces: Annotated[list[FontFace], Field(min_length=1, max_length=MAX_FACES)]


class ContentLink(Body):
    title: Annotated[Line, StringConstraints(max_length=64)]
    to: ContentReference


class HeaderItem(Body):
    """A header link, optionally with sublinks; `condition` decides which visitors see it."""

    title: Short
    style: Literal["link", "button-primary", "button-secondary"] | MISSING = MISSING
    to: ContentReference | None
    links: Annotated[list[ContentLink], Field(max_length=MAX_LINKS)]
    condition: Condition | MISSING = MISSING


class FooterGroup(Body):
    title: Short
    links: Annotated[list[ContentLink], Field(max_length=MAX_LINKS)]


class Announcement(Body):
    enabled: bool
    message: Annotated[Text, StringConstraints(min_length=2, max_length=128)]
    link: ContentLink | MISSING = MISSING
    style: Literal["info", "warning", "danger", "success"]


HeaderItems = Annotated[list[HeaderItem], Field(max_length=MAX_LINKS)]
FooterGroups = Annotated[list[FooterGroup], Field(max_length=MAX_GROUPS)]
Copyright = Annotated[Text, StringConstraints(max_length=300)]


class Sidebar(Body):
    background: SidebarBackground
    list: SidebarList


class Styling(Body):
    theme: Theme
    primary_color: ThemedColor
    tint: Tint | MISSING = MISSING
    info_color: ThemedColor
    success_color: ThemedColor
    warning_color: ThemedColor
    danger_color: ThemedColor
    corners: Corners
    depth: Depth
    links: LinksStyle
    font: DefaultFont | OwnFont
    monospace_font: MonospaceFont | OwnFont
    background: Background
    icons: IconsStyle
    sidebar: Sidebar
    search: Search


class Internationalization(Body):
    locale: Locale


class Header(Body):
    preset: HeaderPreset
    logo: ThemedUrl | MISSING = MISSING
    background_color: ThemedColor | MISSING = MISSING
    link_color: ThemedColor | MISSING = MISSING
    links: HeaderItems


class Footer(Body):
    logo: ThemedUrl | MISSING = MISSING
    groups: FooterGroups
    copyright: Copyright | MISSING = MISSING


class Themes(Body):
    default: ThemeMode
    toggeable: bool


class Enabled(Body):
    enabled: bool


class Ai(Body):
    mode: Literal["none", "search", "assistant"]


class Git(Body):
    show_edit_link: bool


class PageActions(Body):
    external_ai: Annotated[bool, Field(alias="externalAI")]
    markdown: bool
    mcp: bool


class ExternalLinks(Body):
    target: LinkTarget


class Address(Body):
    url: WebAddress | MISSING = MISSING


class Insights(Body):
    tracking_cookie: bool = True


class SiteCustomizationSettings(Body):
    """The whole customization of a site."""

    title: SiteTitle | MISSING = MISSING
    styling: Styling
    internationalization: Internationalization
    favicon: Favicon
    header: Header
    footer: Footer
    announcement: Announcement | MISSING = MISSING
    themes: Themes
    pdf: Enabled
    feedback: Enabled
    ai: Ai
    advanced_customization: Enabled
    git: Git
    page_actions: PageActions
    external_links: ExternalLinks
    pagination: Enabled
    trademark: Enabled
    privacy_policy: Address
    social_preview: Address
    insights: Insights


class CustomizationQuery(Query):
    """`unmasked` is deprecated and changes nothing: nothing is masked here."""

    unmasked: bool = False


def _both(color: str, dark: str) -> dict[str, str]:
    return {"light": color, "dark": dark}


STANDARD: dict[str, Any] = {
    "styling": {
        "theme": "clean",
        "primaryColor": _both("#2563EB", "#60A5FA"),
        "infoColor": _both("#2563EB", "#60A5FA"),
        "successColor": _both("#15803D", "#4ADE80"),
        "warningColor": _both("#B45309", "#FBBF24"),
        "dangerColor": _both("#B91C1C", "#F87171"),
        "corners": "rounded",
        "depth": "subtle",
        "links": "default",
        "font": "Inter",
        "monospaceFont": "FiraCode",
        "background": "plain",
        "icons": "regular",
        "sidebar": {"background": "default", "list": "default"},
        "search": "prominent",
    },
    "internationalization": {"locale": "en"},
    "favicon": {},
    "header": {"preset": "default", "links": []},
    "footer": {"groups": []},
    "themes": {"default": "light", "toggeable": True},
    "pdf": {"enabled": True},
    "feedback": {"enabled": False},
    "ai": {"mode": "none"},
    "advancedCustomization": {"enabled": True},
    "git": {"showEditLink": False},
    "pageActions": {"externalAI": True, "markdown": True, "mcp": False},
    "externalLinks": {"target": "self"},
    "pagination": {"enabled": True},
    "trademark": {"enabled": False},
    "privacyPolicy": {},
    "socialPreview": {},
    "insights": {"trackingCookie": True},
}
"""The default customization of a site."""


def written(settings: Body) -> dict[str, Any]:
    """Write settings as they are kept and travel."""
    return settings.model_dump(mode="json", by_alias=True)


def merged(settings: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    """Lay over settings what a space has otherwise; groups of settings are laid over each other, values replace."""
    result = dict(settings)
    for name, value in overrides.items():
        inner = name in OVERLAID and isinstance(value, dict) and isinstance(result.get(name), dict)
        result[name] = merged(result[name], value) if inner else value
    return result


def changed(overrides: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Change what a space has otherwise: null takes something back."""
    result = dict(overrides)
    for name, value in change.items():
        if value is None:
            result.pop(name, None)
        elif name in OVERLAID:
            inner = changed(result.get(name) or {}, value)
            result.pop(name, None)
            if inner:
                result[name] = inner
        else:
            result[name] = value
    return result


OVERLAID = {
    *("styling", "sidebar", "internationalization", "header", "footer", "themes", "pdf", "feedback", "git"),
    *("externalLinks", "pagination", "trademark", "privacyPolicy", "socialPreview"),
}
"""Settings that are groups of settings."""
