"""What anybody may make up (a cookie, a key, an address) is looked up in a line: its owner's, or that of strangers."""

from __future__ import annotations

import base64
import hmac
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from werkzeug.test import Client

from runtime.api.anonymous_lanes import STRANGERS
from runtime.api.script_headers import BROWSER_COOKIE, SESSION_COOKIE, VISITOR_COOKIE
from runtime.app import Application, create_app
from runtime.contract.identifiers import new_id
from runtime.engines.interpreter_turns import owner_at_work
from runtime.services import sessions
from runtime.settings import Settings
from runtime.store import secrets, tokens, visitors
from runtime.store.database import now
from runtime.store.rows import HOST, every
from runtime.store.tables.organizations import TokenRow
from runtime.store.tables.saml import SamlProviderRow
from runtime.store.tables.sites import SiteRow
from tests import databases
from tests.large_organization import Large, Size, fill

SIZE = Size(members=3, teams=1, collections=1, spaces=1, sites=2, sections=1)
OPERATORS = {"/readyz", "/metrics", "/healthz"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Application, Large]]:
    data: Path = tmp_path_factory.mktemp("made-up")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite") as database:
        made = fill(database, SIZE)
    app = create_app(Settings(data=str(data), sandbox="off"))
    yield app, made
    app.close()


