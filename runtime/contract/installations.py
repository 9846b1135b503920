"""Installations of integrations on organizations, spaces and sites."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import Body, ListQuery, Moment, Query, SmallJsonObject, Text, WireModel
from runtime.contract.identifiers import ObjectId
from runtime.contract.integrations import Integration
from runtime.contract.sites import Site
from runtime.contract.spaces import Space

Status = Literal["active", "pending", "paused"]
Selection = Literal["all", "selected"]
ExternalIds = Annotated[list[Annotated[Text, StringConstraints(max_length=500)]], Field(max_length=5)]


class InstallIntegration(Body):
    organization: ObjectId


class InstallOnSpace(Body):
    space: ObjectId


class InstallOnSite(Body):
    site_id: ObjectId


class UpdatePart(Body):
    """A change of a space or site installation: what is absent stays, `configuration` is replaced as a whole.

    `status` (extension) pauses with `paused` and resumes with `active`.
    """

    configuration: SmallJsonObject | MISSING = MISSING
    external_ids: ExternalIds | MISSING = MISSING
    status: Literal["active", "paused"] | MISSING = MISSING


class UpdateInstallation(UpdatePart):
    space_selection: Selection | MISSING = Field(MISSING, alias="space_selection")
    site_selection: Selection | MISSING = Field(MISSING, alias="site_selection")


class InstallationUrls(WireModel):
    location: str
    app: str
    public_endpoint: str
    public_content_endpoint: str


class PartUrls(WireModel):
    location: str
    public_endpoint: str
    public_content_endpoint: str


class InstallationTarget(WireModel):
    organization: str


class Installation(WireModel):
    """An integration installed on an organization (docs/contract/api.md, "Installations")."""

    id: str
    status: Status
    space_selection: Selection = Field(alias="space_selection")
    site_selection: Selection = Field(alias="site_selection")
    spaces: int
    configuration: dict[str, Any]
    created_at: Moment
    updated_at: Moment
    urls: InstallationUrls
    external_ids: list[str]
    target: InstallationTarget


class SpaceInstallation(WireModel):
    """An integration installed on a space; `space` is an object if `extended` was requested."""

    integration: str
    installation: str
    status: Status
    configuration: dict[str, Any]
    external_ids: list[str]
    urls: PartUrls
    space: str | Space


class SiteInstallation(WireModel):
    """An integration installed on a site; `site` is an object if `extended` was requested."""

    integration: str
    installation: str
    status: Status
    configuration: dict[str, Any]
    external_ids: list[str]
    urls: PartUrls
    site: str | Site


class InstallationQuery(ListQuery):
    external_id: Annotated[Text, StringConstraints(max_length=500)] | None = None


class ExtendedQuery(Query):
    extended: bool = False


class ExtendedListQuery(InstallationQuery):
    extended: bool = False


class ExtendedPageQuery(ListQuery):
    extended: bool = False


class SearchQuery(ListQuery):
    search: Annotated[Text, StringConstraints(max_length=200)] | None = None


class StatusQuery(ListQuery):
    target: Literal["organization", "space", "site"] = "organization"


class InstalledIntegration(WireModel):
    status: Status
    integration: Integration


class OrganizationInstallation(WireModel):
    integration: Integration
    installation: Installation


class InstallationStatus(WireModel):
    status: Status


class TemporaryToken(WireModel):
    """A token for one hour."""

    token: str
