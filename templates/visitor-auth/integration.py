"""Signs visitors of a site in: whoever knows the password may read, and the site learns their name."""

import hmac
import time
from html import escape
from urllib.parse import quote, urlencode

import jwt

from runtime.sdk import ExposableError, Integration, Response

integration = Integration()

SECONDS = 8 * 3600
"""How long somebody stays signed in."""
PAGE = """\
<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Sign in</title>
<style>body {{ font: 1rem system-ui; max-width: 20rem; margin: 4rem auto }}
input {{ display: block; margin: .3rem 0 1rem }}
</style><h1>Sign in</h1><p role="alert">{message}</p><form method="post">
<label>Your name <input name="name" required autocomplete="name"></label>
<label>Password <input name="password" type="password" required></label>
<input type="hidden" name="location" value="{location}"><button>Sign in</button></form></html>
"""


@integration.on("site_installation_setup")
def tell_address(context):
    """Say where the form is, for whoever wants to try it before the site asks for it."""
    context.log.info("visitors sign in at %s/sign-in", context.site_installation["urls"]["publicEndpoint"])


# Comes when somebody without a session opens the site. To use an identity provider, redirect to it here instead, with
# `<public endpoint>/visitor-auth/response` as the address it sends people back to.
@integration.visitor_authentication
def begin(event, context):
    here = context.site_installation["urls"]["publicEndpoint"]
    return Response.redirect(f"{here}/sign-in?{urlencode({'location': event.get('location', '')})}")


@integration.fetch("GET", "/sign-in")
def form(request):
    return page(request.query.get("location", ""))


@integration.fetch("POST", "/sign-in")
def sign_in(request, context):
    filled = request.form()
    location = filled.get("location", "")
    right = context.secrets["SITE_PASSWORD"].encode()
    if not hmac.compare_digest(filled.get("password", "").encode(), right):
        context.log.warn("a wrong password for %s", location or "the first page")
        return page(location, "That is not the password.", 403)
    return Response.redirect(
        f"{published_address(context)}{quote(location.lstrip('/'))}?jwt_token={token(filled, context)}"
    )


def page(location, message="", status=200):
    # Whatever came from outside is escaped, so that no link can put a script into this page.
    return Response.html(PAGE.format(location=escape(location), message=escape(message)), status)


def published_address(context):
    """Return the site's address; ends with a slash."""
    organization = context.installation["target"]["organization"]
    site = context.api.get(f"/orgs/{organization}/sites/{context.site_installation['site']}")
    published = site["urls"].get("published")
    if not published:
        raise ExposableError("This site is not published", 404)
    return published.rstrip("/") + "/"


def token(filled, context):
    """Sign what the site may know of the visitor; only this site's secret opens this site."""
    claims = {"name": filled.get("name", "")[:100], "exp": int(time.time()) + SECONDS}
    return jwt.encode(claims, context.signing_secrets["siteInstallation"], algorithm="HS256")
