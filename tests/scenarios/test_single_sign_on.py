"""Signing in by an identity provider, and with a token: the browser's way over HTTP."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests import databases, identity_provider
from tests.conftest import Api, HostProcess, Tenant, tenant
from tests.identity_provider import ENTITY, SSO, IdentityProvider, coded
from tests.scenarios.browsing import Browser
from tests.scenarios.people import reader

pytestmark = pytest.mark.skipif(not identity_provider.HAS_XMLSEC, reason="the identity provider signs with xmlsec1")


@dataclass
class Company:
    """An organization with an identity provider."""

    owner: Tenant
    provider: dict[str, Any]
    idp: IdentityProvider
    host: HostProcess

    @property
    def path(self) -> str:
        return f"/v1/orgs/{self.owner.id}"

    def begin(self, browser: Browser, where: str = "") -> str:
        """Go to the identity provider; gives the address there."""
        typed = {"Sec-Fetch-Site": "none"}  # as browsers say of what the person opened themselves
        answer = browser.ask("GET", self.provider["service"]["startURL"], params={"next": where}, headers=typed)
        assert answer.status_code == 303 and answer.headers["Location"].startswith(SSO), answer.text
        return answer.headers["Location"]

    def bring(self, browser: Browser, content: bytes) -> requests.Response:
        """Bring an answer from the identity provider's site, to which browsers send no cookies of ours."""
        kept = browser.cookies.copy()
        browser.cookies.clear()
        origin = {"Origin": "https://idp.example.com"}
        form = {"SAMLResponse": coded(content)}
        answer = browser.ask("POST", self.provider["service"]["acsURL"], data=form, headers=origin)
        browser.cookies = kept
        return answer

    def sign_in(self, email: str, browser: Browser | None = None, **more: Any) -> Browser:
        browser = browser or Browser(self.host.url)
        back = self.bring(browser, self.idp.answer(self.begin(browser), email, **more))
        assert back.status_code == 303, back.text
        there = browser.ask("GET", back.headers["Location"])
        assert there.status_code == 303, there.text
        return browser


@pytest.fixture(scope="module")
def company(host: HostProcess, tmp_path_factory: pytest.TempPathFactory) -> Company:
    folder: Path = tmp_path_factory.mktemp("company")
    owner = tenant(host, "Company", f"{new_id()}@company.example")
    saml = f"/v1/orgs/{owner.id}/saml"
    made = owner.api.post(saml, {"label": "Company", "ssoURL": SSO, "entityID": ENTITY})
    assert made.json["status"] == "pending"
    provider = made.json
    idp = IdentityProvider(folder, requests.get(provider["service"]["entityID"], timeout=10).text)
    ready = owner.api.call("PATCH", f"{saml}/{provider['id']}", {"certificate": idp.pem})
    assert ready.json["status"] == "active", ready.text
    return Company(owner, ready.json, idp, host)


@pytest.fixture
def changed(company: Company) -> Iterator[Callable[..., None]]:
    """Change settings of the organization for one test."""

    def change(**body: Any) -> None:
        assert company.owner.api.call("PATCH", company.path, body).status == 200

    yield change
    change(sso=False, emailDomains=[], inviteLinks=False)


def address() -> str:
    return f"{new_id().lower()}@company.example"


def test_who_signs_in_becomes_a_member_with_role_and_team(company: Company) -> None:
    team = company.owner.api.call("PUT", f"{company.path}/teams", {"title": "Everybody", "members": []}).json["id"]
    change = {"defaultRole": "edit", "defaultTeam": team}
    assert company.owner.api.call("PATCH", f"{company.path}/saml/{company.provider['id']}", change).status == 200
    email = address()
    browser = company.sign_in(email)
    page = browser.ask("GET", "/app")
    assert "Ada Lovelace" in page.text and email in page.text and "Company" in page.text and "edit" in page.text
    (member,) = company.owner.api.get(f"{company.path}/members", search=email).json["items"]
    assert (member["role"], member["sso"], member["user"]["displayName"]) == ("edit", True, "Ada Lovelace")
    teams = company.owner.api.get(f"{company.path}/members/{member['id']}/teams").json["items"]
    assert [row["team"]["id"] for row in teams] == [team]
    assert company.owner.api.call("PATCH", f"{company.path}/members/{member['id']}", {"role": "read"}).status == 200
    company.sign_in(email.upper())  # is the same person, who keeps their role
    (again,) = company.owner.api.get(f"{company.path}/members", search=email).json["items"]
    assert (again["id"], again["role"]) == (member["id"], "read")


