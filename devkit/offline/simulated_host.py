"""Simulates a host: a plausible environment, and the screens that components are drawn on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from devkit.projects.project import Project
from runtime.contract import presenting
from runtime.contract.addresses import Addresses
from runtime.contract.installations import Installation
from runtime.contract.integrations import ConfigurationProperty, ConfigurationSchema, Integration, Manifest

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
    """Where a component is drawn, and what it gets there (docs/contract/contentkit.md, "Contexts")."""

    context: Mapping[str, Any]
    props: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ids(self) -> dict[str, Any]:
        """The ids an event of this screen carries."""
        return {key: self.context[key] for key in ("spaceId", "siteId") if key in self.context}


def page(*, editable: bool = False, theme: str = "light") -> Screen:
    """Return the screen of a block in a page."""
    return Screen({"type": "document", "spaceId": SPACE, "editable": editable, "theme": theme})


def configuration_screen(level: Level, configurations: Configurations, theme: str = "light") -> Screen:
    """Return the screen on which an installation is configured."""
    where = {"account": {"organizationId": ORGANIZATION}, "space": {"spaceId": SPACE}, "site": {"siteId": SITE}}[level]
    props: dict[str, Any] = {"installation": {"configuration": dict(configurations.get("account", {}))}}
    if level != "account":
        props[f"{level}Installation"] = {"configuration": dict(configurations.get(level, {}))}
    return Screen({"type": f"configuration_{level}", "theme": theme, **where}, props)


def content_source_screen(theme: str = "light") -> Screen:
    """Return the screen on which a content source is added to a space."""
    context = {"type": "configuration_contentsource", "organizationId": ORGANIZATION, "spaceId": SPACE, "theme": theme}
    return Screen(context, {"contentSource": {"props": {}, "dependencies": {}}})


def configured(manifest: Manifest) -> dict[Level, dict[str, Any]]:
    """Fill in the required fields of a manifest's forms."""
    screens = manifest.configurations
    filled: dict[Level, dict[str, Any]] = {}
    for level in LEVELS:
        form = getattr(screens, level, None)
        filled[level] = _filled(form) if isinstance(form, ConfigurationSchema) else {}
    return filled


def _filled(form: ConfigurationSchema) -> dict[str, Any]:
    required = form.required if isinstance(form.required, list) else []
    return {
        name: _value(name, property_)
        for name, property_ in form.properties.items()
        if property_.type != "button" and (isinstance(property_.default, (str, int, float)) or name in required)
    }


def _value(name: str, definition: ConfigurationProperty) -> Any:
    if isinstance(definition.default, (str, int, float)):
        return definition.default
    if isinstance(definition.enum, list) and definition.enum:
        return definition.enum[0]
    return {"string": f"example-{name}", "number": 1, "boolean": True}[definition.type]


def environment(
    project: Project,
    runtime: str,
    secrets: Mapping[str, str],
    configurations: Configurations,
    ids: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the environment of one call, as a host would (docs/contract/scripts.md, "The environment").

    `ids` says whether it is about a space or a site.
    """
    at = Addresses(NOWHERE, NOWHERE)
    name = project.manifest.name
    parts: dict[str, Any] = {"installation": _installation(name, configurations.get("account", {}), at)}
    signing = {"integration": _signing("integration"), "installation": _signing("installation")}
    if "spaceId" in ids:
        part = _part(name, ids["spaceId"], configurations.get("space", {}))
        parts["spaceInstallation"] = presenting.space_installation_object(part, at)
        signing["spaceInstallation"] = _signing("space")
    if "siteId" in ids:
        part = _part(name, ids["siteId"], configurations.get("site", {}))
        parts["siteInstallation"] = presenting.site_installation_object(part, at)
        signing["siteInstallation"] = _signing("site")
    return presenting.environment(
        at=at,
        tokens={"integration": "offline", "installation": "offline"},
        integration=_integration(project, runtime, at),
        parts=parts,
        secrets=secrets,
        signing_secrets=signing,
    )


def _signing(level: str) -> str:
    """Return the signing secret of a level, as long as a real one, since libraries check that."""
    return f"offline-{level}-".ljust(48, "0")


def _integration(project: Project, runtime: str, at: Addresses) -> Integration:
    """Return the integration as its script sees it: the manifest, with addresses and an owner."""
    manifest = project.manifest
    fields = manifest.model_dump(mode="json", by_alias=True, include=set(Manifest.model_fields))
    fields |= {
        "runtime": runtime,
        "icon": isinstance(manifest.icon, str),
        "previewImages": len(manifest.preview_images),
    }
    current = presenting.PublishedVersion(
        name=manifest.name,
        version=1,
        title=manifest.title,
        target=manifest.target,
        visibility=manifest.visibility,
        manifest=fields,
        pictures=f"{at.assets(manifest.name)}/1",
    )
    details = presenting.OrganizationDetails(id=ORGANIZATION, title="Offline", created_at=MOMENT)
    owner = presenting.organization_object(details, None, at)
    return presenting.integration_object(current, owner, at, admin=False, install=False)


def _installation(name: str, configuration: Mapping[str, Any], at: Addresses) -> Installation:
    return presenting.installation_object(
        id=INSTALLATION,
        integration=name,
        organization=ORGANIZATION,
        status="active",
        selections=("all", "all"),
        spaces=1,
        configuration=configuration,
        external_ids=[],
        created_at=MOMENT,
        updated_at=MOMENT,
        at=at,
    )


def _part(name: str, place: str, configuration: Mapping[str, Any]) -> presenting.PlacedPart:
    return presenting.PlacedPart(
        integration=name,
        installation=INSTALLATION,
        place=place,
        status="active",
        configuration=configuration,
        external_ids=[],
    )
