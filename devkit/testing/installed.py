"""Where the integration under test is installed: an organization, a space and a site, each with its configuration."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from devkit import surroundings
from devkit.build.bundle import runtime_of
from devkit.environments import EXPRESSION
from devkit.project import Project
from devkit.surroundings import INSTALLATION, SITE, SPACE, Level
from devkit.testing.outside import API, Asked, FakeApi, Reply

Where = Literal["integration", "installation", "space", "site"]
"""The level an event belongs to, and a public endpoint."""
OF_INSTALLATIONS = ("installation", "spaceInstallation", "siteInstallation")


class Place:
    """A space or a site the integration is installed on; a test may give it another configuration."""

    def __init__(self, place: str, configuration: Mapping[str, Any]) -> None:
        self.id = place
        self.configuration = dict(configuration)


class Installed:
    """What the platform knows of the integration, and tells it: configurations, secrets, endpoints.

    Configurations begin as the manifest's forms suggest, secrets with a text that names their variable.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        filled = surroundings.configured(project.manifest)
        self.configuration: dict[str, Any] = dict(filled["account"])
        self.space, self.site = Place(SPACE, filled["space"]), Place(SITE, filled["site"])
        self.secrets = {
            name: EXPRESSION.sub(lambda found: f"test-{found[1]}", text)
            for name, text in project.manifest.secrets.items()
        }

    @property
    def name(self) -> str:
        """The integration's name."""
        return self.project.manifest.name

    @property
    def configurations(self) -> dict[Level, dict[str, Any]]:
        """What is configured, by level."""
        return {
            "account": self.configuration,
            "space": self.space.configuration,
            "site": self.site.configuration,
        }

    def environment(self, ids: Mapping[str, Any]) -> dict[str, Any]:
        """Give what a call sees besides its event: the installation only where `ids` name it."""
        runtime = runtime_of(self.project)
        made = surroundings.environment(self.project, runtime, self.secrets, self.configurations, ids)
        made["apiEndpoint"] = API
        if "installationId" not in ids:
            for level in OF_INSTALLATIONS:
                made.pop(level, None)
            made["apiTokens"] = {"integration": made["apiTokens"]["integration"]}
            made["signingSecrets"] = {"integration": made["signingSecrets"]["integration"]}
            made["authToken"] = made["apiTokens"]["integration"]
            made["signingSecret"] = made["signingSecrets"]["integration"]
        return copy.deepcopy(made)

    def endpoints(self) -> dict[str, str]:
        """Give the public endpoints, by level: site, space, installation, integration."""
        told = self.environment({"installationId": INSTALLATION, "spaceId": self.space.id, "siteId": self.site.id})
        levels = {"site": "siteInstallation", "space": "spaceInstallation"}
        levels |= {"installation": "installation", "integration": "integration"}
        return {level: told[part]["urls"]["publicEndpoint"] for level, part in levels.items()}

    def answer_for(self, api: FakeApi) -> None:
        """Have the platform's own answers ready: reading and changing installations, and their tokens."""
        base = f"/v1/integrations/{self.name}/installations/{{installation}}"
        parts = {"": "installation", "/spaces/{space}": "spaceInstallation", "/sites/{site}": "siteInstallation"}
        for path, part in parts.items():
            api.knows("GET", base + path, partial(self._told, part))
            api.knows("PATCH", base + path, partial(self._changed, part))
        api.knows("POST", f"{base}/tokens", lambda asked: {"token": "offline"})

    def _told(self, part: str, asked: Asked) -> Any:
        ids = {"installationId": INSTALLATION, "spaceId": self.space.id, "siteId": self.site.id}
        return self.environment(ids)[part]

    def _changed(self, part: str, asked: Asked) -> Any:
        wanted = asked.json
        if not isinstance(wanted, dict):
            return Reply({"error": {"code": 400, "message": "The body is no object"}}, 400)
        if "configuration" in wanted:
            if part == "installation":
                self.configuration = wanted["configuration"]
            else:
                place = self.space if part == "spaceInstallation" else self.site
                place.configuration = wanted["configuration"]
        return self._told(part, asked)
