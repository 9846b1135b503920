"""Reads of content show what sources compute in the place of the pages that name them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.store import tokens
from runtime.store.secrets import load_keyring, use_keyring
from tests import databases
from tests.conftest import SCOPES, Api, HostProcess, Installed, Tenant, installed, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.browsing import signed_in
from tests.scenarios.computed_content import SCRIPT, Sourced, titles
from tests.scenarios.content import Space, page
from tests.scenarios.content_sources import SOURCES
from tests.scenarios.site_structure import Site
from tests.scenarios.site_visits import key_of, look, reader, signed


@pytest.fixture(scope="module")
def sourced(alpha: Tenant) -> Sourced:
    space = Sourced(installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[]))
    variables = {"type": "set_variables", "variables": {"team": "ours"}}
    guide = page("Guide", "Written.", id="guide")
    beside = page("Ticket 1", "Mine.", id="mine", position={"parent": "guide"})
    space.merge(guide, beside, space.named("inside", parent="guide"), space.named("top"), variables)
    return space


OPEN = ["Open", ["Ticket 1"], ["Ticket 1"], ["Silent"], ["Broken"]]


def test_pages_stand_in_the_place_of_the_page_that_names_the_source(sourced: Sourced) -> None:
    shown = sourced.pages()
    assert titles(shown) == [["Guide", ["Ticket 1"], OPEN, ["Tracker"]], OPEN, ["Tracker"]]
    guide, group, link = shown
    assert (group["type"], group["path"]) == ("group", "open")
    assert [one["path"] for one in group["pages"]][:2] == ["open/ticket-1", "open/ticket-1-2"]
    inner = guide["pages"][1]
    # There are no groups in pages.
    assert (inner["type"], inner["path"]) == ("document", "guide/open") and "documentId" not in inner
    leaf = inner["pages"][0]
    assert leaf["path"] == "guide/open/ticket-1" and leaf["description"] == "First."
    assert leaf["computed"] == sourced.source(ticket="1") and leaf["computedSeed"].startswith("inside~")
    assert link["href"] == "https://a.example"
    flat = [one["id"] for one in walked(shown)]
    assert len(set(flat)) == len(flat) and not {"one", "two", "inside", "top"} & set(flat)
    assert sourced.pages() == shown
    whole = ok(sourced.api.get(f"{sourced.path}/content"))
    assert whole["pages"] == shown
    revision = f"{sourced.path}/revisions/{whole['id']}"
    assert ok(sourced.api.get(revision))["pages"] == shown
    assert ok(sourced.api.get(f"{revision}/pages"))["pages"] == shown
    created = [one["page"]["id"] for one in ok(sourced.api.get(f"{revision}/changes"))["changes"] if "page" in one]
    assert created == ["guide", "mine", "inside", "top"]


def test_what_stands_for_a_hidden_page_is_hidden(sourced: Sourced) -> None:
    request = sourced.change_request({**sourced.named("hiding", many=1), "hidden": True, "noIndex": True})
    shown = sourced.pages(request)[-1]
    assert (shown["hidden"], shown["noIndex"], "noRobotsIndex" in shown) == (True, True, False)


def walked(pages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for page_ in pages for one in (page_, *walked(page_.get("pages", [])))]


def test_without_computed_the_source_is_shown(sourced: Sourced) -> None:
    shown = sourced.pages(computed="false")
    assert titles(shown) == [["Guide", ["Ticket 1"], ["Source inside"]], ["Source top"]]
    assert shown[1] == shown[1] | {"id": "top", "type": "computed", "computed": sourced.source()}
    content = f"{sourced.path}/content"
    assert sourced.api.get(f"{content}/path/open/ticket-1", computed="false").status == 404
    # By its own id the page that names a source is found as it is.
    assert ok(sourced.api.get(f"{content}/page/top"))["type"] == "computed"


def test_a_computed_page_is_read_by_its_path_and_its_id(sourced: Sourced) -> None:
    content = f"{sourced.path}/content"
    leaf = ok(sourced.api.get(f"{content}/path/guide/open/ticket-1"))
    assert "markdown" not in leaf and "document" not in leaf
    by_id = ok(sourced.api.get(f"{content}/page/{leaf['id']}", format="markdown", evaluated="true"))
    assert by_id == {**leaf, "markdown": "Ticket **1** of ours.\n"}
    document = ok(sourced.api.get(f"{content}/page/{leaf['id']}", format="document"))["document"]
    assert document["object"] == "document" and document["nodes"][0]["type"] == "paragraph"
    revision = f"{sourced.path}/revisions/{ok(sourced.api.get(content))['id']}"
    assert ok(sourced.api.get(f"{revision}/page/{leaf['id']}/document"))["nodes"] == document["nodes"]
    assert ok(sourced.api.get(f"{revision}/path/guide/open/ticket-1")) == leaf
    assert ok(sourced.api.get(f"{revision}/page/{leaf['id']}")) == leaf
    # What people wrote is where they put it, and says what they wrote.
    mine = ok(sourced.api.get(f"{content}/path/guide/ticket-1", format="markdown"))
    assert (mine["id"], mine["markdown"]) == ("mine", "Mine.\n")
    guide = ok(sourced.api.get(f"{content}/page/guide", format="markdown"))
    assert titles([guide]) == [["Guide", ["Ticket 1"], OPEN, ["Tracker"]]] and guide["markdown"] == "Written.\n"
    silent = ok(sourced.api.get(f"{content}/path/open/silent", format="markdown"))
    assert silent["markdown"] == ""
    assert sourced.api.get(f"{content}/path/guide/open/nothing").status == 404
    assert sourced.api.get(f"{content}/page/nothing").status == 404


def test_a_document_that_cannot_be_computed_is_left_out(sourced: Sourced) -> None:
    shown = ok(sourced.api.get(f"{sourced.path}/content/path/open/broken", format="markdown"))
    assert "markdown" not in shown and shown["computed"]["props"] == {"fail": True}
    revision = ok(sourced.api.get(sourced.path))["revision"]
    read = sourced.api.get(f"{sourced.path}/revisions/{revision}/page/{shown['id']}/document")
    assert ok(read)["nodes"] == []
    odd = {"object": "block", "type": "paragraph", "nodes": [{"object": "inline", "type": "link", "nodes": []}]}
    answer = {"document": {"object": "document", "nodes": [odd]}}
    written = page("Odd", id="odd", computed=sourced.source(answer=answer))
    request = sourced.change_request(written, page("Good", id="good", computed=sourced.source(ticket="7")))
    for form in ("markdown", "document"):
        assert form not in ok(sourced.api.get(f"{request}/content/page/odd", format=form))
    assert ok(sourced.api.get(f"{request}/content/page/good", format="markdown"))["markdown"].startswith("Ticket **7**")


RUNS = {"type": "link", "title": "x", "target": {"kind": "url", "url": "javascript:alert(1)"}}
DEEP: dict[str, Any] = {"type": "document", "title": "Deep"}
for _ in range(25):
    DEEP = {"type": "document", "title": "Deep", "pages": [DEEP]}


@pytest.mark.parametrize(
    "props",
    [
        {"refuse": True},
        {"fail": True},
        {"answer": {"pages": [{"type": "document"}]}},
        {"answer": {"pages": "many"}},
        {"answer": "text"},
        {"answer": {"pages": [{"type": "document", "title": "x", "id": "a"}] * 2}},
        {"answer": {"pages": [DEEP]}},
        {"answer": {"pages": [RUNS]}},
        {"many": 20_001},
    ],
    ids=str,
)
def test_a_source_that_fails_leaves_its_page_as_it_is(sourced: Sourced, props: dict[str, Any]) -> None:
    request = sourced.change_request(sourced.named("bad", **props))
    shown = sourced.pages(request)
    assert titles(shown)[:2] == [["Guide", ["Ticket 1"], OPEN, ["Tracker"]], OPEN]
    assert shown[-1]["type"] == "computed" and shown[-1]["computed"] == sourced.source(**props)


def test_pages_that_would_be_too_deep_are_not_shown(sourced: Sourced) -> None:
    request = sourced.change_request()
    parent = None
    for number in range(20):
        change = page("Level", id=f"level{number}", position={"parent": parent})
        ok(sourced.api.post(f"{request}/content", {"changes": [change]}))
        parent = f"level{number}"
    ok(sourced.api.post(f"{request}/content", {"changes": [sourced.named("deep", parent=parent)]}))
    inner = ok(sourced.api.get(f"{request}/content/page/{parent}"))["pages"]
    assert [one["id"] for one in inner] == ["deep"]


def test_a_slow_source_holds_nobody_up_for_long(sourced: Sourced) -> None:
    request = sourced.change_request(sourced.named("slow", slow=True))
    assert sourced.pages(request)[-1]["id"] == "slow"
    events = f"{sourced.one.path}/events"
    wait_for(lambda: any("slow" in one["payload"].get("props", {}) for one in failed(sourced.api, events)))


def failed(api: Api, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ok(api.get(path, status="failed"))["items"]
    return found


def test_sources_name_each_other_so_often_and_no_further(sourced: Sourced) -> None:
    shown = sourced.alone(within=True)[-1]
    assert titles([shown]) == [["Level", ["Level", ["Level", ["Inner"]]]]]


def test_many_sources_are_computed_some_with_each_read(sourced: Sourced) -> None:
    request = sourced.change_request(*(sourced.named(f"n{number}", many=1, n=number) for number in range(200)))

    def left() -> int:
        return sum(one["type"] == "computed" for one in sourced.pages(request))

    first = left()
    assert first >= 180
    assert left() < first


def test_sources_that_give_more_pages_than_a_space_has_are_not_read_on(sourced: Sourced) -> None:
    one = sourced.named("few", many=1)
    several = [sourced.named(f"many{number}", many=11_000, n=number) for number in range(2)]
    shown = sourced.pages(sourced.change_request(*several, one))
    assert len(shown) > 11_000
    assert [page["id"] for page in shown if page["type"] == "computed"] == ["many1", "few"]
    assert sourced.pages(sourced.change_request(*several[:1], one))[-1]["title"] == "Page 0"
    refused = [sourced.named(f"bad{number}", twins=11_000, n=number) for number in range(2)]
    assert sourced.pages(sourced.change_request(*refused, one))[-1]["id"] == "few"


def test_answers_are_kept_until_content_or_integration_change(sourced: Sourced) -> None:
    request = sourced.change_request(sourced.named("counting", count=True))
    first = sourced.pages(request)[-1]["title"]
    assert sourced.pages(request)[-1]["title"] == first
    ok(sourced.api.post(f"{request}/content", {"changes": [page("Another")]}))
    second = sourced.pages(request)[-2]["title"]
    assert second != first
    part = f"{sourced.one.path}/installations/{sourced.one.installation}/spaces/{sourced.id}"
    ok(sourced.api.call("PATCH", part, {"configuration": {"word": "new"}}))
    assert sourced.pages(request)[-2]["title"] != second
    ok(sourced.api.call("PATCH", part, {"status": "paused"}))
    assert sourced.pages(request)[-2]["id"] == "counting"
    assert titles(sourced.pages()) == [["Guide", ["Ticket 1"], ["Source inside"]], ["Source top"]]
    ok(sourced.api.call("PATCH", part, {"status": "active"}))
    assert titles(sourced.pages())[1] == OPEN


def test_only_where_the_integration_is_installed(sourced: Sourced, alpha: Tenant, beta: Tenant) -> None:
    for owner in (alpha, beta):
        space = Space(owner)
        space.merge(page("Source", page="computed", id="source", computed=sourced.source()))
        (only,) = ok(owner.api.get(f"{space.path}/content/pages"))["pages"]
        assert only["type"] == "computed"


def test_organizations_with_one_integration_share_no_answer(alpha: Tenant, beta: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[], visibility="public")
    installation = ok(beta.api.post(f"{one.path}/installations", {"organization": beta.id}), 201)["id"]
    theirs = Space(beta)
    ok(beta.api.post(f"{one.path}/installations/{installation}/spaces", {"space": theirs.id}), 201)
    for owner, space, of in ((alpha, Sourced(one), one.installation), (beta, theirs, installation)):
        change = page("Source", page="computed", computed=Sourced(one).source(whose=True))
        space.merge(change)
        for _ in range(2):
            assert titles(ok(owner.api.get(f"{space.path}/content/pages"))["pages"]) == [[of]]


def test_scripts_are_shown_sources(host: HostProcess, sourced: Sourced) -> None:
    use_keyring(load_keyring(host.data, None))
    (found,) = databases.ask(host.data, "SELECT id FROM integrations WHERE name = ?", [sourced.one.name])
    script = Api(host.url, tokens.sign(found[0], None, None, SCOPES))
    shown = ok(script.get(f"{sourced.path}/content/pages"))["pages"]
    assert shown == sourced.pages(computed="false")
    assert ok(script.get(f"{sourced.path}/content/page/top"))["type"] == "computed"


def test_visitors_read_what_the_content_names(sourced: Sourced, alpha: Tenant) -> None:
    path = f"/v1/orgs/{alpha.id}/sites/{sourced.one.site}"
    ok(alpha.api.post(f"{path}/publish"))
    address = ok(alpha.api.get(path))["urls"]["published"]
    anybody = Api(alpha.api.url, None)
    visitor = Api(alpha.api.url, ok(anybody.post("/v1/urls/published", {"url": address}))["apiToken"])
    content = f"{sourced.path}/content"
    shown = ok(visitor.get(f"{content}/pages"))["pages"]
    assert titles(shown) == titles(sourced.pages())
    leaf = ok(visitor.get(f"{content}/path/open/ticket-1", format="markdown", evaluated="true"))
    assert leaf["markdown"] == "Ticket **1** of ours.\n"
    again = {"source": leaf["computed"], "seed": leaf["computedSeed"]}
    assert ok(visitor.post(f"{content}/computed/document", again))["nodes"]
    assert visitor.post(f"{content}/computed/document", {**again, "source": sourced.source(ticket="2")}).status == 403
    request = sourced.change_request(sourced.named("draft", many=1))
    assert visitor.get(f"{request}/content/pages").status == 404
    number = ok(alpha.api.get(request))["number"]
    found = ok(alpha.api.post("/v1/urls/published", {"url": f"{address}~/changes/{number}/"}))
    preview = Api(alpha.api.url, found["apiToken"])
    assert titles(ok(preview.get(f"{request}/content/pages"))["pages"])[-1] == ["Page 0"]
    assert ok(preview.get(f"{request}/content/path/page-0"))["title"] == "Page 0"


def test_visitors_are_not_shown_what_was_computed_of_what_others_see(alpha: Tenant) -> None:
    one = installed(alpha, SCRIPT, contentSources=SOURCES, blocks=[])
    site = Site(alpha)
    opened = ok(alpha.api.get(f"{site.path}/structure"))["structure"][0]["space"]["id"]
    paid = site.section("Paid")
    ok(alpha.api.call("PATCH", f"{site.path}/sections/{paid['id']}", {"condition": 'visitor.claims.plan == "pro"'}))
    ok(alpha.api.post(f"{site.path}/publish"))
    secret = paid["siteSpaces"][0]["space"]["id"]
    part = f"{one.path}/installations/{one.installation}/spaces"
    ok(alpha.api.post(part, {"space": opened}), 201)
    space = Sourced(Installed(one.name, alpha, one.installation, opened, site.id))
    source = {**space.source(seen=True), "dependencies": {"it": {"ref": {"kind": "space", "space": secret}}}}
    space.merge(page("Seen", page="computed", id="seen", computed=source))

    def seen(api: Api) -> Any:
        return json.loads(ok(api.get(f"{space.path}/content/pages"))["pages"][0]["title"])["it"]["value"]

    token = signed(key_of(site), plan="pro")
    paying, anybody = reader(site, look(site, jwtToken=token)), reader(site, look(site))
    revision = ok(alpha.api.get(f"/v1/spaces/{secret}"))["revision"]
    for _ in range(2):
        assert seen(paying) == {"object": "space", "id": secret, "revision": revision}
        assert seen(anybody) is None


def test_the_page_of_a_space_shows_what_is_computed(host: HostProcess, sourced: Sourced) -> None:
    browser = signed_in(host, sourced.api.token)
    leaf = ok(sourced.api.get(f"{sourced.path}/content/path/open/ticket-1"))["id"]
    listed = browser.ask("GET", f"/app/spaces/{sourced.id}/pages").text
    assert f"/app/spaces/{sourced.id}/pages/{leaf}" in listed
    assert "Ticket **1**" in browser.ask("GET", f"/app/spaces/{sourced.id}/pages/{leaf}").text


JAVASCRIPT = """
export default {
  async fetch(request) {
    const form = await request.formData();
    const event = JSON.parse(form.get("event"));
    const type = `integration:${JSON.parse(form.get("environment")).integration.name}:tickets`;
    if (event.type === "content_compute_revision") {
      const computed = { type, props: { ticket: "9" } };
      return Response.json({ pages: [{ type: "document", title: "From JavaScript", computed }] });
    }
    if (event.type === "content_compute_document") {
      return Response.json({ document: { markdown: `Ticket ${event.props.ticket}.` } });
    }
    return Response.json({ error: "no handler" }, { status: 406 });
  },
};
"""


def test_a_source_in_javascript(alpha: Tenant) -> None:
    space = Sourced(installed(alpha, JAVASCRIPT, contentSources=SOURCES, blocks=[], runtime="v2"))
    space.merge(space.named("script"))
    assert titles(space.pages()) == [["From JavaScript"]]
    assert space.markdown("from-javascript") == "Ticket 9.\n"