@contextmanager
def working(app: Application) -> Iterator[list[tuple[str, str]]]:
    """Note for whom this thread asks the database, and what."""
    seen: list[tuple[str, str]] = []
    own = threading.get_ident()

    def asked(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if threading.get_ident() == own:
            at_work = owner_at_work()
            seen.append((at_work[0] if at_work else "nobody", statement))

    event.listen(app.host.database.engine, "before_cursor_execute", asked)
    try:
        yield seen
    finally:
        event.remove(app.host.database.engine, "before_cursor_execute", asked)


def site_of(app: Application, made: Large, visibility: str) -> str:
    """Publish a site of the organization with a visibility; gives its id."""
    with app.host.database.transaction(writes=True) as session:
        row = every(session, HOST, SiteRow, organization_id=made.organization)[visibility == "share-link"]
        row.visibility, row.visitor_auth_backend, row.published = visibility, "custom", True
        return row.id


def asks(app: Application, path: str, method: str = "GET", cookies: Mapping[str, str] | None = None) -> int:
    sent = "; ".join(f"{name}={value}" for name, value in (cookies or {}).items())
    headers = {"Cookie": sent} if sent else {}
    base, elsewhere = app.host.addresses.public_url, {"REMOTE_ADDR": "198.51.100.7"}
    client = Client(app, use_cookies=False)
    with client.open(path, base, method=method, headers=headers, environ_base=elsewhere) as answer:
        return answer.status_code


def lines(seen: list[tuple[str, str]], table: str) -> set[str]:
    """Tell in whose lines a table was asked; the lines of strangers are one."""
    return {
        STRANGERS if owner.startswith(STRANGERS) else owner for owner, statement in seen if f"FROM {table}" in statement
    }


def made_up(rule: str) -> str:
    """Write an address of a rule with names that were made up."""
    rule = re.sub(r"<any\((\w+),[^>]*>", r"\1", rule)
    return re.sub(r"<[^>]*>", lambda _: new_id(), rule)


COOKIES = {SESSION_COOKIE: "made-up", BROWSER_COOKIE: "made-up", VISITOR_COOKIE: "made-up"}


@pytest.mark.parametrize("cookies", [{}, COOKIES], ids=["without", "with cookies"])
def test_no_address_asks_the_database_for_nobody(cookies: Mapping[str, str], served: tuple[Application, Large]) -> None:
    """Every address of the host, with names that were made up."""
    app, _ = served
    wrong, asked = set(), 0
    for rule in app.flask.url_map.iter_rules():
        for method in sorted((rule.methods or {"GET", "POST"}) & {"GET", "POST"}):
            with working(app) as seen:
                asks(app, made_up(rule.rule), method, cookies)
            asked += len(seen)
            if rule.rule not in OPERATORS and "nobody" in {owner for owner, _ in seen}:
                wrong.add((method, rule.rule))
    assert wrong == set() and asked > 20


def test_session_cookies_that_are_made_up_are_looked_up_among_strangers(served: tuple[Application, Large]) -> None:
    app, _ = served
    with working(app) as seen:
        assert asks(app, "/app", cookies={SESSION_COOKIE: new_id()}) == 303
    assert lines(seen, "tokens") == {STRANGERS}


def test_who_is_signed_in_is_looked_up_for_their_organization(served: tuple[Application, Large]) -> None:
    app, made = served
    with app.host.database.transaction(writes=True) as session:
        (member,) = every(session, HOST, TokenRow, digest=tokens.digest_of(made.member))
        value = sessions.begin(session, member.user_id, "", now() + timedelta(hours=1), made.organization)
    assert asks(app, "/app", cookies={SESSION_COOKIE: value}) == 200
    with app.host.database.transaction(writes=True) as session:
        session.execute(text("UPDATE epochs SET n = n + 1"))
    with working(app) as seen:
        assert asks(app, "/app", cookies={SESSION_COOKIE: value}) == 200
    assert lines(seen, "tokens") == {made.organization}


def test_cookies_of_visitors_are_looked_up_among_strangers_until_one_was_good(
    served: tuple[Application, Large],
) -> None:
    app, made = served
    site = site_of(app, made, "visitor-auth")
    with app.host.database.transaction(writes=True) as session:
        value = visitors.open_session(session, site, None, {}, now() + timedelta(hours=1))
    place = f"/sites/{site}/-/insights"
    for cookie, status, line in ((new_id(), 403, STRANGERS), (value, 400, STRANGERS), (value, 400, made.organization)):
        with working(app) as seen:
            assert asks(app, place, "POST", {VISITOR_COOKIE: cookie}) == status
        assert lines(seen, "visitor_sessions") == {line}, cookie
    assert asks(app, f"/sites/{site}/-/sign-out", "POST", {VISITOR_COOKIE: value}) == 200
    for line in (made.organization, STRANGERS):  # it leads nowhere any more, which is known from then on
        with working(app) as seen:
            assert asks(app, place, "POST", {VISITOR_COOKIE: value}) == 403
        assert lines(seen, "visitor_sessions") == {line}


def test_nothing_is_written_for_what_is_made_up(served: tuple[Application, Large]) -> None:
    app, made = served
    site = site_of(app, made, "visitor-auth")
    with working(app) as seen:
        assert asks(app, f"/sites/{site}/-/sign-out", "POST", {VISITOR_COOKIE: new_id()}) == 200
        assert asks(app, f"/sites/{site}/-/sign-out", "POST") == 200
        assert asks(app, f"/sites/{site}/?jwt_token={new_id()}") == 401
    assert not [statement for _, statement in seen if "IMMEDIATE" in statement or "DELETE" in statement]
    assert seen


def test_nobody_waits_for_a_sign_in_that_is_made_up(served: tuple[Application, Large]) -> None:
    """Nothing of it is read, parsed or proved while the one place of those that write is held."""
    app, made = served
    with app.host.database.transaction(writes=True) as session:
        provider = SamlProviderRow(
            organization_id=made.organization,
            label="Ours",
            sso_url="https://idp.example/sso",
            entity_id="https://idp.example",
            certificate="none",
        )
        session.add(provider)
        session.flush()
        acs = f"/saml/{provider.id}/acs"
    response = '<Response xmlns="urn:oasis:names:tc:SAML:2.0:protocol" Version="2.0" InResponseTo="_made-up"/>'
    browser = new_id()
    csrf = hmac.new(secrets.keyring().derive("forms of pages"), f"{browser} ".encode(), "sha256").hexdigest()
    forms: tuple[tuple[str, dict[str, str], int], ...] = (
        ("/app/sign-in", {"token": "dk_made-up"}, 403),
        ("/app/sign-out", {}, 303),
        (f"/app/join/{made.organization}/{new_id()}", {"name": "Nobody"}, 404),
        ("/app/first/made-up", {"name": "Nobody"}, 404),
        (acs, {"SAMLResponse": base64.b64encode(response.encode()).decode()}, 403),
    )
    client = Client(app, use_cookies=False)
    base, headers = app.host.addresses.public_url, {"Cookie": f"{BROWSER_COOKIE}={browser}"}
    with working(app) as seen:
        for place, form, status in forms:
            with client.post(place, base, data={**form, "csrf": csrf}, headers=headers) as answer:
                assert answer.status_code == status, (place, answer.text)
        with client.get("/app/signed-in?code=made-up", base, headers=headers) as answer:
            assert answer.status_code == 403
    assert not [statement for _, statement in seen if "IMMEDIATE" in statement]
    assert len([statement for _, statement in seen if "saml_sign_ins" in statement]) == 1


def test_keys_of_share_links_are_looked_up_among_strangers(served: tuple[Application, Large]) -> None:
    app, made = served
    site = site_of(app, made, "share-link")
    with working(app) as seen:
        assert asks(app, f"/sites/{site}/{new_id()}/") == 403
    assert lines(seen, "site_share_links") == {STRANGERS}
