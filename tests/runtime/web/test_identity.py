"""The fake identity provider, asked as clients ask: codes, proofs, tokens, refreshes, and what it refuses."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests

from tests.conftest import HostProcess, init

BACK = "http://localhost:3000/back"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
PROOF = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that serves the preview, with another origin for content, as `devkit dev` has it."""
    data = tmp_path_factory.mktemp("identity")
    init(data, "First", "first@example.com")
    process = HostProcess(data)
    process.environ = {"DEVKIT_PREVIEW": "true", "DEVKIT_CONTENT_URL": f"http://localhost:{process.port}"}
    process.start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def issuer(host: HostProcess) -> str:
    return f"{host.url}/identity"


def ask(issuer: str, **query: Any) -> requests.Response:
    expected = {"client_id": "client", "redirect_uri": BACK, "response_type": "code", "scope": "openid", **query}
    return requests.get(f"{issuer}/authorize", params=expected, timeout=60, allow_redirects=False)


def told(answer: requests.Response) -> dict[str, str]:
    """What somebody brings back from the provider."""
    assert answer.status_code == 302, answer.text
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def post(issuer: str, place: str = "token", auth: Any = None, **form: str) -> requests.Response:
    return requests.post(f"{issuer}/{place}", data=form, auth=auth, timeout=60)


def exchange(issuer: str, code: str, **form: str) -> requests.Response:
    known = {"client_id": "client", "client_secret": "secret", "redirect_uri": BACK, "grant_type": "authorization_code"}
    return post(issuer, code=code, **{**known, **form})


def refresh(issuer: str, token: str, **form: str) -> requests.Response:
    known = {"client_id": "client", "client_secret": "secret", "grant_type": "refresh_token"}
    return post(issuer, refresh_token=token, **{**known, **form})


def refused(answer: requests.Response, code: str, status: int = 400) -> None:
    assert (answer.status_code, answer.json()["error"]) == (status, code), answer.text
    assert answer.json()["error_description"].endswith(".")


def who(issuer: str, token: str) -> requests.Response:
    return requests.get(f"{issuer}/userinfo", headers={"Authorization": f"Bearer {token}"}, timeout=60)


def test_a_client_finds_its_way_by_what_the_provider_says_of_itself(issuer: str) -> None:
    known = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=60).json()
    assert known["issuer"] == issuer
    page = ask(issuer, scope="openid email", state="s <&>")
    assert page.status_code == 200 and "Sign in as Ada Lovelace" in page.text and "<code>email</code>" in page.text
    assert "form-action 'none'" in page.headers["Content-Security-Policy"]
    back = told(ask(issuer, scope="openid email", state="s <&>", nonce="n", person="ada", **PROOF))
    assert (back["state"], back["iss"]) == ("s <&>", issuer)
    got = exchange(issuer, back["code"], code_verifier=VERIFIER).json()
    key = jwt.PyJWKClient(known["jwks_uri"]).get_signing_key_from_jwt(got["id_token"])
    claims = jwt.decode(got["id_token"], key, algorithms=["RS256"], audience="client", issuer=issuer)
    assert (claims["sub"], claims["name"], claims["nonce"]) == ("ada", "Ada Lovelace", "n")
    assert (got["token_type"], got["expires_in"], got["scope"]) == ("Bearer", 3600, "openid email")
    assert who(issuer, got["access_token"]).json()["email"] == "ada@example.com"


def test_who_denies_and_what_is_unknown_comes_back_as_an_error(issuer: str) -> None:
    assert told(ask(issuer, person="nobody", state="x"))["error"] == "access_denied"
    assert told(ask(issuer, response_type="token", state="x")) == {
        "error": "unsupported_response_type",
        "error_description": "Only `response_type=code` is supported here.",
        "state": "x",
    }
    plain = told(ask(issuer, code_challenge="x", code_challenge_method="plain"))
    assert plain["error"] == "invalid_request"


@pytest.mark.parametrize(
    "redirect",
    [
        "",
        "https://evil.example/",
        "//localhost/x",
        "javascript://localhost/%0aalert(1)",
        "http://localhost@evil.example/",
        "http://user@localhost/",
        "http://localhost\\.evil.example/",
        "http://localhost:3000/#here",
        "http://localhost.evil.example/",
        "http://[::1",
        "http://localhost:99999/",
        "http://localhost/\r\nSet-Cookie: a=1",
    ],
)
def test_nobody_is_sent_anywhere_else(issuer: str, redirect: str) -> None:
    answer = ask(issuer, redirect_uri=redirect, person="ada")
    assert (answer.status_code, "Location" in answer.headers) == (400, False)
    assert "redirect_uri" in answer.text


def test_people_return_to_an_integration_on_this_host(host: HostProcess, issuer: str) -> None:
    endpoint = f"http://localhost:{host.port}/v1/integrations/a/installation/b/oauth?keep=1"
    back = ask(issuer, redirect_uri=endpoint, person="ada")
    assert back.headers["Location"].startswith(f"{endpoint}&code=")
    assert ask(issuer, client_id="").status_code == 400


