"""What people do on the pages of their organizations: the same rights and errors as over the API."""

from __future__ import annotations

import re

import pytest
import requests

from runtime.contract.identifiers import new_id
from tests.conftest import Api, HostProcess, Tenant, publication, tenant, wait_for
from tests.scenarios.browsing import Browser, alert, signed_in
from tests.scenarios.people import person, reader

SIGN_OUT = '<form method="post" action="/app/sign-out">'


@pytest.fixture(scope="module")
def owner(host: HostProcess) -> Tenant:
    return tenant(host, "Operators", f"{new_id()}@example.com")


@pytest.fixture(scope="module")
def admin(host: HostProcess, owner: Tenant) -> Browser:
    return signed_in(host, owner.api.token)


def test_settings_are_saved_and_what_is_refused_stays_typed(admin: Browser, owner: Tenant) -> None:
    home = f"/app/orgs/{owner.id}"
    form = {"title": "Ops <b>", "defaultRole": "none", "emailDomains": "a.example\r\nb.example", "inviteLinks": "on"}
    assert admin.submit(home, home, **form).headers["Location"] == home
    found = owner.api.get(f"/v1/orgs/{owner.id}").json
    assert (found["title"], found["defaultRole"], found["emailDomains"]) == (
        "Ops <b>",
        None,
        ["a.example", "b.example"],
    )
    assert (found["inviteLinks"], found["sso"]) == (True, False)
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "First"}).json["id"]
    more = {"hostname": f"h{owner.id.lower()}", "logo": "https://pictures.example/logo.png", "defaultSite": site}
    assert f'<option value="{site}">First</option>' in admin.ask("GET", home).text
    assert admin.submit(home, home, **form, **more).headers["Location"] == home
    found = owner.api.get(f"/v1/orgs/{owner.id}").json
    shown = (found["hostname"], found["urls"]["logo"], found["defaultContent"])
    assert shown == (more["hostname"], more["logo"], {"type": "site", "site": site})
    page = admin.ask("GET", home).text
    assert f'<option value="{site}" selected>First</option>' in page and more["logo"] in page
    said = alert(admin.submit(home, home, **form, hostname="No Name"))
    assert said == (
        "Hostname: must be 3 to 32 lowercase letters, digits and hyphens, with a letter or digit at both ends, "
        "such as my-company"
    )
    assert admin.submit(home, home, **form).headers["Location"] == home
    found = owner.api.get(f"/v1/orgs/{owner.id}").json
    assert found["hostname"] == more["hostname"] and "logo" not in found["urls"] and "defaultContent" not in found
    assert "Ops &lt;b&gt;" in admin.ask("GET", home).text
    refused = admin.submit(home, home, **{**form, "title": "Typed", "emailDomains": "not a domain!"})
    assert refused.status_code == 400 and 'value="Typed"' in refused.text
    assert alert(refused).startswith("E-mail domains, number 1: must be a domain such as example.com")
    assert admin.submit(home, home, title="No role").status_code == 400
    assert owner.api.get(f"/v1/orgs/{owner.id}").json["title"] == "Ops <b>"


