"""A fake identity provider for authors: OAuth 2 and OpenID Connect with fictional people.

It exists where the preview does, so that sign-ins can be tried without an account and without a network. Any client is
taken; what a client says must only stay the same from step to step. Source: RFC 6749, 7009, 7636, OpenID Connect Core.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlencode

from flask import Flask, Response, request

from runtime.api.host import Host
from runtime.contract.url_parts import split_url
from runtime.web.identity_tokens import LASTS, Signer, Spoiled
from runtime.web.origins import on_public_origin
from runtime.web.templates import TEMPLATES

PATH = "/identity"
PEOPLE = {
    "ada": {"name": "Ada Lovelace", "email": "ada@example.com", "groups": ["engineering"]},
    "grace": {"name": "Grace Hopper", "email": "grace@example.com", "groups": ["engineering", "admins"]},
    "katherine": {"name": "Katherine Johnson", "email": "katherine@example.com", "groups": []},
}
"""Subject -> what is known of the person."""
POLICY = (
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
MAX_BODY = 64 * 1024
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


class Refused(Exception):
    """A request in the wrong form; `code` is one of OAuth's, the message says what to do."""

    def __init__(self, code: str, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.status = code, sentence, status


def mount_identity(app: Flask, host: Host) -> None:
    """Add the provider; its issuer is `/identity` below the public address."""
    folder = Path(host.settings.data) if host.settings.data else None
    signer = Signer(host.addresses.public_url + PATH, folder)
    for place, view, methods in (
        ("/.well-known/openid-configuration", partial(_configuration, signer), ("GET",)),
        ("/jwks", lambda: _json(signer.keys()), ("GET",)),
        ("/authorize", partial(_authorize, host, signer), ("GET",)),
        ("/token", partial(_answering, partial(_token, signer)), ("POST",)),
        ("/userinfo", partial(_answering, partial(_userinfo, signer)), ("GET", "POST")),
        ("/revoke", partial(_answering, partial(_revoke, signer)), ("POST",)),
    ):
        app.add_url_rule(PATH + place, f"identity {place}", on_public_origin(host, view), methods=methods)


def _configuration(signer: Signer) -> Response:
    issuer = signer.issuer
    return _json(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/authorize",
            "token_endpoint": f"{issuer}/token",
            "userinfo_endpoint": f"{issuer}/userinfo",
            "jwks_uri": f"{issuer}/jwks",
            "revocation_endpoint": f"{issuer}/revoke",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "claims_supported": ["sub", "name", "email", "email_verified", "groups"],
        }
    )


def _authorize(host: Host, signer: Signer) -> Response:
    """Show who may sign in; a chosen `person` is sent back with a code, as is who denies."""
    query = request.args
    client, redirect = query.get("client_id", ""), query.get("redirect_uri", "")
    try:
        if not client:
            raise Refused("invalid_request", "The address names no `client_id`.")
        _may_return(host, redirect)
    except Refused as refused:
        return _page(refused.status, client=client, refused=refused.sentence)
    try:
        _check(query)
    except Refused as refused:
        return _back(redirect, error=refused.code, error_description=refused.sentence)
    person = query.get("person")
    if person is None:
        here = request.full_path.removesuffix("?")
        choices = [(identity["name"], identity["email"], f"{here}&person={sub}") for sub, identity in PEOPLE.items()]
        scopes = query.get("scope", "").split()
        return _page(200, client=client, scopes=scopes, choices=choices, deny=f"{here}&person=nobody", back=redirect)
    if person not in PEOPLE:
        return _back(redirect, error="access_denied", error_description="The person did not agree.")
    code = signer.issue(
        "code",
        family=secrets.token_urlsafe(16),
        sub=person,
        client_id=client,
        redirect_uri=redirect,
        scope=query.get("scope", ""),
        nonce=query.get("nonce"),
        challenge=query.get("code_challenge"),
    )
    return _back(redirect, code=code, iss=signer.issuer)


def _check(query: Any) -> None:
    if query.get("response_type") != "code":
        raise Refused("unsupported_response_type", "Only `response_type=code` is supported here.")
    if query.get("code_challenge") and query.get("code_challenge_method") != "S256":
        raise Refused("invalid_request", "Only `code_challenge_method=S256` is supported here.")


def _may_return(host: Host, redirect: str) -> None:
    """Let people return to scripts of this host and to this machine only; raises Refused."""
    try:
        at = split_url(redirect)
        origin, local = f"{at.scheme}://{at.netloc}", at.hostname in LOOPBACK and at.port != 0
    except ValueError:
        raise Refused("invalid_request", "The `redirect_uri` cannot be read.") from None
    odd = at.username is not None or "#" in redirect or any(sign <= " " or sign in "\\\x7f" for sign in redirect)
    name = at.path.removeprefix("/v1/integrations/").partition("/")[0]
    own = at.path.startswith("/v1/integrations/") and origin == host.addresses.integration_origin(name)
    if odd or at.scheme not in ("http", "https") or not (own or local):
        raise Refused(
            "invalid_request",
            "The `redirect_uri` is neither an integration's address on this host nor one on this machine.",
        )


