"""Signs visitors of a site in with an identity provider (OpenID Connect), and tells the site who they are."""

import base64
import hashlib
import os
import time
from typing import Any
from urllib.parse import quote, urlencode, urljoin

import jwt

from runtime.sdk import Context, ExposableError, Integration, Request, Response
from runtime.sdk.environment import SiteInstallation
from runtime.sdk.events import VisitorAuthentication

integration = Integration()

SECONDS = 8 * 3600
"""How long somebody stays signed in."""
KEPT = "visitor_sign_in"
"""The cookie that keeps, until the visitor is back, what proves that it was their browser that asked."""


@integration.on("site_installation_setup")
def tell_address(context: Context):
    """Say where the provider must send visitors back to: providers want to know that in advance."""
    context.log.info("visitors come back to %s", way_back(context))


# Comes when somebody without a session opens the site.
@integration.visitor_authentication
def begin(event: VisitorAuthentication, context: Context):
    if event.get("action") == "logout":
        # The site has forgotten the visitor; a provider with an address for signing out may be sent to instead.
        return Response.redirect(published_address(context))
    verifier = unguessable()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = {
        "client_id": context.secrets["OIDC_CLIENT_ID"],
        "redirect_uri": way_back(context),
        "response_type": "code",
        "scope": "openid profile email",
        "state": event.get("location", ""),
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    answer = Response.redirect(f"{provider(context)['authorization_endpoint']}?{urlencode(query)}")
    answer.add_header("Set-Cookie", f"{KEPT}={verifier}; Max-Age=600; HttpOnly; SameSite=Lax")
    return answer


@integration.fetch("GET", "/visitor-auth/response")
def come_back(request: Request, context: Context):
    if "code" not in request.query:
        raise ExposableError(f"The sign-in was refused: {request.query.get('error', 'no code came back')}", 403)
    claims = identify(request.query["code"], request.cookies.get(KEPT, ""), context)
    location = quote(request.query.get("state", "").lstrip("/"), safe="/%")
    return Response.redirect(f"{published_address(context)}{location}?jwt_token={token(claims, context)}")


def identify(code: str, verifier: str, context: Context) -> dict[str, Any]:
    """Exchange a code for what the provider says of the visitor."""
    known = provider(context)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "code_verifier": verifier,
        "redirect_uri": way_back(context),
        "client_id": context.secrets["OIDC_CLIENT_ID"],
        "client_secret": context.secrets["OIDC_CLIENT_SECRET"],
    }
    answer = context.fetch(known["token_endpoint"], method="POST", form=form)
    if not answer.ok:
        context.log.error("the provider answered %s: %s", answer.status, answer.text())
        raise ExposableError("The identity provider did not accept this sign-in; begin again", 403)
    signed = answer.json()["id_token"]
    keys = jwt.PyJWKSet.from_dict(context.fetch(known["jwks_uri"]).json())
    try:
        key = keys[jwt.get_unverified_header(signed)["kid"]]
        client = context.secrets["OIDC_CLIENT_ID"]
        return jwt.decode(signed, key, algorithms=["RS256"], audience=client, issuer=known["issuer"])
    except (jwt.PyJWTError, KeyError) as error:
        context.log.error("the provider's token is not for this site: %r", error)
        raise ExposableError("The identity provider did not accept this sign-in; begin again", 403) from error


def provider(context: Context) -> dict[str, Any]:
    """Ask the provider where its parts are; an address that begins with "/" is on the host, as `devkit dev` has one."""
    issuer = urljoin(context.environment["apiEndpoint"], context.secrets["OIDC_ISSUER"])
    return context.fetch(f"{issuer.rstrip('/')}/.well-known/openid-configuration").json()


def way_back(context: Context) -> str:
    return f"{on_site(context)['urls']['publicEndpoint']}/visitor-auth/response"


def on_site(context: Context) -> SiteInstallation:
    if context.site_installation is None:
        raise ExposableError("This is not installed on the site", 404)
    return context.site_installation


def published_address(context: Context) -> str:
    """Return the site's address; ends with a slash."""
    organization = context.installation["target"]["organization"] if context.installation else ""
    site = context.api.get(f"/orgs/{organization}/sites/{on_site(context)['site']}")
    published = site["urls"].get("published")
    if not published:
        raise ExposableError("This site is not published", 404)
    return published.rstrip("/") + "/"


def token(claims: dict[str, Any], context: Context) -> str:
    """Sign what the site may know of the visitor; only this site's secret opens this site."""
    visitor = {key: claims[key] for key in ("sub", "name", "email", "groups") if key in claims}
    visitor["exp"] = int(time.time()) + SECONDS
    secret = context.signing_secrets.get("siteInstallation")
    if not secret:
        raise ExposableError("This is not installed on the site", 404)
    return jwt.encode(visitor, secret, algorithm="HS256")


def unguessable() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