def test_who_administers_nothing_sees_no_form_and_is_refused(host: HostProcess, owner: Tenant, alpha: Tenant) -> None:
    token, me = reader(host, owner)
    mine, home = signed_in(host, token), f"/app/orgs/{owner.id}"
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Seen"}).json["id"]
    team = owner.api.call("PUT", f"/v1/orgs/{owner.id}/teams", {"title": "Seen", "members": [me]}).json["id"]
    text = {"source": {"text": "openapi: 3.1.0"}}
    assert owner.api.call("PUT", f"/v1/orgs/{owner.id}/openapi/seen", text).status == 201
    pages = [
        home,
        f"{home}/members",
        f"{home}/teams",
        f"{home}/teams/{team}",
        f"{home}/openapi",
        f"{home}/openapi/seen",
        f"{home}/content",
        f"/app/spaces/{space}",
    ]
    for page in pages:
        shown = mine.ask("GET", page)
        assert shown.status_code == 200, page
        assert re.findall(r'<form[^>]* method="post"[^>]*>', shown.text) == [SIGN_OUT], page
    for page in (f"{home}/invites", f"{home}/sso", f"/app/spaces/{space}/access"):
        shown = mine.ask("GET", page)
        assert shown.status_code == 403, page
        assert "This needs the role Admin" in shown.text and "your role is Read. Ask" in shown.text, page
        assert "token" not in shown.text, page
    nowhere = mine.ask("GET", "/app/spaces/nope")
    assert nowhere.status_code == 404 and "There is no space `nope`, or you may not see it." in nowhere.text
    for page in (home, f"{home}/teams/{team}", f"{home}/teams/{team}/delete", f"/app/spaces/{space}/delete"):
        assert mine.submit("/app", page, title="Taken over", defaultRole="admin").status_code == 403, page
    assert mine.submit("/app", f"{home}/members/{me}", role="admin").status_code == 403
    # Another organization is not there at all.
    other = f"/app/orgs/{alpha.id}"
    for page in (other, f"{other}/members", f"{other}/teams", f"{other}/content", f"{other}/sso", f"{other}/invites"):
        assert mine.ask("GET", page).status_code == 404, page
    assert mine.submit("/app", other, title="Taken over").status_code == 404


def test_members_are_found_changed_and_removed(admin: Browser, host: HostProcess, owner: Tenant) -> None:
    page, user = f"/app/orgs/{owner.id}/members", reader(host, owner)[1]
    found = admin.ask("GET", page, params={"search": user, "role": "read"})
    assert "1 member<" in found.text and f"{user}@example.com" in found.text
    assert "Nobody matches" in admin.ask("GET", page, params={"search": user, "role": "admin"}).text
    back = admin.submit(page, f"{page}/{user}?search={user}", role="edit").headers["Location"]
    assert back == f"{page}?search={user}#role-{user}" and f'id="role-{user}"' in admin.ask("GET", back).text
    back = admin.submit(page, f"{page}/{user}?role=edit", role="review").headers["Location"]
    assert back == f"{page}?role=edit#found"  # where nobody has that role any more
    assert admin.submit(page, f"{page}/{user}", role="edit").headers["Location"] == f"{page}#role-{user}"
    assert owner.api.get(f"/v1/orgs/{owner.id}/members/{user}").json["role"] == "edit"
    last = admin.submit(page, f"{page}/{owner.user}", role="read")
    assert last.status_code == 409 and "last administrator" in alert(last)
    asked = admin.ask("GET", f"{page}/{user}/remove")
    assert "Remove Reader?" in asked.text
    assert owner.api.get(f"/v1/orgs/{owner.id}/members/{user}").status == 200
    assert admin.submit(page, f"{page}/{user}/remove").headers["Location"] == page
    assert owner.api.get(f"/v1/orgs/{owner.id}/members/{user}").status == 404
    leaving = admin.submit(page, f"{page}/{owner.user}/remove")
    assert leaving.status_code == 409 and "Leave" in leaving.text


