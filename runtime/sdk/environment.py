"""The environment of a call, typed (docs/contract/scripts.md, "The environment")."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Configuration = dict[str, Any]


class ApiTokens(TypedDict):
    """Bearer tokens: of the integration, and of the current installation if there is one."""

    integration: str
    installation: NotRequired[str]


class IntegrationUrls(TypedDict):
    """Addresses of an integration; none ends with a slash."""

    location: str
    app: str
    assets: str
    publicEndpoint: str
    publicContentEndpoint: NotRequired[str]
    icon: NotRequired[str]


class IntegrationInfo(TypedDict):
    """The integration as published; more fields are there than are named here."""

    name: str
    version: int
    title: str
    urls: IntegrationUrls
    externalLinks: NotRequired[list[dict[str, str]]]


class InstallationUrls(TypedDict):
    """Addresses of an installation."""

    location: str
    publicEndpoint: str
    app: NotRequired[str]


class InstallationTarget(TypedDict):
    """Where an integration is installed."""

    organization: str


class Installation(TypedDict):
    """The integration installed in an organization."""

    id: str
    status: Literal["active", "pending", "paused"]
    configuration: Configuration
    externalIds: list[str]
    target: InstallationTarget
    urls: InstallationUrls


class SpaceInstallation(TypedDict):
    """The integration installed on a space; `space` is the id."""

    integration: str
    installation: str
    space: str
    status: Literal["active", "pending", "paused"]
    configuration: Configuration
    externalIds: list[str]
    urls: InstallationUrls


class SiteInstallation(TypedDict):
    """The integration installed on a site; `site` is the id."""

    integration: str
    installation: str
    site: str
    status: Literal["active", "pending", "paused"]
    configuration: Configuration
    externalIds: list[str]
    urls: InstallationUrls


class SigningSecrets(TypedDict):
    """Secrets to sign with; visitor tokens are signed with `siteInstallation`."""

    integration: str
    installation: NotRequired[str]
    spaceInstallation: NotRequired[str]
    siteInstallation: NotRequired[str]


class Environment(TypedDict):
    """All that the host passes to a script besides the event."""

    apiEndpoint: str
    apiTokens: ApiTokens
    integration: IntegrationInfo
    installation: NotRequired[Installation]
    spaceInstallation: NotRequired[SpaceInstallation]
    siteInstallation: NotRequired[SiteInstallation]
    secrets: dict[str, str]
    signingSecrets: SigningSecrets
