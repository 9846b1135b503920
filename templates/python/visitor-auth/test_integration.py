import json
import time
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

ISSUER = "https://login.example"
KEY = rsa.generate_private_key(65537, 2048)


@pytest.fixture(autouse=True)
def provider(integration, api):
    """One published site, and a provider that takes the code `good`."""
    integration.secrets = {"OIDC_ISSUER": ISSUER, "OIDC_CLIENT_ID": "id", "OIDC_CLIENT_SECRET": "secret"}
    api.answers("GET", "/v1/orgs/{org}/sites/{site}", {"urls": {"published": "https://docs.example/guide/"}})
    places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
    configuration = {"issuer": ISSUER, **{name: f"{ISSUER}/{place}" for name, place in places.items()}}
    api.answers("GET", f"{ISSUER}/.well-known/openid-configuration", configuration)
    api.answers("GET", f"{ISSUER}/keys", {"keys": [{**json.loads(RSAAlgorithm.to_jwk(KEY.public_key())), "kid": "1"}]})

    def token(request):
        if request.form["code"] != "good" or not request.form["code_verifier"]:
            return api.reply({"error": "invalid_grant"}, 400)
        audience = "another" if request.form["code_verifier"] == "for another" else "id"
        claims = {"iss": ISSUER, "aud": audience, "sub": "1", "name": "Ada", "exp": int(time.time()) + 60}
        return {"id_token": jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "1"})}

    api.answers("POST", f"{ISSUER}/token", token)


def come_back(integration, cookie="visitor_sign_in=proof", **query):
    return integration.fetch("/visitor-auth/response", query=query, headers={"cookie": cookie}, at="site")


def test_a_visitor_is_sent_to_the_provider(integration):
    sent = integration.visitor_authentication("a/page")
    query = parse_qs(urlsplit(sent.location).query)
    assert (sent.status, sent.location.startswith(f"{ISSUER}/authorize?")) == (302, True)
    assert query["redirect_uri"] == [integration.endpoints["site"] + "/visitor-auth/response"]
    assert (query["client_id"], query["state"], len(query["code_challenge"][0])) == (["id"], ["a/page"], 43)


def test_who_signed_in_is_led_back_with_a_token(integration):
    sent = come_back(integration, code="good", state="a/page")
    address = urlsplit(sent.location)
    assert (sent.status, address.netloc, address.path) == (302, "docs.example", "/guide/a/page")
    secret = integration.environment("site")["signingSecrets"]["siteInstallation"]
    claims = jwt.decode(parse_qs(address.query)["jwt_token"][0], secret, algorithms=["HS256"])
    assert (claims["sub"], claims["name"]) == ("1", "Ada")


@pytest.mark.parametrize(
    "code, cookie",
    [("bad", "visitor_sign_in=proof"), ("good", "other=1"), ("good", "visitor_sign_in=for another")],
    ids=["an old code", "another browser", "another client"],
)
def test_a_sign_in_that_is_not_for_this_site_leads_nowhere(integration, code, cookie):
    response = come_back(integration, cookie, code=code)
    assert (response.status, response.location, "begin again" in response.text) == (403, None, True)


def test_a_refused_sign_in_is_reported(integration):
    response = come_back(integration, error="access_denied")
    assert (response.status, "access_denied" in response.text) == (403, True)