def test_people_are_invited_and_links_handed_on(admin: Browser, host: HostProcess, owner: Tenant) -> None:
    owner.api.call("PATCH", f"/v1/orgs/{owner.id}", {"inviteLinks": True})
    page, email = f"/app/orgs/{owner.id}/invites", f"{new_id().lower()}@example.com"
    refused = admin.submit(page, page, emails="nobody", role="read")
    assert refused.status_code == 400 and ">nobody</textarea>" in refused.text
    assert alert(refused) == "E-mail addresses, number 1: must be an e-mail address such as name@example.com"
    came = admin.submit(page, page, emails=f"{email},\n{owner.user}@example.com", role="comment").text
    listed = admin.ask("GET", page).text
    assert f"<bdi>{email}</bdi>" in listed and "Not accepted yet" in listed
    question = f"{page}/pending/{owner.user.lower()}%40example.com/withdraw"
    assert question in listed and "Withdraw this invite?" in admin.ask("GET", question).text
    assert admin.submit(question, question).headers["Location"] == page
    assert [one["email"] for one in owner.api.get(f"/v1/orgs/{owner.id}/email-invites").json["items"]] == [email]
    place = re.search(rf"<dt>{email}</dt><dd><code>{host.url}([^<]+)", came)
    assert place is not None and "2 people are invited" in came
    guest = Browser(host.url)
    assert 'with the role <span class="badge">Comment</span>' in guest.ask("GET", place[1]).text
    assert guest.submit(place[1], place[1], name="Ida").status_code == 303
    assert f'href="/app/orgs/{owner.id}"' in guest.ask("GET", "/app").text
    assert admin.submit(page, f"{page}/links", role="read").status_code == 303
    (link,) = owner.api.get(f"/v1/orgs/{owner.id}/link-invites").json["items"]
    assert admin.submit(page, f"{page}/links/{link['id']}", role="none").status_code == 303
    assert owner.api.get(f"/v1/orgs/{owner.id}/link-invites/{link['id']}").json["role"] is None
    assert link["urls"]["app"] in admin.ask("GET", f"{page}/links/{link['id']}/delete").text
    assert admin.submit(page, f"{page}/links/{link['id']}/delete").status_code == 303
    assert owner.api.get(f"/v1/orgs/{owner.id}/link-invites").json["items"] == []


@pytest.mark.parametrize("name", ["a/b", "//", "..", "a/withdraw", "q?x", "p%2f"])
def test_invites_to_odd_addresses_are_withdrawn_on_their_page(admin: Browser, owner: Tenant, name: str) -> None:
    page, email = f"/app/orgs/{owner.id}/invites", f"{name}@{new_id().lower()}.example.com"
    assert owner.api.post(f"/v1/orgs/{owner.id}/invites", {"emails": [email]}).status == 200
    pending = admin.ask("GET", page).text
    (question,) = re.findall(rf'href="([^"]+)" aria-label="Withdraw the invite to {re.escape(email)}"', pending)
    assert email in admin.ask("GET", question).text
    assert admin.submit(question, question).headers["Location"] == page
    assert email not in admin.ask("GET", page).text


def test_guests_and_members_leave(host: HostProcess) -> None:
    own = tenant(host, "Left", f"{new_id()}@example.com")
    assert own.api.call("PATCH", f"/v1/orgs/{own.id}", {"inviteLinks": True}).status == 200
    link = own.api.post(f"/v1/orgs/{own.id}/link-invites", {"role": "admin"}).json["id"]
    for role in (None, "edit"):
        somebody = person(host, own, role)
        browser = signed_in(host, somebody.api.token)
        assert f"/app/leave/{own.id}" in browser.ask("GET", "/app").text
        assert "Leave Left?" in browser.ask("GET", f"/app/leave/{own.id}").text
        assert browser.submit(f"/app/leave/{own.id}", f"/app/leave/{own.id}").headers["Location"] == "/app"
        assert "Left" not in browser.ask("GET", "/app").text
        assert browser.ask("GET", f"/app/leave/{own.id}").status_code == 404
        assert own.api.get(f"/v1/orgs/{own.id}/members/{somebody.id}").status == 404
    # Who never administered anything takes nothing along that others made.
    assert own.api.get(f"/v1/orgs/{own.id}/link-invites/{link}").status == 200
    last = signed_in(host, own.api.token)
    refused = last.submit(f"/app/leave/{own.id}", f"/app/leave/{own.id}")
    assert refused.status_code == 409 and "last administrator" in alert(refused)


