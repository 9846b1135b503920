from urllib.parse import parse_qs, urlsplit

import pytest


@pytest.fixture(autouse=True)
def service(integration, api):
    """The other service: tokens at /token, whom a token belongs to at /user."""
    integration.configuration = {"other": 1}
    integration.secrets = {
        "OAUTH_CLIENT_ID": "id",
        "OAUTH_CLIENT_SECRET": "secret",
        "OAUTH_AUTHORIZE_URL": "https://service.example/authorize",
        "OAUTH_TOKEN_URL": "https://service.example/token",
        "API_URL": "https://service.example/user",
    }

    def token(request):
        assert (request.form["client_id"], request.form["code"]) == ("id", "code1")
        return {"access_token": "good", "token_type": "bearer"}

    def user(request):
        known = request.headers["authorization"] == "Bearer good"
        return {"name": "Ada"} if known else api.reply({}, 401)

    api.answers("POST", "https://service.example/token", token)
    api.answers("GET", "https://service.example/user", user)


def test_an_account_is_connected_and_its_name_shown(integration):
    assert "not connected yet" in integration.render("profile").text
    sent = integration.fetch("/oauth")
    query = parse_qs(urlsplit(sent.location).query)
    assert (sent.status, query["client_id"]) == (302, ["id"])
    assert query["redirect_uri"] == [integration.endpoints["installation"] + "/oauth"]
    back = integration.fetch("/oauth", query={"code": "code1", "state": query["state"][0]})
    assert (back.status, "Connected" in back.text) == (200, True)
    assert integration.configuration == {"other": 1, "oauth_credentials": {"access_token": "good"}}
    assert integration.render("profile").find("card")["title"] == "Ada"


def test_a_refused_sign_in_is_reported(integration):
    response = integration.fetch("/oauth", query={"error": "access_denied"})
    assert (response.status, "access_denied" in response.text) == (400, True)


def test_a_token_that_is_no_longer_good_is_reported(integration):
    integration.configuration = {"oauth_credentials": {"access_token": "old"}}
    with integration.refused("connect the account again", 502):
        integration.render("profile")
