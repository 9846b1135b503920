"""The context of a handler: environment, API, log, tasks, outgoing requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from runtime.sdk.api_client import Api, installation_path
from runtime.sdk.json_text import load

if TYPE_CHECKING:
    from runtime.sdk.environment import (
        Configuration,
        Environment,
        Installation,
        SigningSecrets,
        SiteInstallation,
        SpaceInstallation,
    )
    from runtime.sdk.outgoing import FetchResponse

Write = Callable[[str, str], None]

_HIGHEST_SCHEDULE = 86_400


class Log:
    """Writes lines into the trace of the event: `log.info("synced %s pages", count)`."""

    __slots__ = ("_write",)

    def __init__(self, write: Write) -> None:
        self._write = write

    def debug(self, message: object, *values: object) -> None:
        """Write a line for debugging."""
        self._write("debug", _formatted(message, values))

    def info(self, message: object, *values: object) -> None:
        """Write an informational line."""
        self._write("info", _formatted(message, values))

    def warn(self, message: object, *values: object) -> None:
        """Write a warning."""
        self._write("warn", _formatted(message, values))

    def error(self, message: object, *values: object) -> None:
        """Write an error."""
        self._write("error", _formatted(message, values))

    warning = warn


def _formatted(message: object, values: tuple[object, ...]) -> str:
    """Format the message; a wrong number of values must not break the handler."""
    if not values:
        return str(message)
    try:
        return str(message) % values
    except (TypeError, ValueError):
        return " ".join([str(message), *(repr(value) for value in values)])


class Context:
    """The context of one call; the environment is parsed on first access."""

    __slots__ = ("_deferred", "_environment", "_environment_text", "log")

    def __init__(self, environment: bytes, write: Write, deferred: list[Callable[[], object]]) -> None:
        self._environment_text = environment
        self._environment: Environment | None = None
        self._deferred = deferred
        self.log = Log(write)

    @property
    def environment(self) -> Environment:
        """The environment from the host: integration, installations, secrets, tokens."""
        if self._environment is None:
            self._environment = cast("Environment", load(self._environment_text))
        return self._environment

    @property
    def secrets(self) -> dict[str, str]:
        """The secrets of the manifest."""
        return self.environment.get("secrets") or {}

    @property
    def signing_secrets(self) -> SigningSecrets:
        """The signing secrets, one for each level that is present."""
        return self.environment["signingSecrets"]

    @property
    def installation(self) -> Installation | None:
        """The installation in the organization; None for tasks and calls of the integration itself."""
        return self.environment.get("installation")

    @property
    def space_installation(self) -> SpaceInstallation | None:
        """The installation on the event's space, if there is one."""
        return self.environment.get("spaceInstallation")

    @property
    def site_installation(self) -> SiteInstallation | None:
        """The installation on the event's site, if there is one."""
        return self.environment.get("siteInstallation")

    @property
    def configuration(self) -> Configuration:
        """The configuration of the most specific installation of this call, {} if there is none."""
        specific = self.space_installation or self.site_installation or self.installation
        return (specific.get("configuration") or {}) if specific else {}

    @property
    def api(self) -> Api:
        """The API with the installation's token, or with the integration's if there is no installation."""
        tokens = self.environment["apiTokens"]
        return self._client(tokens.get("installation") or tokens["integration"])

    @property
    def integration_api(self) -> Api:
        """The API with the integration's own token."""
        return self._client(self.environment["apiTokens"]["integration"])

    def installation_api(self, installation: str) -> Api:
        """Return the API for another installation of this integration; requests a token from the host."""
        path = installation_path(self.environment["integration"]["name"], installation)
        client = self.integration_api
        return client.with_token(client.post(f"{path}/tokens")["token"])

    def queue_task(self, task: Mapping[str, Any], schedule: int = 0) -> None:
        """Call the task handler with `task` in `schedule` seconds, from 0 to 86400."""
        if not 0 <= schedule <= _HIGHEST_SCHEDULE:
            raise ValueError(f"queue_task: schedule must be from 0 to {_HIGHEST_SCHEDULE} seconds, got {schedule}")
        name = self.environment["integration"]["name"]
        self.integration_api.post(f"/integrations/{name}/tasks", {"task": dict(task), "schedule": schedule})

    def wait_until(self, work: Callable[..., object], *arguments: object) -> None:
        """Run `work` after the answer was sent, within the limits of the call."""
        if not callable(work):
            raise TypeError(f"wait_until needs a function to call later, got {type(work).__name__}")
        self._deferred.append((lambda: work(*arguments)) if arguments else work)

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        json: object = None,
        form: Mapping[str, str] | None = None,
        timeout: float = 20.0,
        follow_redirects: bool = True,
    ) -> FetchResponse:
        """Send a request; returns its answer, raises FetchError if there is none."""
        from runtime.sdk.outgoing import fetch

        return fetch(
            url,
            method=method,
            headers=headers,
            body=body,
            json=json,
            form=form,
            timeout=timeout,
            follow_redirects=follow_redirects,
        )

    def _client(self, token: str) -> Api:
        """Return an API client with the User-Agent of the contract."""
        environment = self.environment
        integration = environment["integration"]
        return Api(environment["apiEndpoint"], token, f"integration-{integration['name']}/{integration['version']}")
