"""The manifest file of a project: what an author writes beside the code."""

from __future__ import annotations

from typing import Annotated

from pydantic import MISSING, Field, StringConstraints

from runtime.contract.base import JsonObject, Text
from runtime.contract.expected import expecting
from runtime.contract.identifiers import IntegrationName
from runtime.contract.integrations import Manifest, Runtime, SecretName, SecretValue

ENV_NAME = expecting("1 to 50 letters, digits, dots, hyphens and underscores", r"^[\w.-]{1,50}$")
EnvName = Annotated[str, StringConstraints(pattern=ENV_NAME)]


class ProjectManifest(Manifest):
    """A manifest as it is in a file: paths instead of pictures and code, `organization` optional.

    `envs` holds values that differ from environment to environment, by the environment's name.
    """

    name: IntegrationName
    description: Annotated[Text, StringConstraints(max_length=100)] = ""
    script: Annotated[Text, StringConstraints(min_length=1, max_length=500)]
    runtime: Runtime | MISSING = MISSING
    organization: Annotated[Text, StringConstraints(min_length=1, max_length=100)] | MISSING = MISSING
    icon: Annotated[Text, StringConstraints(max_length=500)] | MISSING = MISSING
    preview_images: Annotated[list[Annotated[Text, StringConstraints(max_length=500)]], Field(max_length=3)] = Field(
        default_factory=list
    )
    secrets: Annotated[dict[SecretName, SecretValue], Field(max_length=20)] = Field(default_factory=dict)
    envs: Annotated[dict[EnvName, JsonObject], Field(max_length=20)] = Field(default_factory=dict)