def test_the_way_leads_where_the_person_wanted_to_go(company: Company) -> None:
    for wanted, place in (
        ("/app/join/a/b", "/app/join/a/b"),
        ("https://evil.example", "/app"),
        ("/app//evil.example", "/app"),
        ("/app/\\evil", "/app"),
        ("/app/../sites", "/app"),
        ("//evil.example/app", "/app"),
    ):
        browser = Browser(company.host.url)
        back = company.bring(browser, company.idp.answer(company.begin(browser, wanted), address()))
        assert browser.ask("GET", back.headers["Location"]).headers["Location"] == place


def test_another_site_begins_no_sign_in_without_the_person(company: Company) -> None:
    """It could have them signed in as somebody else, where what they write then is read by others."""
    browser, other = Browser(company.host.url), Browser(company.host.url)
    start = company.provider["service"]["startURL"]
    # A published site may be at the same origin as the platform's pages.
    beside = [
        {"Sec-Fetch-Site": "same-origin", "Referer": at} for at in ("", f"{company.host.url}/sites/a/app/", "//[")
    ]
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {}, *beside):
        page = browser.ask("GET", start, params={"next": "/app/join/a/b"}, headers=headers)
        assert page.status_code == 200 and "Sign in to Company" in page.text
    found = re.search(r'href="(/saml/[^"]+)"', page.text)
    assert found is not None
    further = html.unescape(found[1])
    assert other.ask("GET", further).status_code == 200  # what the page asks back is its own browser's
    answer = browser.ask("GET", further)
    assert answer.status_code == 303 and answer.headers["Location"].startswith(SSO)
    back = company.bring(browser, company.idp.answer(answer.headers["Location"], address()))
    assert browser.ask("GET", back.headers["Location"]).headers["Location"] == "/app/join/a/b"
    ours = {"Sec-Fetch-Site": "same-origin", "Referer": f"{company.host.url}/app/orgs/{company.owner.id}"}
    assert browser.ask("GET", start, headers=ours).status_code == 303


def test_an_answer_counts_once(company: Company) -> None:
    browser = Browser(company.host.url)
    content = company.idp.answer(company.begin(browser), address())
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: company.bring(Browser(company.host.url), content), range(4)))
    assert sorted(answer.status_code for answer in answers) == [303, 403, 403, 403]
    assert company.bring(browser, content).status_code == 403
    (back,) = (answer.headers["Location"] for answer in answers if answer.status_code == 303)
    assert browser.ask("GET", back).status_code == 303
    assert browser.ask("GET", back).status_code == 403  # and so does the code


def test_nobody_is_signed_in_by_what_began_elsewhere(company: Company) -> None:
    attacker, victim = Browser(company.host.url), Browser(company.host.url)
    back = company.bring(attacker, company.idp.answer(company.begin(attacker), address()))
    victim.ask("GET", "/app/sign-in")
    answer = victim.ask("GET", back.headers["Location"])
    assert answer.status_code == 403 and "another browser" in answer.text
    assert victim.ask("GET", "/app").headers["Location"] == "/app/sign-in"


def test_an_answer_nobody_asked_for(company: Company) -> None:
    browser = Browser(company.host.url)
    content = company.idp.answer(company.begin(browser), address(), in_response_to="_unknown")
    answer = company.bring(browser, content)
    assert answer.status_code == 403 and "does not match a sign-in in progress" in answer.text


def test_an_answer_to_another_provider_of_the_same_organization(company: Company) -> None:
    fixed = {"ssoURL": SSO, "entityID": ENTITY, "certificate": company.idp.pem}
    other = company.owner.api.post(f"{company.path}/saml", {"label": "Other", **fixed}).json
    browser = Browser(company.host.url)
    content = company.idp.answer(company.begin(browser), address())
    answer = browser.ask("POST", other["service"]["acsURL"], data={"SAMLResponse": coded(content)})
    assert answer.status_code == 403
    assert company.owner.api.call("DELETE", f"{company.path}/saml/{other['id']}").status == 204