def test_a_code_is_good_once_for_who_asked_for_it(issuer: str) -> None:
    code = told(ask(issuer, person="ada"))["code"]
    refused(exchange(issuer, code, client_id="other"), "invalid_grant")
    refused(exchange(issuer, code, redirect_uri=BACK + "2"), "invalid_grant")
    refused(exchange(issuer, code, client_secret=""), "invalid_client", 401)
    refused(exchange(issuer, code, client_id=""), "invalid_client", 401)
    refused(exchange(issuer, "x.y.z"), "invalid_grant")
    refused(exchange(issuer, code, grant_type="password"), "unsupported_grant_type")
    got = exchange(issuer, code).json()
    refused(exchange(issuer, code), "invalid_grant")
    # Whoever shows a code twice may have stolen it: what came of it is over.
    refused(refresh(issuer, got["refresh_token"]), "invalid_grant")
    assert who(issuer, got["access_token"]).status_code == 401


def test_a_proof_is_held_against_its_challenge(issuer: str) -> None:
    code = told(ask(issuer, person="ada", **PROOF))["code"]
    refused(exchange(issuer, code), "invalid_grant")
    refused(exchange(issuer, code, code_verifier="w" * 43), "invalid_grant")
    assert exchange(issuer, code, code_verifier=VERIFIER, client_secret="").status_code == 200


def test_a_refresh_token_is_followed_by_another(issuer: str) -> None:
    basic = ("client", "s%cret")
    code = told(ask(issuer, person="grace", scope="email"))["code"]
    first = post(issuer, auth=basic, grant_type="authorization_code", code=code, redirect_uri=BACK).json()
    assert "id_token" not in first
    refused(refresh(issuer, first["refresh_token"]), "invalid_client", 401)
    refused(refresh(issuer, first["access_token"]), "invalid_grant")
    second = post(issuer, auth=basic, grant_type="refresh_token", refresh_token=first["refresh_token"]).json()
    assert who(issuer, second["access_token"]).json()["sub"] == "grace"
    again = post(issuer, auth=basic, grant_type="refresh_token", refresh_token=first["refresh_token"])
    refused(again, "invalid_grant")
    refused(
        post(issuer, auth=basic, grant_type="refresh_token", refresh_token=second["refresh_token"]), "invalid_grant"
    )


def test_a_revoked_token_is_over(issuer: str) -> None:
    got = exchange(issuer, told(ask(issuer, person="ada"))["code"]).json()
    assert post(issuer, "revoke", client_id="client", token="unknown").status_code == 200
    assert who(issuer, got["access_token"]).status_code == 200
    assert post(issuer, "revoke", client_id="client", token=got["access_token"]).status_code == 200
    removed = who(issuer, got["access_token"])
    refused(removed, "invalid_token", 401)
    assert removed.headers["WWW-Authenticate"].startswith("Bearer")
    assert post(issuer, "revoke", client_id="client", token=got["refresh_token"]).status_code == 200
    refused(refresh(issuer, got["refresh_token"]), "invalid_grant")


def test_what_was_given_out_outlives_a_restart(host: HostProcess, issuer: str) -> None:
    got = exchange(issuer, told(ask(issuer, person="ada"))["code"]).json()
    assert host.stop() == 0
    host.start()
    assert who(issuer, got["access_token"]).json()["sub"] == "ada"
    assert (host.data / "identity.pem").stat().st_mode & 0o777 == 0o600


def test_bodies_and_headers_of_all_kinds_are_read_with_care(issuer: str) -> None:
    assert post(issuer, code="x" * 70_000).status_code == 413
    broken = {"Authorization": "Basic !!!"}
    refused(requests.post(f"{issuer}/token", headers=broken, timeout=60), "invalid_client", 401)
    for body in (b"\xff\xfe", b"&&&==", b"{}"):
        refused(requests.post(f"{issuer}/token", data=body, timeout=60), "invalid_client", 401)
    refused(requests.get(f"{issuer}/userinfo", timeout=60), "invalid_token", 401)
    unsigned = jwt.encode({"iss": issuer, "sub": "ada", "use": "access", "jti": "1"}, "", algorithm="none")
    refused(who(issuer, unsigned), "invalid_token", 401)


def test_it_is_there_with_the_preview_only_and_on_the_platforms_own_origin(
    host: HostProcess, tmp_path_factory: pytest.TempPathFactory
) -> None:
    there = f"http://localhost:{host.port}/identity/jwks"
    assert requests.get(there, timeout=60).status_code == 404
    data = tmp_path_factory.mktemp("plain")
    init(data, "Second", "second@example.com")
    plain = HostProcess(data).start()
    assert requests.get(f"{plain.url}/identity/jwks", timeout=60).status_code == 404
    assert plain.stop() == 0
