"""Pages for the people of an organization: by keyboard, in light and dark, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from runtime.contract.identifiers import new_id
from tests.browser.admin_places import Places, furnish
from tests.browser.axe_rules import AXE, VIOLATIONS
from tests.conftest import HostProcess, Tenant, tenant, wait_for
from tests.contract.requests_table import SPECIFICATION
from tests.scenarios.elsewhere import packed
from tests.scenarios.people import reader

ODD = ("<b>Quarter</b> עברית عربى " + "long" * 60)[:255]
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 800}


@dataclass
class World:
    """An organization with something on every page; `places` are the pages of who is signed in."""

    host: HostProcess
    owner: Tenant
    invite: str
    member: str
    team: str
    provider: str
    collection: str
    space: str
    said: dict[str, str]
    deleted: str
    places: Places

    @property
    def outside(self) -> dict[str, str]:
        """Name -> address of the pages that need no session."""
        return {"sign in": "/app/sign-in", "join": self.invite, "nothing": "/app/join/a/b"}

    @property
    def inside(self) -> dict[str, str]:
        """Name -> address of the pages of somebody who signed in."""
        return {"account": "/app", **self.people, **self.content, **self.places.pages}

    @property
    def people(self) -> dict[str, str]:
        """The pages of an organization and of its people."""
        home = f"/app/orgs/{self.owner.id}"
        return {
            "organization": home,
            "members": f"{home}/members",
            "nobody found": f"{home}/members?search=nobody",
            "removal of a member": f"{home}/members/{self.member}/remove",
            "invites": f"{home}/invites",
            "teams": f"{home}/teams",
            "team": f"{home}/teams/{self.team}",
            "deletion of a team": f"{home}/teams/{self.team}/delete",
            "specifications": f"{home}/openapi",
            "specification that failed": f"{home}/openapi/wrong",
            "specification": f"{home}/openapi/right",
            "deletion of a specification": f"{home}/openapi/right/delete",
            "identity providers": f"{home}/sso",
            "identity provider": f"{home}/sso/{self.provider}",
            "removal of an identity provider": f"{home}/sso/{self.provider}/remove",
        }

    @property
    def content(self) -> dict[str, str]:
        """The pages of collections and spaces."""
        home, collection, space = (
            f"/app/orgs/{self.owner.id}/content",
            f"/app/collections/{self.collection}",
            f"/app/spaces/{self.space}",
        )
        return {
            "content": home,
            "a deleted space": f"{home}/deleted/{self.deleted}",
            "collection": collection,
            "access to a collection": f"{collection}/access",
            "deletion of a collection": f"{collection}/delete",
            "space": space,
            "access to a space": f"{space}/access",
            "everybody on a space": f"{space}/access/everybody",
            "deletion of a space": f"{space}/delete",
            "pages": f"{space}/pages",
            "page": f"{space}/pages/odd",
            "group": f"{space}/pages/group",
            "revision": f"{space}/revisions/{self.said['revision']}",
            "change requests": f"{space}/change-requests",
            "merged change requests": f"{space}/change-requests?status=merged",
            "change request": f"{space}/change-requests/{self.said['open']}",
            "imports": f"{space}/imports",
            "import": f"{space}/imports/{self.said['imported']}",
            "import that failed": f"{space}/imports/{self.said['failed']}",
        }


@pytest.fixture(scope="module")
def world(host: HostProcess) -> World:
    owner = tenant(host, "An organization with a rather long name", f"{new_id()}@example.com")
    made = owner.api.post(f"/v1/orgs/{owner.id}/invites", {"emails": [f"{new_id().lower()}@example.com"]}).json
    invite = made["links"][0]["url"].removeprefix(host.url)
    organization = f"/v1/orgs/{owner.id}"
    change = {"inviteLinks": True, "emailDomains": ["example.com"], "title": ODD}
    assert owner.api.call("PATCH", organization, change).status == 200
    assert owner.api.post(f"{organization}/link-invites", {"role": "read"}).status == 201
    member = reader(host, owner)[1]
    team = owner.api.call("PUT", f"{organization}/teams", {"title": ODD[:64], "members": [member]}).json["id"]
    for slug, text in (("right", SPECIFICATION), ("wrong", f"openapi: {'long' * 50}")):
        assert owner.api.call("PUT", f"{organization}/openapi/{slug}", {"source": {"text": text}}).status == 201
        wait_for(lambda at=f"{organization}/openapi/{slug}": owner.api.get(at).json["processingState"] == "complete")
    provider = owner.api.post(f"{organization}/saml", {"label": "Company <b>", "defaultTeam": team}).json["id"]
    top = owner.api.post(f"{organization}/collections", {"title": ODD[:50]}).json["id"]
    inner = owner.api.post(f"{organization}/collections", {"title": "x" * 50, "parent": top}).json["id"]
    space = owner.api.post(f"{organization}/spaces", {"title": ODD[:50], "parent": inner}).json["id"]
    deleted = owner.api.post(f"{organization}/spaces", {"title": "Deleted"}).json["id"]
    assert owner.api.call("DELETE", f"/v1/spaces/{deleted}").status == 205
    given = {"users": [member], "teams": [team], "role": "edit"}
    for place in (f"/v1/spaces/{space}", f"/v1/collections/{inner}"):
        assert owner.api.post(f"{place}/permissions", given).status == 204
    return World(host, owner, invite, member, team, provider, inner, space, said(owner, space), deleted, furnish(owner))


def said(owner: Tenant, space: str) -> dict[str, str]:
    """Give a space pages, and a change request that waits."""
    at, made = f"/v1/spaces/{space}/change-requests", {}
    text = f"# {ODD}\n\n" + "A long line of words. " * 30 + "\n\n```\n" + "x" * 300 + "\n```\n"
    pages = [
        {"type": "insert_page", "page": "group", "id": "group", "title": ODD},
        {"type": "insert_page", "id": "odd", "title": ODD, "description": ODD, "document": {"markdown": text}},
        {"type": "insert_page", "title": "Inside", "hidden": True, "position": {"parent": "odd"}},
        {"type": "set_variables", "variables": {"version": "1"}},
    ]
    edits = [
        {"type": "update_page", "id": "odd", "document": {"markdown": "Other."}},
        {"type": "move_page", "id": "odd", "position": {"parent": "group"}},
    ]
    for changes in (pages, edits):
        made["open"] = owner.api.post(at, {"subject": ODD[:100]}).json["id"]
        assert owner.api.post(f"{at}/{made['open']}/content", {"changes": changes}).status == 200
        if changes is pages:
            made["revision"] = owner.api.post(f"{at}/{made['open']}/merge").json["revision"]
    assert owner.api.call("PATCH", f"{at}/{made['open']}", {"status": "open"}).status == 200
    asked = owner.api.post(f"{at}/{made['open']}/requested-reviewers", {"users": [owner.user]})
    assert asked.status == 200, asked.text
    for status in ("changes-requested", "approved"):
        review = {"status": status, "comment": {"markdown": ODD}}
        assert owner.api.post(f"{at}/{made['open']}/reviews", review).status == 201
    for name, content in (("imported", packed({"a.md": "# A", f"{'x' * 200}.zip": "no"})), ("failed", b"%PDF")):
        params = {"source": "zip", "changeRequest": made["open"]}
        begun = owner.api.call("POST", f"/v1/spaces/{space}/content/import/upload", data=content, params=params)
        made[name] = begun.json["id"]
    wait_for(lambda: owner.api.get(f"/v1/spaces/{space}/imports/{made['failed']}").json["status"] == "failed")
    return made


@pytest.fixture(params=["light", "dark"])
def looking(request: pytest.FixtureRequest, browser: Any, world: World) -> Iterator[Any]:
    context = browser.new_context(viewport=DESK, color_scheme=request.param, base_url=world.host.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def sign_in(page: Any, world: World) -> None:
    """Sign in by keyboard alone."""
    page.goto("/app/sign-in")
    expect(page.get_by_label("Token")).to_be_focused()
    page.keyboard.type(str(world.owner.api.token))
    page.keyboard.press("Enter")
    page.wait_for_url("**/app")


def look(page: Any, address: str) -> list[Any]:
    """Give what is wrong with a page: by axe-core, and what is cut off on a phone."""
    wrong: list[Any] = []
    page.set_viewport_size(DESK)
    page.goto(address)
    if AXE.exists():
        page.evaluate(AXE.read_text(encoding="utf-8"))  # past the policy of the page, which lets no script in
        wrong += page.evaluate(VIOLATIONS, "html")
    page.set_viewport_size(PHONE)
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        wrong.append("wider than a phone")
    if page.locator("h1").count() != 1:
        wrong.append("not one heading of the first level")
    return wrong


def test_pages_are_for_everybody(looking: Any, world: World) -> None:
    found = {name: look(looking, address) for name, address in world.outside.items()}
    sign_in(looking, world)
    found |= {name: look(looking, address) for name, address in world.inside.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


EDGES = """(selector) => [...document.querySelectorAll(selector)].map((node) => {
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return { left, right, top, bottom };
})"""


def test_tabs_filters_and_rows_have_their_places(looking: Any, world: World) -> None:
    sign_in(looking, world)
    for _ in range(2):  # what rows say differs in length
        looking.goto(world.places.pages["its screen"])
        expect(looking.get_by_text("Known as")).to_be_visible()
    looking.goto(world.places.pages["events"])
    for part in (".events time", ".event-ending"):
        assert len({round(one["left"]) for one in looking.evaluate(EDGES, part)}) == 1
    looking.set_viewport_size(PHONE)
    for name in ("events", "its settings", "integrations"):
        looking.goto(world.places.pages[name])
        tabs = looking.evaluate(EDGES, "nav.parts a")
        assert len(tabs) >= 7 and all(one["right"] <= PHONE["width"] for one in tabs)
    looking.set_viewport_size({**PHONE, "width": 390})
    looking.goto(world.places.pages["events"])
    fields, [button] = (looking.evaluate(EDGES, f".filters {part}") for part in (":is(select, input)", "button"))
    for field in fields:
        assert field["bottom"] + 8 <= button["top"] or field["right"] + 8 <= button["left"]
    assert all(one["right"] <= PHONE["width"] for one in looking.evaluate(EDGES, ".events li *"))


def test_no_page_loads_a_script_it_could_do_without(looking: Any, world: World) -> None:
    """Everything works without JavaScript: it is off here."""
    context = looking.context.browser.new_context(java_script_enabled=False, base_url=world.host.url)
    page = context.new_page()
    page.goto("/app/sign-in")
    page.get_by_label("Token").fill("dk_wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("unknown")
    page.get_by_label("Token").fill(str(world.owner.api.token))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Where you are signed in")).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    context.close()