def test_only_addresses_of_the_organizations_domains(company: Company, changed: Callable[..., None]) -> None:
    changed(emailDomains=["company.example"])
    browser = Browser(company.host.url)
    answer = company.bring(browser, company.idp.answer(company.begin(browser), "eve@elsewhere.example"))
    assert answer.status_code == 403 and "The domain of the e-mail address is not one of" in answer.text
    company.sign_in(address())


def test_an_identity_provider_vouches_for_nobody_in_another_organization(company: Company, host: HostProcess) -> None:
    """Whoever sets up an identity provider can have it say anything: also that they are somebody else."""
    email = f"{new_id()}@elsewhere.example"
    elsewhere = tenant(host, "Elsewhere", email)
    browser = company.sign_in(email)
    page = browser.ask("GET", "/app").text
    assert "Company" in page and "Elsewhere" not in page
    assert elsewhere.api.get("/v1/orgs").json["count"] == 2
    other = tenant(host, "Open", f"{new_id()}@example.com")
    assert other.api.call("PATCH", f"/v1/orgs/{other.id}", {"inviteLinks": True}).status == 200
    link = other.api.post(f"/v1/orgs/{other.id}/link-invites", {"role": "read"}).json["id"]
    refused = browser.submit(f"/app/join/{other.id}/{link}", f"/app/join/{other.id}/{link}")
    assert refused.status_code == 403 and "one organization only" in refused.text
    session = browser.cookies.get("devkit_session")
    for scheme in ("Bearer", "session", "Session"):
        headers = {"Authorization": f"{scheme} {session}"}
        answer = Api(host.url, None).call("GET", company.path, headers=headers)
        assert answer.status == 401


def test_where_single_sign_on_is_a_must_nothing_else_lets_in(
    company: Company, host: HostProcess, changed: Callable[..., None]
) -> None:
    token, user = reader(host, company.owner)
    other = Browser(host.url)
    assert other.submit("/app/sign-in", "/app/sign-in", token=token).status_code == 303
    assert "Company" in other.ask("GET", "/app").text
    email = address()
    made = company.owner.api.post(f"{company.path}/invites", {"emails": [email]}).json
    place = made["links"][0]["url"].removeprefix(host.url)
    invited = Browser(host.url)
    assert invited.submit(place, place, name="Grace").status_code == 303
    assert "Company" in invited.ask("GET", "/app").text
    changed(sso=True, inviteLinks=True)
    assert "Company" not in invited.ask("GET", "/app").text
    assert "Company" not in other.ask("GET", "/app").text.replace("Your account", "")
    link = company.owner.api.post(f"{company.path}/link-invites", {"role": "read"}).json
    answer = Api(host.url, reader(host, company.owner)[0]).post(f"{company.path}/invites/{link['id']}")
    assert answer.status == 403 and "single sign-on" in answer.json["error"]["message"]
    assert "Company" in company.sign_in(f"{user}@example.com").ask("GET", "/app").text


def test_logins_are_listed_to_members(company: Company, host: HostProcess) -> None:
    mine = Api(host.url, reader(host, company.owner)[0])
    company.owner.api.post(f"{company.path}/saml", {"label": "Not ready"})
    logins = mine.get(f"{company.path}/sso").json["items"]
    start = company.provider["service"]["startURL"]
    assert logins == [{"id": company.provider["id"], "label": "Company", "startURL": start}]
    assert mine.get(f"{company.path}/saml").status == 403


def test_a_changed_provider_ends_what_began_with_the_old_one(company: Company, tmp_path: Path) -> None:
    browser = Browser(company.host.url)
    there = company.begin(browser)
    path = f"{company.path}/saml/{company.provider['id']}"
    assert company.owner.api.call("PATCH", path, {"label": "Company"}).status == 200
    assert company.bring(browser, company.idp.answer(there, address())).status_code == 403