def test_specifications_are_added_looked_at_and_deleted(admin: Browser, owner: Tenant) -> None:
    page, api, slug = f"/app/orgs/{owner.id}/openapi", f"/v1/orgs/{owner.id}/openapi", f"s-{new_id().lower()}"
    refused = admin.submit(page, page, slug="Not So", url="http://10.0.0.1/")
    assert refused.status_code == 400 and "Name: must be" in alert(refused) and 'value="Not So"' in refused.text
    assert "Address: must be" in alert(admin.submit(page, page, slug=slug, url="file:///etc/passwd"))
    one = admin.submit(page, page, slug=slug, url="http://10.0.0.1/<b>").headers["Location"]
    assert one == f"{page}/{slug}"
    wait_for(lambda: owner.api.get(f"{api}/{slug}").json["processingState"] == "complete")
    for shown in (admin.ask("GET", page).text, admin.ask("GET", one).text):
        assert "It could not be fetched" in shown and "private network" in shown and "<b>" not in shown
    before = owner.api.get(f"{api}/{slug}").json["updatedAt"]
    assert admin.submit(one, one, url="http://10.0.0.1/<b>").headers["Location"] == one
    assert owner.api.get(f"{api}/{slug}").json["updatedAt"] > before
    text = {"source": {"text": "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {}"}}
    assert owner.api.call("PUT", f"{api}/{slug}", text).status == 200
    version = wait_for(lambda: owner.api.get(f"{api}/{slug}").json.get("lastVersion"))
    shown = admin.ask("GET", one).text
    assert "Ready" in shown and "An uploaded file" in shown
    given = admin.ask("GET", f"{one}/versions/{version}")
    assert given.headers["Content-Disposition"] == f'attachment; filename="{slug}.json"'
    assert given.json()["filesystem"]["openapi.yaml"]["info"]["title"] == "A"
    assert admin.submit(f"{one}/delete", f"{one}/delete").headers["Location"] == page
    assert owner.api.get(f"{api}/{slug}").status == 404
    assert admin.submit(page, one, url="https://a.example/").status_code == 404
    assert owner.api.get(f"{api}/{slug}").status == 404


def test_teams_are_made_and_led(admin: Browser, host: HostProcess, owner: Tenant) -> None:
    page = f"/app/orgs/{owner.id}/teams"
    token, user = reader(host, owner)
    assert admin.submit(page, page, title="").status_code == 400
    team = admin.submit(page, page, title="Writers & <b>").headers["Location"]
    api = f"/v1/orgs/{owner.id}/teams/{team.rsplit('/', 1)[1]}"
    assert "Writers &amp; &lt;b&gt;" in admin.ask("GET", page).text
    refused = admin.submit(team, f"{team}/members", people="nobody@example.com")
    assert refused.status_code == 400 and "not a member" in alert(refused) and ">nobody@example.com<" in refused.text
    assert admin.submit(team, f"{team}/members", people=f"{user}@example.com").status_code == 303
    assert admin.submit(team, f"{team}/members/{user}", role="owner").status_code == 303
    # Who owns a team manages its members, and does not delete it.
    lead = signed_in(host, token)
    shown = lead.ask("GET", team).text
    assert "Add members" in shown and "Delete team" not in shown
    assert lead.submit(team, f"{team}/members", people=owner.user).status_code == 303
    assert lead.submit(team, f"{team}/members/{owner.user}/remove").status_code == 303
    assert lead.submit(team, f"{team}/delete").status_code == 403
    assert admin.submit(team, team, title="Editors").status_code == 303
    assert owner.api.get(api).json["title"] == "Editors"
    assert "Delete the team Editors?" in admin.ask("GET", f"{team}/delete").text
    assert admin.submit(team, f"{team}/delete").headers["Location"] == page
    assert owner.api.get(api).status == 404


def test_teams_of_equal_titles_are_told_apart(admin: Browser, owner: Tenant) -> None:
    home, body = f"/v1/orgs/{owner.id}", {"title": "Two of us", "members": []}
    teams = [owner.api.call("PUT", f"{home}/teams", body).json["id"] for _ in range(2)]
    space = owner.api.post(f"{home}/spaces", {"title": "Theirs"}).json["id"]
    for team in teams:
        granted = owner.api.post(f"/v1/spaces/{space}/permissions", {"teams": [team], "role": "edit"})
        assert granted.status == 204, granted.text
    for page in (f"/app/orgs/{owner.id}/teams", f"/app/orgs/{owner.id}/sso", f"/app/spaces/{space}/access"):
        shown = admin.ask("GET", page).text
        assert all(f"Two of us ({team})" in shown for team in teams) and ">Two of us<" not in shown, page
    assert all(f'aria-label="Level of Two of us ({team})"' in shown for team in teams)


