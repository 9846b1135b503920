"""Integrations: the manifest, and the API's view of it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, BeforeValidator, FailFast, Field, StringConstraints, model_validator

from runtime.contract.base import Body, ListQuery, Moment, SmallJsonObject, Text, Url, WireModel
from runtime.contract.expected import DOTTED, expecting
from runtime.contract.organizations import Organization
from runtime.contract.security_policy import normalise
from runtime.contract.titles import Line

Scope = Literal[
    "space:content:read",
    "space:content:write",
    "space:metadata:read",
    "space:metadata:write",
    "space:git:sync",
    "page:feedback:read",
    "site:metadata:read",
    "site:views:read",
    "site:script:inject",
    "site:script:cookies",
    "site:visitor:auth",
    "site:adaptive:read",
    "site:adaptive:write",
    "openapi:read",
    "openapi:write",
    "conversations:ingest",
    "space:views:read",
    "space:script:inject",
    "space:script:cookies",
    "space:visitor:auth",
    "site:ai:ask",
    "site:visitor:claims",
]
Category = Literal["analytics", "collaboration", "content", "gitsync", "marketing", "visitor-auth", "other"]
Target = Literal["all", "site", "space", "organization"]
Visibility = Literal["public", "private", "unlisted"]
Runtime = Literal["v1", "v2", "python"]
ENTRY = expecting("the path of a file, such as src/script.py", r"^[\w.-][\w./-]*$")
TUNNEL = expecting("an address that begins with https:// or http://", r"^https?://[^\s]+$")
MAX_MANIFEST = 2_000_000
"""Characters of a manifest as JSON: scripts get it with each call, and lists show it."""
MAX_ICON = 350_000
"""Characters of an icon as base64: 250 KiB."""
Identifier = Annotated[Text, StringConstraints(min_length=1, max_length=100)]


def _is_policy(policy: str | dict[str, str]) -> str | dict[str, str]:
    normalise(policy)
    return policy


def _not_too_many_directives(policy: Any) -> Any:
    """Refuse more directives than there are, before each of them is looked at."""
    if isinstance(policy, dict) and len(policy) > MAX_DIRECTIVES:
        raise ValueError(f"must have at most {MAX_DIRECTIVES} directives")
    return policy


MAX_DIRECTIVES = 100
SecurityPolicy = Annotated[str | dict[str, str], BeforeValidator(_not_too_many_directives), AfterValidator(_is_policy)]


class BlockMarkdown(Body):
    codeblock: Identifier
    body: Identifier


class Block(Body):
    """A block an author may insert into a page."""

    id: Identifier
    title: Annotated[Line, StringConstraints(min_length=2, max_length=40)]
    description: Annotated[Text, StringConstraints(max_length=150)] | MISSING = MISSING
    icon: Annotated[Text, StringConstraints(max_length=MAX_ICON)] | MISSING = MISSING
    url_unfurl: Annotated[list[Url], Field(max_length=50)] | MISSING = MISSING
    markdown: BlockMarkdown | MISSING = MISSING


class ConfigurationComponent(Body):
    """A component that replaces the generated form."""

    component_id: Identifier


class ConfigurationProperty(Body):
    """One field of a generated form; its further keys depend on its type (docs/contract/api.md, "Integrations")."""

    type: Literal["string", "number", "boolean", "button"]
    title: Annotated[Line, StringConstraints(max_length=30)] | MISSING = MISSING
    description: Annotated[Text, StringConstraints(max_length=100)] | MISSING = MISSING
    default: Text | float | int | bool | MISSING = MISSING
    completion_url: Url | MISSING = Field(MISSING, alias="completion_url")
    enum: Annotated[list[Text], Field(max_length=500)] | MISSING = MISSING
    callback_url: Url | MISSING = Field(MISSING, alias="callback_url")
    button_text: Annotated[Text, StringConstraints(max_length=100)] | MISSING = Field(MISSING, alias="button_text")
    secret: bool | MISSING = Field(MISSING, description="Its values are removed from logs and events (extension).")

    @model_validator(mode="after")
    def _fits_its_type(self) -> ConfigurationProperty:
        if self.type == "button" and (self.callback_url is MISSING or self.button_text is MISSING):
            raise ValueError("a button needs `callback_url` and `button_text`")
        types: dict[str, type | tuple[type, ...]] = {"string": str, "number": (int, float), "boolean": bool}
        default: Any = self.default
        if default is not MISSING and self.type in types:
            right = isinstance(default, types[self.type]) and (self.type == "boolean") == isinstance(default, bool)
            if not right:
                raise ValueError(f"`default` must be a {self.type}")
        return self


class ConfigurationSchema(Body):
    """A form that the platform draws."""

    properties: Annotated[dict[Identifier, ConfigurationProperty], Field(max_length=100)]
    required: Annotated[list[Identifier], Field(max_length=100)] | MISSING = MISSING


Configuration = ConfigurationSchema | ConfigurationComponent


class Configurations(Body):
    """The three screens an integration may be configured on."""

    account: Configuration | MISSING = MISSING
    space: Configuration | MISSING = MISSING
    site: Configuration | MISSING = MISSING


class ContentSource(Body):
    """A source of generated content."""

    id: Identifier
    title: Annotated[Line, StringConstraints(min_length=2, max_length=40)]
    description: Annotated[Text, StringConstraints(max_length=150)] | MISSING = MISSING
    icon: Annotated[Text, StringConstraints(max_length=MAX_ICON)] | MISSING = MISSING
    configuration: ConfigurationComponent


class ExternalLink(Body):
    url: Url
    label: Annotated[Line, StringConstraints(max_length=100)]


EntryName = Annotated[Text, StringConstraints(min_length=1, max_length=200, pattern=ENTRY)]
SecretName = Annotated[Text, StringConstraints(min_length=1, max_length=100)]
SecretValue = Annotated[Text, StringConstraints(max_length=10_000)]


class Manifest(Body):
    """The manifest of an integration, without its code; limits from docs/contract/api.md, "Integrations"."""

    title: Annotated[Line, StringConstraints(min_length=2, max_length=30)]
    description: Annotated[Text, StringConstraints(max_length=100)]
    summary: Annotated[Text, StringConstraints(max_length=2048)] | MISSING = MISSING
    visibility: Visibility = "private"
    target: Target = "all"
    scopes: Annotated[list[Scope], Field(max_length=50)]
    categories: Annotated[list[Category], Field(max_length=10)] = Field(default_factory=list)
    blocks: Annotated[list[Block], Field(max_length=100)] | MISSING = MISSING
    content_sources: Annotated[list[ContentSource], Field(max_length=100)] | MISSING = MISSING
    external_links: Annotated[list[ExternalLink], Field(max_length=5)] = Field(default_factory=list)
    configurations: Configurations | MISSING = MISSING
    content_security_policy: SecurityPolicy | MISSING = MISSING

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Manifest:
        blocks: Any = self.blocks if self.blocks is not MISSING else []
        for items, what in ((blocks, "block"), (self._sources(), "content source")):
            ids = [item.id for item in items]
            twice = {name for name in ids if ids.count(name) > 1}
            if twice:
                raise ValueError(f"the {what} id `{min(twice)}` is given twice")
        return self

    @model_validator(mode="after")
    def _is_bounded(self) -> Manifest:
        length = len(self.model_dump_json(by_alias=True, include=set(Manifest.model_fields)))
        if length > MAX_MANIFEST:
            raise ValueError(
                f"the manifest without script and pictures has {length:,} characters as JSON; "
                f"at most {MAX_MANIFEST:,} are allowed, so {self._advice()}"
            )
        return self

    def _advice(self) -> str:
        """Say what of a manifest that is too long to make shorter."""
        parts = self.model_dump(mode="json", by_alias=True, include=set(Manifest.model_fields))
        lengths = {name: len(json.dumps(part, ensure_ascii=False)) for name, part in parts.items()}
        name = max(lengths, key=lambda one: lengths[one])
        icons = [len(one.get("icon", "")) for one in parts[name]] if name in ("blocks", "contentSources") else []
        if sum(icons) > lengths[name] // 2:
            return f"make the icons of its `{name}` smaller ({sum(icons):,})"
        return f"make its `{name}` shorter ({lengths[name]:,})"

    def _sources(self) -> list[ContentSource]:
        return list(self.content_sources) if isinstance(self.content_sources, list) else []


class PublishIntegration(Manifest):
    """The body of publish.

    `script` is the text of a module, or a folder as `data:application/zip;base64,...`; `entry` is the file name the
    author knows it by and is used in error messages (extension). With `unlessSame` (extension) what is published
    already stays: its version is answered, and none is made.
    """

    runtime: Runtime = "v1"
    icon: Annotated[str, StringConstraints(max_length=MAX_ICON)] | MISSING = MISSING
    preview_images: Annotated[list[Annotated[str, StringConstraints(max_length=1_500_000)]], Field(max_length=3)] = (
        Field(default_factory=list)
    )
    script: Text
    entry: EntryName = "integration.py"
    organization: Annotated[Text, StringConstraints(min_length=1, max_length=100)]
    secrets: Annotated[dict[SecretName, SecretValue], Field(max_length=20), FailFast()] = Field(default_factory=dict)
    unless_same: bool = False


class IntegrationUrls(WireModel):
    location: str
    icon: str | MISSING = MISSING
    app: str
    assets: str
    public_endpoint: str
    public_content_endpoint: str


class IntegrationPermissions(WireModel):
    admin: bool
    install: bool


class Integration(WireModel):
    """An integration as the API shows it and as scripts see themselves."""

    object: Literal["integration"] = "integration"
    name: str
    version: int
    title: str
    description: str | MISSING = MISSING
    summary: str | MISSING = MISSING
    preview_images: list[str]
    target: Target
    verified: bool
    visibility: Visibility
    scopes: list[str]
    categories: list[str]
    blocks: list[dict[str, Any]] | MISSING = MISSING
    content_sources: list[dict[str, Any]] | MISSING = MISSING
    configurations: dict[str, Any] | MISSING = MISSING
    external_links: list[dict[str, str]]
    owner: Organization
    urls: IntegrationUrls
    permissions: IntegrationPermissions
    content_security_policy: str | dict[str, str] | MISSING = MISSING
    runtime: Runtime


class IntegrationQuery(ListQuery):
    """The filters of the integration list (docs/contract/api.md, "Filters")."""

    search: Annotated[Text, StringConstraints(max_length=200)] | None = None
    category: Category | None = None
    block_domain: Annotated[str, StringConstraints(max_length=100, pattern=DOTTED)] | None = None
    blocks: bool | None = None
    content_sources: bool | None = None
    owner: Annotated[Text, StringConstraints(max_length=100)] | None = None
    scope: Scope | None = None
    target: Target | None = None


class DevelopmentMode(Body):
    """Where events go while development mode is on."""

    tunnel_url: Annotated[Text, StringConstraints(min_length=1, max_length=256, pattern=TUNNEL)]
    all: bool = False


class ShownDevelopmentMode(WireModel):
    """Whether development mode is on (extension); `connected` tells whether its developer still holds the tunnel.

    It is absent for an address elsewhere, whose state only its developer knows, and false where development mode ends
    with the next event.
    """

    tunnel_url: str | None
    all: bool
    connected: bool | MISSING = MISSING


class IntegrationVersion(WireModel):
    """One published version (extension); `restorable` tells whether it can be gone back to.

    `manifest` is what it was published with, as the integration shows it; absent where that was not kept.
    """

    object: Literal["integration-version"] = "integration-version"
    id: str
    version: int
    created_at: Moment
    current: bool
    restorable: bool
    runtime: Runtime
    title: str | MISSING = MISSING
    visibility: Visibility | MISSING = MISSING
    manifest: dict[str, Any] | MISSING = MISSING
    published_by: str | MISSING = MISSING


class RollBack(Body):
    """The version to roll back to."""

    version: Annotated[int, Field(ge=1, le=2**31 - 1)]


class QueueTask(Body):
    """A task for later; `schedule` is the delay in seconds, up to a day."""

    task: SmallJsonObject
    schedule: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)] = 0