def test_sessions_end_with_what_vouched_for_them(company: Company, tmp_path: Path) -> None:
    body = {"label": "Second", "ssoURL": SSO, "entityID": ENTITY}
    made = company.owner.api.post(f"{company.path}/saml", body).json
    idp = IdentityProvider(tmp_path, requests.get(made["service"]["entityID"], timeout=10).text)
    path = f"{company.path}/saml/{made['id']}"
    active = company.owner.api.call("PATCH", path, {"certificate": idp.pem}).json
    second = Company(company.owner, active, idp, company.host)
    bystander = Browser(company.host.url)
    assert bystander.submit("/app/sign-in", "/app/sign-in", token=str(company.owner.api.token)).status_code == 303
    browser = second.sign_in(address())
    assert company.owner.api.call("PATCH", path, {"label": "Renamed"}).status == 200
    assert browser.ask("GET", "/app").status_code == 200
    assert company.owner.api.call("PATCH", path, {"certificate": company.idp.pem}).status == 200
    assert browser.ask("GET", "/app").status_code == 303
    assert company.owner.api.call("PATCH", path, {"certificate": idp.pem}).status == 200
    browser = second.sign_in(address())
    assert company.owner.api.call("DELETE", path).status == 204
    assert browser.ask("GET", "/app").status_code == 303
    assert bystander.ask("GET", "/app").status_code == 200


def test_an_invite_by_e_mail_gives_its_role_to_who_comes_by_single_sign_on(company: Company) -> None:
    email = address()
    body = {"emails": [email], "role": "review", "sso": True}
    assert company.owner.api.post(f"{company.path}/invites", body).json["invited"] == 1
    company.sign_in(email)
    (member,) = company.owner.api.get(f"{company.path}/members", search=email).json["items"]
    assert (member["role"], member["sso"]) == ("review", True)
    assert company.owner.api.call("PATCH", f"{company.path}/members/{member['id']}", {"role": "read"}).status == 200
    company.sign_in(email)  # the invite is used up
    (again,) = company.owner.api.get(f"{company.path}/members", search=email).json["items"]
    assert again["role"] == "read"


def sessions_of(browser: Browser) -> dict[str, str]:
    """Give the sessions that the account lists, with what their buttons say."""
    form = r'action="/app/sessions/(\w+)">.*?aria-label="([^"]+)"'
    return dict(re.findall(form, browser.ask("GET", "/app").text, re.DOTALL))


def test_a_session_is_ended_from_another_browser(company: Company) -> None:
    email = address()
    first, second = company.sign_in(email), company.sign_in(email)
    listed = sessions_of(first)
    (own,) = (row for row, said in listed.items() if said.endswith(", this browser"))
    (other,) = listed.keys() - {own}
    assert first.submit("/app", f"/app/sessions/{other}").status_code == 303
    assert second.ask("GET", "/app").headers["Location"] == "/app/sign-in"
    assert sessions_of(first).keys() == {own}
    assert first.submit("/app", f"/app/sessions/{own}").status_code == 303
    assert first.ask("GET", "/app").headers["Location"] == "/app/sign-in"


def test_signing_out_ends_the_session_for_whoever_kept_its_cookie(company: Company) -> None:
    email = address()
    first, second, thief = company.sign_in(email), company.sign_in(email), Browser(company.host.url)
    thief.cookies.set("devkit_session", second.cookies["devkit_session"], domain="127.0.0.1")
    assert thief.ask("GET", "/app").status_code == 200
    assert second.submit("/app", "/app/sign-out").status_code == 303
    assert "devkit_session" not in second.cookies
    assert thief.ask("GET", "/app").headers["Location"] == "/app/sign-in"
    assert first.ask("GET", "/app").status_code == 200


def test_a_session_is_over_after_its_time(company: Company, host: HostProcess) -> None:
    browser = company.sign_in(address())
    moment = "2026-01-01 00:00:00.000000"
    databases.ask(host.data, "UPDATE tokens SET expires_at = ? WHERE kind = 'session'", (moment,))
    assert browser.ask("GET", "/app").status_code == 303


def test_forms_of_other_sites_are_refused(company: Company, host: HostProcess, alpha: Tenant) -> None:
    browser = company.sign_in(address())
    code = re.search(r'name="csrf" value="(\w+)"', browser.ask("GET", "/app").text)[1]  # type: ignore[index]
    other = Browser(host.url)
    for headers, form in (
        ({"Origin": "https://evil.example"}, {"csrf": code}),
        ({"Origin": "null"}, {"csrf": code}),
        ({}, {"other": "x"}),
        ({}, {"csrf": "x" * 64}),
        ({"Origin": host.url}, {"csrf": ""}),
    ):
        answer = browser.ask("POST", "/app/sign-out", data=form, headers=headers)
        assert answer.status_code == 403 and "another site" in answer.text
    refused = other.ask("POST", "/app/sign-in", data={"csrf": code, "token": str(alpha.api.token)})
    assert refused.status_code == 403 and not refused.cookies.get("devkit_session")
    assert browser.ask("GET", "/app").status_code == 200
    assert browser.ask("POST", "/app/sign-out", json={"csrf": code}).status_code == 415