def test_identity_providers_are_set_up(admin: Browser, owner: Tenant) -> None:
    page = f"/app/orgs/{owner.id}/sso"
    refused = admin.submit(page, page, label="Company", ssoURL="not an address", defaultRole="read")
    assert (
        refused.status_code == 400
        and "Sign-in address (SSO URL): " in alert(refused)
        and 'value="not an address"' in refused.text
    )
    one = admin.submit(page, page, label="Company", defaultRole="none").headers["Location"]
    shown = admin.ask("GET", one).text
    provider = one.rsplit("/", 1)[1]
    assert f"/saml/{provider}/acs" in shown and f"/saml/{provider}/start" in shown and "not ready" in shown
    form = {"label": "Firm", "ssoURL": "https://idp.example/sso", "entityID": "urn:idp", "defaultRole": "edit"}
    assert admin.submit(one, one, **form).status_code == 303
    found = owner.api.get(f"/v1/orgs/{owner.id}/saml/{provider}").json
    assert (found["label"], found["defaultRole"], found["ssoURL"]) == ("Firm", "edit", "https://idp.example/sso")
    assert "Remove Firm?" in admin.ask("GET", f"{one}/remove").text
    assert admin.submit(one, f"{one}/remove").headers["Location"] == page
    assert admin.ask("GET", one).status_code == 404


def test_tokens_are_shown_once_and_revoked(host: HostProcess, owner: Tenant) -> None:
    mine = signed_in(host, reader(host, owner)[0])
    refused = mine.submit("/app", "/app/tokens", title=" ", days="7")
    assert refused.status_code == 400 and "What it is for: " in alert(refused)
    assert mine.submit("/app", "/app/tokens", title="Odd", days="soon").status_code == 400
    made = mine.submit("/app", "/app/tokens", title="Build <b>", days="never")
    token = re.search(r'value="(dk_[^"]+)"', made.text)
    assert token is not None and "Build &lt;b&gt;" in made.text
    api = Api(host.url, token[1])
    (row,) = (one for one in api.get("/v1/user/tokens").json["items"] if one["current"])
    assert row["expiresAt"] is None and token[1] not in mine.ask("GET", "/app").text
    asked = f"/app/tokens/{row['id']}/revoke"
    assert "Revoke Build" in mine.ask("GET", asked).text and api.get("/v1/user").status == 200
    assert mine.submit("/app", asked).headers["Location"] == "/app"
    assert api.get("/v1/user").status == 401


def test_odd_addresses_and_forms_are_answered(admin: Browser, owner: Tenant) -> None:
    home = f"/app/orgs/{owner.id}"
    for path, status in (
        (f"{home}/members?page=zzz", 400),
        (f"{home}/members?role=king", 400),
        (f"{home}/members?search={'x' * 300}", 400),
        (f"{home}/teams?title=%00", 400),
        ("/app/orgs/%00", 404),
        ("/app/spaces/%0d%0aX:y", 404),
        (f"/app/spaces/{'x' * 3000}", 404),
        (f'{home}/content?parent="><script>', 200),
    ):
        answer = admin.ask("GET", path)
        assert answer.status_code == status and "<script" not in answer.text, path
    forms: list[tuple[str, dict[str, str], int]] = [
        ("/teams", {f"f{number}": "x" for number in range(300)}, 400),
        ("/teams", {"title": "x" * 80_000}, 413),
        ("", {"title": "\x00\x00", "defaultRole": "read"}, 400),
        ("/content/space", {"title": "\u200b\u200b"}, 400),
        ("/invites", {"emails": "a@b.example " * 101, "role": "read"}, 400),
        ("/invites", {"emails": " , ;"}, 400),
        ("/teams/%0d%0aX:y", {"title": "x"}, 404),
    ]
    for path, form, status in forms:
        assert admin.submit("/app", home + path, **form).status_code == status, path