def _back(redirect: str, **parameters: str) -> Response:
    state = request.args.get("state")
    query = urlencode({**parameters, **({"state": state} if state is not None else {})})
    joint = "&" if split_url(redirect).query else "?"
    return Response(b"", 302, {"Location": f"{redirect}{joint}{query}", "Cache-Control": "no-store"})


def _token(signer: Signer) -> Response:
    form = _form()
    client, secret = _client(form)
    grant = form.get("grant_type")
    try:
        if grant == "authorization_code":
            claims = signer.read("code", form.get("code", ""))
            _matches(claims, form, client, secret)
        elif grant == "refresh_token":
            claims = signer.read("refresh", form.get("refresh_token", ""))
            if (claims["client_id"], claims["secret"]) != (client, _digest(secret)):
                raise Refused("invalid_client", "Client and secret are not those that the tokens were issued to.", 401)
        else:
            raise Refused("unsupported_grant_type", "`grant_type` is `authorization_code` or `refresh_token`.")
        signer.use_up(claims)
    except Spoiled as spoiled:
        raise Refused("invalid_grant", str(spoiled)) from None
    return _tokens(signer, claims, client, secret)


def _matches(claims: dict[str, Any], form: dict[str, str], client: str, secret: str) -> None:
    """Hold the exchange of a code against how it was asked for; raises Refused."""
    if claims["client_id"] != client or claims["redirect_uri"] != form.get("redirect_uri"):
        raise Refused("invalid_grant", "`client_id` and `redirect_uri` must be those that the code was requested with.")
    challenge = claims["challenge"]
    if challenge is None and not secret:
        raise Refused("invalid_client", "Send a `client_secret`, or request the code with a `code_challenge`.", 401)
    if challenge is not None and challenge != _challenge(form.get("code_verifier", "")):
        raise Refused("invalid_grant", "The `code_verifier` does not belong to the `code_challenge`.")


def _tokens(signer: Signer, claims: dict[str, Any], client: str, secret: str) -> Response:
    person, scope = claims["sub"], claims["scope"]
    shared = {"sub": person, "client_id": client, "scope": scope, "family": claims["family"]}
    told = {
        "access_token": signer.issue("access", **shared),
        "token_type": "Bearer",
        "expires_in": LASTS["access"],
        "refresh_token": signer.issue("refresh", **shared, secret=_digest(secret)),
        "scope": scope,
    }
    if "openid" in scope.split():
        nonce = {"nonce": claims["nonce"]} if claims.get("nonce") else {}
        told["id_token"] = signer.identify(client, **_known(person), **nonce)
    return _json(told)


def _userinfo(signer: Signer) -> Response:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    try:
        if scheme.lower() != "bearer":
            raise Spoiled("Send the access token as `Authorization: Bearer TOKEN`.")
        return _json(_known(signer.read("access", token.strip())["sub"]))
    except Spoiled as spoiled:
        raise Refused("invalid_token", str(spoiled), 401) from None


def _revoke(signer: Signer) -> Response:
    form = _form()
    _client(form)
    signer.revoke(form.get("token", ""))
    return Response(b"", 200, {"Cache-Control": "no-store"})


def _known(person: str) -> dict[str, Any]:
    return {"sub": person, **PEOPLE[person], "email_verified": True}


def _form() -> dict[str, str]:
    request.max_content_length = MAX_BODY
    return dict(parse_qsl(request.get_data().decode(errors="replace"), keep_blank_values=True))


def _client(form: dict[str, str]) -> tuple[str, str]:
    """Return client id and secret, from the header or the form (RFC 6749, section 2.3.1); raises Refused."""
    scheme, _, coded = request.headers.get("Authorization", "").partition(" ")
    client, secret = form.get("client_id", ""), form.get("client_secret", "")
    if scheme.lower() == "basic":
        try:
            client, _, secret = (
                unquote_plus(part) for part in base64.b64decode(coded, validate=True).decode().partition(":")
            )
        except ValueError:
            raise Refused("invalid_client", "The `Authorization` header cannot be read.", 401) from None
    if not client:
        raise Refused("invalid_client", "Name the `client_id`.", 401)
    return client, secret


def _challenge(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _answering(view: Any) -> Response:
    """Answer a refusal as OAuth does."""
    try:
        answer: Response = view()
    except Refused as refused:
        answer = _json({"error": refused.code, "error_description": refused.sentence}, refused.status)
        if refused.status == 401:
            scheme = "Bearer" if refused.code == "invalid_token" else "Basic"
            answer.headers["WWW-Authenticate"] = f'{scheme} error="{refused.code}"'
    return answer


def _page(status: int, **values: Any) -> Response:
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
    return Response(TEMPLATES.get_template("identity.html").render(values), status, headers, mimetype="text/html")


def _json(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status, {"Cache-Control": "no-store"}, mimetype="application/json")
