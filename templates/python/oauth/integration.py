"""Connects an account of another service with OAuth 2, and calls that service's API with its token."""

from urllib.parse import urljoin

from runtime.sdk import Context, ExposableError, Integration, OAuthConfig, oauth_handler, oauth_token, ui

integration = Integration()


def provider(context: Context) -> OAuthConfig:
    secrets = context.secrets
    # An address that begins with "/" is on the host: `devkit dev` brings an identity provider to try things with.
    host = context.environment["apiEndpoint"]
    return OAuthConfig(
        client_id=secrets["OAUTH_CLIENT_ID"],
        client_secret=secrets["OAUTH_CLIENT_SECRET"],
        authorize_url=urljoin(host, secrets["OAUTH_AUTHORIZE_URL"]),
        access_token_url=urljoin(host, secrets["OAUTH_TOKEN_URL"]),
        scopes=["read:user"],
    )


# The button on the configuration screen leads here, and so does the service when somebody has agreed. The token is kept
# in the installation's configuration, which the platform encrypts; `replace=False` leaves the rest of it as it is.
integration.fetch("GET", "/oauth")(oauth_handler(provider, replace=False))


@integration.component("profile")
def profile(context: Context):
    try:
        token = oauth_token(provider, context)  # renewed when it is about to end
    except ExposableError as error:
        if context.installation is None:
            raise
        here = context.installation["urls"]["publicEndpoint"]
        return ui.block(ui.hint(error.message), ui.button("Connect", on_press=ui.open_url(f"{here}/oauth")))
    address = urljoin(context.environment["apiEndpoint"], context.secrets["API_URL"])
    answer = context.fetch(address, headers={"authorization": f"Bearer {token}"})
    if not answer.ok:
        context.log.error("the service answered %s", answer.status)
        raise ExposableError("The service did not answer as expected; connect the account again", 502)
    user = answer.json()
    return ui.block(ui.card(title=user.get("name") or user.get("login") or "Somebody", hint="is connected"))
