"""What a script sees where there is no host: a plausible environment, and the screens its components are drawn on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from devkit.project import Project
from runtime.contract.addresses import Addresses
from runtime.contract.installations import (
    Installation,
    InstallationTarget,
    InstallationUrls,
    PartUrls,
    SiteInstallation,
    SpaceInstallation,
)
from runtime.contract.integrations import ConfigurationProperty, ConfigurationSchema, Manifest

Level = Literal["account", "space", "site"]
LEVELS: tuple[Level, ...] = ("account", "space", "site")
Configurations = Mapping[Level, Mapping[str, Any]]
"""What was configured on each screen."""

# A name that is promised never to exist (RFC 2606): nothing answers there, whatever network the machine is on.
NOWHERE = "https://offline.invalid"
ORGANIZATION, INSTALLATION, SPACE, SITE = "org-offline", "inst-offline", "space-offline", "site-offline"
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Screen:
    """Where a component is drawn: the context, and the properties the platform hands over (contentkit.md section 6)."""

    context: Mapping[str, Any]
    props: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ids(self) -> dict[str, Any]:
        """The ids an event of this screen carries."""
        return {key: self.context[key] for key in ("spaceId", "siteId") if key in self.context}


def page(*, editable: bool = False, theme: str = "light") -> Screen:
    """Give the screen of a block in a page."""
    return Screen({"type": "document", "spaceId": SPACE, "editable": editable, "theme": theme})


def configuration_screen(level: Level, configurations: Configurations, theme: str = "light") -> Screen:
    """Give the screen on which an installation is configured."""
    where = {"account": {"organizationId": ORGANIZATION}, "space": {"spaceId": SPACE}, "site": {"siteId": SITE}}[level]
    props: dict[str, Any] = {"installation": {"configuration": dict(configurations.get("account", {}))}}
    if level != "account":
        props[f"{level}Installation"] = {"configuration": dict(configurations.get(level, {}))}
    return Screen({"type": f"configuration_{level}", "theme": theme, **where}, props)


def content_source_screen(theme: str = "light") -> Screen:
    """Give the screen on which a content source is added to a space."""
    context = {"type": "configuration_contentsource", "organizationId": ORGANIZATION, "spaceId": SPACE, "theme": theme}
    return Screen(context, {"contentSource": {"props": {}, "dependencies": {}}})


def configured(manifest: Manifest) -> dict[Level, dict[str, Any]]:
    """Fill the forms of a manifest as somebody would who types only what must be typed."""
    screens = manifest.configurations
    filled: dict[Level, dict[str, Any]] = {}
    for level in LEVELS:
        form = getattr(screens, level, None)
        filled[level] = _filled(form) if isinstance(form, ConfigurationSchema) else {}
    return filled


def _filled(form: ConfigurationSchema) -> dict[str, Any]:
    required = form.required if isinstance(form.required, list) else []
    return {
        name: _value(name, one)
        for name, one in form.properties.items()
        if one.type != "button" and (isinstance(one.default, (str, int, float)) or name in required)
    }


def _value(name: str, one: ConfigurationProperty) -> Any:
    if isinstance(one.default, (str, int, float)):
        return one.default
    if isinstance(one.enum, list) and one.enum:
        return one.enum[0]
    return {"string": f"example-{name}", "number": 1, "boolean": True}[one.type]


def environment(
    project: Project,
    runtime: str,
    secrets: Mapping[str, str],
    configurations: Configurations,
    ids: Mapping[str, Any],
) -> dict[str, Any]:
    """Give the environment of one call (dispatch.md section 3); `ids` says whether it is about a space or a site."""
    at = Addresses(NOWHERE, NOWHERE)
    name = project.manifest.name
    made: dict[str, Any] = {
        "apiEndpoint": NOWHERE,
        "apiTokens": {"integration": "offline", "installation": "offline"},
        "authToken": "offline",
        "integration": _integration(project, runtime, at),
        "installation": _installation(name, configurations.get("account", {}), at).model_dump(
            mode="json", by_alias=True
        ),
        "secrets": dict(secrets),
        "signingSecrets": {"integration": _signing("integration"), "installation": _signing("installation")},
    }
    if "spaceId" in ids:
        endpoint = at.space_installation(name, INSTALLATION, ids["spaceId"])
        part = _part(name, endpoint, configurations.get("space", {}))
        made["spaceInstallation"] = SpaceInstallation(**part, space=ids["spaceId"]).model_dump(
            mode="json", by_alias=True
        )
        made["signingSecrets"]["spaceInstallation"] = _signing("space")
    if "siteId" in ids:
        endpoint = at.site_installation(name, INSTALLATION, ids["siteId"])
        part = _part(name, endpoint, configurations.get("site", {}))
        made["siteInstallation"] = SiteInstallation(**part, site=ids["siteId"]).model_dump(mode="json", by_alias=True)
        made["signingSecrets"]["siteInstallation"] = _signing("site")
    made["signingSecret"] = list(made["signingSecrets"].values())[-1]
    return made


def _signing(level: str) -> str:
    """Give the signing secret of a level; as long as a real one, which libraries insist on."""
    return f"offline-{level}-".ljust(48, "0")


def _integration(project: Project, runtime: str, at: Addresses) -> dict[str, Any]:
    """Show the integration to itself: what the manifest says, with addresses."""
    name = project.manifest.name
    endpoint = at.integration(name)
    said = project.manifest.model_dump(mode="json", by_alias=True, include=set(Manifest.model_fields))
    said |= {
        "object": "integration",
        "name": name,
        "version": 1,
        "verified": False,
        "previewImages": [],
        "runtime": runtime,
        "permissions": {"admin": True, "install": True},
        "urls": {
            "location": at.api("integrations", name),
            "app": at.app("integrations", name),
            "assets": at.assets(name),
            "publicEndpoint": endpoint,
            "publicContentEndpoint": endpoint,
        },
    }
    if isinstance(project.manifest.icon, str):
        said["urls"]["icon"] = f"{at.assets(name)}/1/icon.png"
    return said


def _installation(name: str, configuration: Mapping[str, Any], at: Addresses) -> Installation:
    endpoint = at.installation(name, INSTALLATION)
    return Installation(
        id=INSTALLATION,
        status="active",
        space_selection="all",
        site_selection="all",
        spaces=1,
        configuration=dict(configuration),
        created_at=MOMENT,
        updated_at=MOMENT,
        urls=InstallationUrls(
            location=at.api("integrations", name, "installations", INSTALLATION),
            app=at.app("orgs", ORGANIZATION, "integrations", name),
            public_endpoint=endpoint,
            public_content_endpoint=endpoint,
        ),
        external_ids=[],
        target=InstallationTarget(organization=ORGANIZATION),
    )


def _part(name: str, endpoint: str, configuration: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "integration": name,
        "installation": INSTALLATION,
        "status": "active",
        "configuration": dict(configuration),
        "external_ids": [],
        "urls": PartUrls(location=endpoint, public_endpoint=endpoint, public_content_endpoint=endpoint),
    }