def test_a_token_signs_in_and_a_wrong_one_does_not(host: HostProcess) -> None:
    person = tenant(host, "Signing in", f"{new_id()}@example.com")
    browser = Browser(host.url)
    refused = browser.submit("/app/sign-in", "/app/sign-in", token="dk_wrong")
    assert refused.status_code == 403 and "unknown, revoked or expired" in refused.text
    done = browser.submit("/app/sign-in", "/app/sign-in", token=str(person.api.token), next="/app")
    assert done.headers["Location"] == "/app"
    (cookie,) = (one for one in browser.cookies if one.name == "devkit_session")
    assert cookie.has_nonstandard_attr("HttpOnly") and cookie.get_nonstandard_attr("SameSite") == "Lax"
    assert "Signing in" in browser.ask("GET", "/app").text
    answer = browser.ask("GET", "/app")
    assert (
        answer.headers["Cache-Control"] == "no-store"
        and "default-src 'none'" in answer.headers["Content-Security-Policy"]
    )


def test_an_invited_person_joins_in_a_browser(host: HostProcess, alpha: Tenant) -> None:
    email = address()
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": [email], "role": "comment"}).json
    place = made["links"][0]["url"].removeprefix(host.url)
    browser = Browser(host.url)
    page = browser.ask("GET", place)
    assert (
        "Join" in page.text and email in page.text and 'with the role <span class="badge">Comment</span>' in page.text
    )
    assert browser.submit(place, place, name="Grace\x00 Hopper").status_code == 303
    account = browser.ask("GET", "/app").text
    assert "Grace Hopper" in account and "comment" in account
    assert browser.ask("GET", place).status_code == 404


def test_an_invite_signs_in_whom_it_was_sent_to_for_its_organization_alone(host: HostProcess, alpha: Tenant) -> None:
    """Also who has an account already: whoever else got the link is them in that organization, and nowhere else."""
    email = f"{new_id().lower()}@elsewhere.example"
    own = tenant(host, "Their own", email)
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/invites", {"emails": [email], "role": "comment"}).json
    place = made["links"][0]["url"].removeprefix(host.url)
    browser = Browser(host.url)
    assert "account" not in browser.ask("GET", place).text  # nor does the page tell who has one
    assert browser.submit(place, place, name="Somebody else").status_code == 303
    account = browser.ask("GET", "/app").text
    assert email in account and "Somebody else" not in account and "comment" in account
    assert "Their own" not in account and browser.ask("GET", f"/app/orgs/{own.id}").status_code == 404
    (member,) = alpha.api.get(f"/v1/orgs/{alpha.id}/members", search=email).json["items"]
    assert member["user"]["id"] == own.user
    # Out of the organization, they are signed out of it as well.
    assert alpha.api.call("DELETE", f"/v1/orgs/{alpha.id}/members/{own.user}").status == 205
    assert browser.ask("GET", "/app").status_code == 303


def member_id(owner: Tenant, email: str) -> str:
    (member,) = owner.api.get(f"/v1/orgs/{owner.id}/members", search=email).json["items"]
    return str(member["id"])


def test_a_host_nobody_knows_is_opened_once(tmp_path: Path) -> None:
    started = HostProcess(tmp_path, "--json")
    started.start()
    try:
        first = json.loads((tmp_path / "host.log").read_text().splitlines()[0])["setupUrl"]
        place = first.removeprefix(started.url)
        browser = Browser(started.url)
        for wrong_place in (place[:-1] + "x", "/app/first/%C3%A9", "/app/first/%00"):
            assert browser.ask("GET", wrong_place).status_code == 404
        wrong = browser.submit(place, place, name="Ada", email="nobody", organization="Engines")
        assert wrong.status_code == 400 and "email" in wrong.text and 'value="Ada"' in wrong.text
        form = {"name": "Ada", "organization": "Engines"}

        def use(number: int) -> int:
            mine = Browser(started.url)
            return mine.submit(place, place, email=f"ada{number}@example.com", **form).status_code

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(use, range(2))) == [303, 404]
        assert browser.ask("GET", place).status_code == 404
    finally:
        assert started.stop() == 0


