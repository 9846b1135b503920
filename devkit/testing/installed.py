"""Where the integration under test is installed: an organization, a space and a site, each with its configuration."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from devkit.build.bundle import runtime_of
from devkit.offline import simulated_host
from devkit.offline.simulated_host import INSTALLATION, SITE, SPACE, Level
from devkit.projects.environments import replace_names
from devkit.projects.project import Project
from devkit.testing.fake_api import API, FakeApi, Reply, ScriptRequest

Where = Literal["integration", "installation", "space", "site"]
"""The level an event belongs to, and a public endpoint."""
OF_INSTALLATIONS = ("installation", "spaceInstallation", "siteInstallation")


class Place:
    """A space or a site the integration is installed on; a test may give it another configuration."""

    def __init__(self, place: str, configuration: Mapping[str, Any]) -> None:
        self.id = place
        self.configuration = dict(configuration)


class Installed:
    """What the platform knows of the integration, and passes to it: configurations, secrets, endpoints.

    Configurations begin as the manifest's forms suggest, secrets with a text that names their variable.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        filled = simulated_host.configured(project.manifest)
        self.configuration: dict[str, Any] = dict(filled["account"])
        self.space, self.site = Place(SPACE, filled["space"]), Place(SITE, filled["site"])
        self.secrets = {
            name: replace_names(text, lambda variable: f"test-{variable}")
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
        """Return what a call sees besides its event: the installation only where `ids` name it."""
        runtime = runtime_of(self.project)
        seen_environment = simulated_host.environment(self.project, runtime, self.secrets, self.configurations, ids)
        seen_environment["apiEndpoint"] = API
        if "installationId" not in ids:
            for level in OF_INSTALLATIONS:
                seen_environment.pop(level, None)
            seen_environment["apiTokens"] = {"integration": seen_environment["apiTokens"]["integration"]}
            seen_environment["signingSecrets"] = {"integration": seen_environment["signingSecrets"]["integration"]}
            seen_environment["authToken"] = seen_environment["apiTokens"]["integration"]
            seen_environment["signingSecret"] = seen_environment["signingSecrets"]["integration"]
        return copy.deepcopy(seen_environment)

    def endpoints(self) -> dict[str, str]:
        """Return the public endpoints, by level: site, space, installation, integration."""
        full = self.environment({"installationId": INSTALLATION, "spaceId": self.space.id, "siteId": self.site.id})
        levels = {"site": "siteInstallation", "space": "spaceInstallation"}
        levels |= {"installation": "installation", "integration": "integration"}
        return {level: full[part]["urls"]["publicEndpoint"] for level, part in levels.items()}

    def answer_for(self, api: FakeApi) -> None:
        """Have the platform's own answers ready: reading and changing installations, and their tokens."""
        base = f"/v1/integrations/{self.name}/installations/{{installation}}"
        parts = {"": "installation", "/spaces/{space}": "spaceInstallation", "/sites/{site}": "siteInstallation"}
        for path, part in parts.items():
            api.knows("GET", base + path, partial(self._told, part))
            api.knows("PATCH", base + path, partial(self._changed, part))
        api.knows("POST", f"{base}/tokens", lambda request: {"token": "offline"})

    def _told(self, part: str, request: ScriptRequest) -> Any:
        ids = {"installationId": INSTALLATION, "spaceId": self.space.id, "siteId": self.site.id}
        return self.environment(ids)[part]

    def _changed(self, part: str, request: ScriptRequest) -> Any:
        body = request.json
        if not isinstance(body, dict):
            return Reply({"error": {"code": 400, "message": "The body is not an object"}}, 400)
        if "configuration" in body:
            if part == "installation":
                self.configuration = body["configuration"]
            else:
                place = self.space if part == "spaceInstallation" else self.site
                place.configuration = body["configuration"]
        return self._told(part, request)
