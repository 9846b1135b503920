"""Addresses that forms are sent to, opened by themselves: by a reload after a refusal, or a bookmark."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from runtime.app import Application, create_app
from runtime.contract.identifiers import new_id
from runtime.settings import Settings
from runtime.store import secrets
from runtime.web.admin.browser import PATH
from tests import databases
from tests.conftest import HostProcess, Tenant, installed, tenant
from tests.scenarios.answers import ok
from tests.scenarios.browsing import Browser, signed_in
from tests.scenarios.people import reader

VALUE = re.compile(r"<(?:any\(([^)]*)\):)?(\w+)>")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    data = tmp_path_factory.mktemp("pages")
    secrets.use_keyring(secrets.load_keyring(data, None))
    with databases.opened(data, "sqlite"):
        pass
    app = create_app(Settings(data=str(data), sandbox="off"))
    yield app
    app.close()


def methods_of(app: Application) -> dict[str, set[str]]:
    """Give the methods of each address below `/app`."""
    methods: dict[str, set[str]] = {}
    for rule in app.flask.url_map.iter_rules():
        if f"{rule.rule}/".startswith(f"{PATH}/"):
            methods.setdefault(rule.rule, set()).update(rule.methods or ())
    return methods


def sent_to(app: Application) -> list[str]:
    """Give the addresses that take forms and have no page of their own."""
    rules = app.flask.url_map.iter_rules()
    return sorted(rule.rule for rule in rules if rule.endpoint.startswith("page of the form "))


def test_each_address_that_takes_a_form_may_be_opened(app: Application) -> None:
    methods = methods_of(app)
    assert [rule for rule, found in methods.items() if "POST" in found and "GET" not in found] == []
    assert len(sent_to(app)) > 25


@pytest.fixture(scope="module")
def own(host: HostProcess) -> Tenant:
    return tenant(host, "Forms", f"{new_id()}@example.com")


@pytest.fixture(scope="module")
def names(own: Tenant) -> dict[str, str]:
    """Give what each value in an address names; what a form is about (a link, a person) may be gone meanwhile."""
    one = installed(own, scopes=["space:content:read"])
    at = f"/v1/orgs/{own.id}"
    site = ok(own.api.post(f"{at}/sites", {"title": "Docs", "spaces": "sample"}), 201)["id"]
    visitors = {"visibility": "visitor-auth", "visitorAuth": {"backend": "custom"}}
    ok(own.api.call("PATCH", f"{at}/sites/{site}", visitors))
    [part] = ok(own.api.get(f"{at}/sites/{site}/site-spaces"))["items"]
    change = ok(own.api.post(f"/v1/spaces/{one.space}/change-requests", {"subject": "New"}), 201)["id"]
    return {
        "organization": own.id,
        "name": one.name,
        "site": site,
        "space": one.space,
        "change_request": change,
        "team": ok(own.api.call("PUT", f"{at}/teams", {"title": "Team", "members": []}), 201)["id"],
        "collection": ok(own.api.post(f"{at}/collections", {"title": "Guides"}), 201)["id"],
        "part": part["id"],
    }


def written(rule: str, names: dict[str, str]) -> str:
    """Write an address of a rule."""

    def value(found: re.Match[str]) -> str:
        if found[1]:
            choices = [choice.strip(" '") for choice in found[1].split(",")]
            return "spaces" if "spaces" in choices else choices[0]
        if found[2] == "one":
            return names["collection" if "/collections/" in rule else "space"]
        return names.get(found[2], "gone")

    return VALUE.sub(value, rule)


def test_they_lead_to_the_page_of_their_form(
    host: HostProcess, app: Application, own: Tenant, names: dict[str, str]
) -> None:
    admin, led = signed_in(host, own.api.token), {}
    for rule in sent_to(app):
        answer = admin.ask("GET", written(rule, names))
        place = answer.headers.get("Location", "")
        led[rule] = (answer.status_code, place)
        if "/imports/" in rule:  # there is none
            assert answer.status_code == 404
            continue
        assert answer.status_code == 303 and written(rule, names).startswith(place), (rule, answer.text)
        assert answer.headers["Cache-Control"] == "no-store"
        shown = admin.ask("GET", place)
        assert shown.status_code == 200 and 'method="post"' in shown.text, rule
    assert led["/app/tokens"] == led["/app/sign-out"] == (303, "/app")
    links = "/app/orgs/<organization>/invites/links/<link>"
    assert led[links] == (303, f"/app/orgs/{own.id}/invites")
    assert led["/app/spaces/<one>/move"] == (303, f"/app/spaces/{names['space']}")


def test_they_show_nobody_more_than_the_page_of_the_form(
    host: HostProcess, app: Application, own: Tenant, names: dict[str, str], alpha: Tenant
) -> None:
    stranger, member, nobody = (
        signed_in(host, alpha.api.token),
        signed_in(host, reader(host, own)[0]),
        Browser(host.url),
    )
    nobody.ask("GET", "/app/sign-in")
    for rule in sent_to(app):
        path = written(rule, names)
        if "<" in rule and "/sessions/" not in rule:
            assert stranger.ask("GET", path).status_code == 404, rule
        answer = nobody.ask("GET", path)
        while answer.headers["Location"] in path:
            answer = nobody.ask("GET", answer.headers["Location"])
        assert answer.headers["Location"].startswith("/app/sign-in"), rule
    for path in ("invites/links", "invites/links/x", f"sites/{names['site']}/share-links/x"):
        assert member.ask("GET", f"/app/orgs/{own.id}/{path}").status_code == 403, path
    made_up = dict.fromkeys(names, "made-up")
    for rule in sent_to(app):
        theirs, nowhere = (nobody.ask("GET", written(rule, of)) for of in (names, made_up))
        assert theirs.status_code == nowhere.status_code == 303, rule


def test_a_page_of_a_space_with_the_same_path_comes_first(
    host: HostProcess, own: Tenant, names: dict[str, str]
) -> None:
    at = f"/v1/spaces/{names['space']}"
    change = ok(own.api.post(f"{at}/change-requests", {"subject": "A page"}), 201)["id"]
    new = {"type": "insert_page", "title": "Move", "document": {"markdown": "How to move."}}
    [added] = ok(own.api.post(f"{at}/change-requests/{change}/content", {"changes": [new]}))["added"]
    ok(own.api.post(f"{at}/change-requests/{change}/merge"))
    place, admin = f"/app/spaces/{names['space']}", signed_in(host, own.api.token)
    assert admin.ask("GET", f"{place}/move").headers["Location"] == f"{place}/pages/{added}"
    assert admin.ask("GET", f"{place}/duplicate").headers["Location"] == place


def test_a_refused_form_is_reloaded(host: HostProcess, own: Tenant) -> None:
    admin, page = signed_in(host, own.api.token), f"/app/orgs/{own.id}/members"
    refused = admin.submit(page, f"{page}/{own.user}?search=a%26b&page=", role="read")
    assert refused.status_code == 409
    assert admin.ask("GET", str(refused.url)).headers["Location"] == f"{page}?search=a%26b&page="


def test_the_other_forms_of_a_page_with_a_refused_one_are_sent_where_they_belong(
    host: HostProcess, own: Tenant, names: dict[str, str]
) -> None:
    admin, home = signed_in(host, own.api.token), f"/app/orgs/{own.id}"
    team, guides = f"{home}/teams/{names['team']}", f"/app/collections/{names['collection']}"
    for page, sent, form in (
        (f"{home}/invites", "links", {"role": "nobody"}),
        (team, "members", {"people": "nobody@example.com"}),
        (f"{guides}/access", "users/gone", {"role": "read"}),
        (guides, "move", {"parent": "nowhere"}),
    ):
        refused = admin.submit(page, f"{page}/{sent}", **form)
        assert refused.status_code >= 400, page
        forms = re.findall(r'<form[^>]* method="post"[^>]*>', refused.text)
        assert len(forms) >= 2 and [one for one in forms if "action=" not in one] == [], page