def test_what_an_identity_provider_opens_makes_no_token_for_more(company: Company, host: HostProcess) -> None:
    """A token is bound to the organization that the session is bound to, and so is what it makes itself."""
    email = f"{new_id().lower()}@example.com"
    elsewhere = tenant(host, "Elsewhere", email)
    before = {row["id"] for row in elsewhere.api.get("/v1/user/tokens").json["items"]}
    browser = company.sign_in(email)
    made = browser.submit("/app", "/app/tokens", title="Everything", days="never")
    found = re.search(r'value="(dk_[^"]+)"', made.text)
    assert found is not None, made.text
    bound = Api(host.url, found[1])
    again = Api(host.url, bound.post("/v1/user/tokens", {"title": "More", "expiresIn": None}).json["token"])
    for token in (bound, again):
        assert [one["id"] for one in token.get("/v1/orgs").json["items"]] == [company.owner.id]
        assert token.get(f"/v1/orgs/{elsewhere.id}").status == 404
        assert token.post("/v1/orgs", {"title": "Made for somebody else"}).status == 403
        # Nor does it know of the person's other tokens, let alone end them.
        assert before.isdisjoint(row["id"] for row in token.get("/v1/user/tokens").json["items"])
        assert token.call("DELETE", f"/v1/user/tokens/{next(iter(before))}").status == 204
    other = Browser(host.url)
    assert other.submit("/app/sign-in", "/app/sign-in", token=found[1]).status_code == 303
    assert "Elsewhere" not in other.ask("GET", "/app").text
    assert before <= {row["id"] for row in elsewhere.api.get("/v1/user/tokens").json["items"]}


def test_a_token_that_is_made_past_single_sign_on_does_not_show_more_than_the_session(
    company: Company, host: HostProcess, changed: Callable[..., None]
) -> None:
    browser = Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=reader(host, company.owner)[0]).status_code == 303
    changed(sso=True)
    made = browser.submit("/app", "/app/tokens", title="Around it", days="never")
    found = re.search(r'value="(dk_[^"]+)"', made.text)
    assert found is not None, made.text
    around = Api(host.url, found[1])
    again = Api(host.url, around.post("/v1/user/tokens", {"title": "More"}).json["token"])
    for token in (around, again):
        assert token.get("/v1/user").status == 200
        assert token.get(company.path).status == 404
    changed(sso=False)
    assert around.get(company.path).status == 200


def test_nobody_is_locked_out(company: Company, host: HostProcess, changed: Callable[..., None]) -> None:
    """The last identity provider stays while it is the only way in, and so does the last administrator with another."""
    changed(sso=True)
    provider = f"{company.path}/saml/{company.provider['id']}"
    for refused in (
        company.owner.api.call("PATCH", provider, {"certificate": ""}),
        company.owner.api.call("DELETE", provider),
    ):
        assert refused.status == 409 and "no administrator could sign in" in refused.json["error"]["message"]
    assert company.owner.api.get(provider).json["status"] == "active"
    elsewhere = company.owner.api.call("PATCH", company.path, {"emailDomains": ["elsewhere.example"]})
    assert (
        elsewhere.status == 400
        and "no administrator's e-mail address is in these domains" in elsewhere.json["error"]["message"]
    )
    changed(sso=False, emailDomains=["elsewhere.example"])  # keeps nobody out by itself
    assert company.owner.api.call("PATCH", company.path, {"sso": True}).status == 400
    changed(sso=True, emailDomains=["elsewhere.example", "Company.example"])
    alone = tenant(host, "Alone", address())
    refused = alone.api.post(f"/v1/orgs/{alone.id}/members/{alone.user}/sso")
    assert refused.status == 409 and "identity provider" in refused.text
    # Whoever is bound to single sign-on without a provider is no administrator to rely on.
    _, user = reader(host, alone)
    member = f"/v1/orgs/{alone.id}/members/{user}"
    assert alone.api.call("PATCH", member, {"role": "admin"}).status == 200
    assert alone.api.post(f"{member}/sso").json["sso"] is True
    assert alone.api.call("DELETE", f"/v1/orgs/{alone.id}/members/{alone.user}").status == 409
    assert alone.api.post(f"/v1/orgs/{alone.id}/members/{alone.user}/sso").status == 409