def test_pages_of_a_site_answer_with_the_status_of_what_was_refused(admin: Browser, owner: Tenant) -> None:
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "Handbook"}).json["id"]
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Statuses", "spaces": [space]}).json["id"]
    [part] = owner.api.get(f"/v1/orgs/{owner.id}/sites/{site}/site-spaces").json["items"]
    at = f"/app/orgs/{owner.id}/sites/{site}/redirects"
    form = {"source": "/old", "target": f"site-space {part['id']}"}
    assert admin.submit(at, at, **form).headers["Location"] == at
    again = admin.submit(at, at, **form)
    assert again.status_code == 409 and 'value="/old"' in again.text and alert(again)
    assert admin.submit(at, at, **{**form, "source": "no path"}).status_code == 400


PEOPLE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_the_bare_address_leads_people_to_the_integrations(admin: Browser, owner: Tenant, host: HostProcess) -> None:
    door = requests.get(host.url, headers=PEOPLE, allow_redirects=False, timeout=20)
    assert (door.status_code, door.headers["Location"], door.headers["Vary"]) == (303, "/app/integrations", "Accept")
    assert requests.get(host.url, headers=PEOPLE, timeout=20).url == f"{host.url}/app/sign-in?next=/app/integrations"
    stranger = Browser(host.url)
    answer = stranger.submit(
        "/app/sign-in?next=/app/integrations", "/app/sign-in", token=str(owner.api.token), next="/app/integrations"
    )
    assert answer.headers["Location"] == "/app/integrations"
    assert admin.ask("GET", "/app/integrations").headers["Location"] == f"/app/orgs/{owner.id}/integrations"


@pytest.mark.parametrize("headers", [{}, {"Accept": "*/*"}, {"Accept": "application/json"}])
def test_programs_are_told_that_nothing_is_at_the_bare_address(headers: dict[str, str], host: HostProcess) -> None:
    answer = requests.get(host.url, headers={"Accept": None, **headers}, timeout=20)  # type: ignore[dict-item]
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404)


def test_who_is_in_several_organizations_chooses(host: HostProcess) -> None:
    email = f"{new_id()}@example.com"
    one, two = tenant(host, "One of two", email), tenant(host, "Two of two", email)
    page = signed_in(host, two.api.token).ask("GET", "/app/integrations")
    assert page.status_code == 200
    assert all(f'href="/app/orgs/{owner.id}/integrations"' in page.text for owner in (one, two))


def test_scripts_for_which_pages_of_a_site_have_no_room_are_named(admin: Browser, owner: Tenant) -> None:
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "Crowded"}).json["id"]
    assert owner.api.post(f"/v1/orgs/{owner.id}/sites/{site}/publish").status == 200
    at = f"/app/orgs/{owner.id}/sites/{site}"
    for place in range(3):
        sources = " ".join(f"https://a{place}-{number}.example.com" for number in range(200))
        name, more = f"crowded-{new_id()[:8].lower()}", {"scopes": ["site:script:inject"], "target": "site"}
        body = publication(owner.id, blocks=[], contentSecurityPolicy=f"connect-src {sources}", **more)
        assert owner.api.post(f"/v1/integrations/{name}", {**body, "title": f"Crowd {place}"}).status == 200
        assert "too long together" not in admin.ask("GET", at).text
        made = owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id}).json["id"]
        on_it = owner.api.post(f"/v1/integrations/{name}/installations/{made}/sites", {"siteId": site})
        assert on_it.status == 201
    assert "without the scripts of <bdi>Crowd 2</bdi>. Uninstall" in admin.ask("GET", at).text
    shown = requests.get(f"{owner.api.url}/sites/{site}/", timeout=30)
    policy = shown.headers["Content-Security-Policy"]
    assert shown.status_code == 200 and "https://a1-99." in policy and "https://a2-" not in policy
    assert shown.text.count("/published-script/") == 2
