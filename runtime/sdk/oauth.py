"""OAuth 2 sign-in to another service, with its token stored in the installation."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict
from urllib.parse import parse_qsl, urlencode, urlsplit

from runtime.sdk.api_client import installation_path
from runtime.sdk.context import Context
from runtime.sdk.errors import ExposableError
from runtime.sdk.http_messages import Request, Response
from runtime.sdk.json_text import dump, load

_DONE = (
    "<!doctype html><title>Connected</title><p>Connected. You may close this window.</p><script>window.close()</script>"
)
# A token that expires during the request is of no use.
_SECONDS_EARLY = 60


class Credentials(TypedDict):
    """The data stored in the installation after the provider has answered."""

    configuration: dict[str, Any]
    externalIds: NotRequired[list[str]]


def default_credentials(answer: Mapping[str, Any]) -> Credentials:
    """Return the tokens as `oauth_credentials` of the configuration; `expires_at` is in ms since the epoch."""
    credentials: dict[str, Any] = {"access_token": answer.get("access_token")}
    if answer.get("expires_in"):
        credentials["expires_at"] = int((time.time() + float(answer["expires_in"])) * 1000)
    if answer.get("refresh_token"):
        credentials["refresh_token"] = answer["refresh_token"]
    return {"configuration": {"oauth_credentials": credentials}}


class OAuthConfig:
    """The configuration of a provider; `credentials` converts its answer to the stored data."""

    def __init__(
        self,
        *,
        client_id: str,
        client_secret: str,
        authorize_url: str,
        access_token_url: str,
        scopes: Sequence[str] = (),
        prompt: str | None = None,
        redirect_url: str | None = None,
        credentials: Callable[[Mapping[str, Any]], Credentials] = default_credentials,
    ) -> None:
        self.client_id = client_id
        self.client_secret = client_secret
        self.authorize_url = authorize_url
        self.access_token_url = access_token_url
        self.scopes = tuple(scopes)
        self.prompt = prompt
        self.redirect_url = redirect_url
        self.credentials = credentials


Config = OAuthConfig | Callable[[Context], OAuthConfig]


def oauth_handler(config: Config, *, replace: bool = True) -> Callable[[Request, Context], Response]:
    """Return a fetch handler that redirects people to the provider, and stores the result.

    Register it with `integration.fetch("GET", "/oauth")(oauth_handler(config))`; `config` may be a function of the
    context, since client id and secret usually are secrets. With `replace=False` the new configuration is laid over the
    stored one.
    """

    def handle(request: Request, context: Context) -> Response:
        settings = config(context) if callable(config) else config
        query = request.query
        redirect = settings.redirect_url or urlsplit(request.url)._replace(query="", fragment="").geturl()
        if query.get("error"):
            raise ExposableError(f"The sign-in was refused: {query.get('error_description') or query['error']}")
        if not query.get("code"):
            return Response.redirect(_authorize_url(settings, redirect, context))
        state = _state(query.get("state"))
        answer = _token(
            settings,
            context,
            {"code": query["code"], "redirect_uri": redirect, "grant_type": "authorization_code"},
        )
        _store(context, state, settings.credentials(answer), replace)
        return Response.html(_DONE)

    return handle


def oauth_token(config: Config, context: Context) -> str:
    """Return a valid token of the provider; an expired one is renewed and stored in the installation.

    Raises ExposableError when nobody has signed in yet.
    """
    settings = config(context) if callable(config) else config
    installation = context.installation
    credentials = installation["configuration"].get("oauth_credentials") if installation else None
    if not installation or not isinstance(credentials, dict) or not credentials.get("access_token"):
        raise ExposableError("This integration is not connected yet; sign in on its configuration screen")
    ends = credentials.get("expires_at")
    if not ends or not credentials.get("refresh_token") or ends / 1000 - _SECONDS_EARLY > time.time():
        return str(credentials["access_token"])
    answer = _token(settings, context, {"refresh_token": credentials["refresh_token"], "grant_type": "refresh_token"})
    fresh = settings.credentials(answer)
    # A provider that keeps its refresh token does not send it again.
    renewed = {"refresh_token": credentials["refresh_token"], **fresh["configuration"].get("oauth_credentials", {})}
    fresh["configuration"] = {**fresh["configuration"], "oauth_credentials": renewed}
    _store(context, {"installationId": installation["id"]}, fresh, replace=False)
    return str(answer["access_token"])


def _authorize_url(settings: OAuthConfig, redirect: str, context: Context) -> str:
    """Return the provider's address for this installation."""
    installation = context.installation
    if installation is None:
        raise ExposableError("Cannot start the sign-in without an installation")
    state = {"installationId": installation["id"]}
    if context.space_installation:
        state["spaceId"] = context.space_installation["space"]
    if context.site_installation:
        state["siteId"] = context.site_installation["site"]
    address = urlsplit(settings.authorize_url)
    parameters = dict(parse_qsl(address.query, keep_blank_values=True))
    parameters |= {"client_id": settings.client_id, "redirect_uri": redirect, "response_type": "code"}
    parameters["state"] = dump(state).decode()
    if settings.scopes:
        parameters["scope"] = " ".join(settings.scopes)
    if settings.prompt:
        parameters["prompt"] = settings.prompt
    return address._replace(query=urlencode(parameters)).geturl()


def _state(text: str | None) -> dict[str, str]:
    """Return the installation of a sign-in."""
    try:
        state = load(text or "")
    except ValueError:
        state = None
    if not isinstance(state, dict) or not isinstance(state.get("installationId"), str):
        raise ExposableError("The sign-in came back without its state; start again from the configuration screen")
    return {key: value for key, value in state.items() if isinstance(value, str)}


def _token(settings: OAuthConfig, context: Context, grant: dict[str, str]) -> dict[str, Any]:
    """Request a token from the provider."""
    form = {"client_id": settings.client_id, "client_secret": settings.client_secret, **grant}
    answer = context.fetch(settings.access_token_url, method="POST", headers={"accept": "application/json"}, form=form)
    try:
        parsed = answer.json()
    except ValueError:
        parsed = None
    if not answer.ok or not isinstance(parsed, dict) or parsed.get("error"):
        context.log.error("the token address answered %s", answer.status)
        raise ExposableError(f"The provider did not issue a token (status {answer.status})")
    return parsed


def _store(context: Context, state: Mapping[str, str], credentials: Credentials, replace: bool) -> None:
    """Write credentials into the installation, or into its part on a space or site, with the integration's token."""
    path = installation_path(
        context.environment["integration"]["name"],
        state["installationId"],
        space=state.get("spaceId"),
        site=state.get("siteId"),
    )
    body: dict[str, Any] = dict(credentials)
    if not replace:
        old = context.integration_api.get(path).get("configuration") or {}
        body["configuration"] = {**old, **credentials["configuration"]}
    context.integration_api.patch(path, body)
