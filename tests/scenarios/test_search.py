"""Search over HTTP: what is merged is found, by those who may see it."""

from __future__ import annotations

from typing import Any

from tests.conftest import Api, HostProcess, Tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.browsing import Browser
from tests.scenarios.content import Space, page
from tests.scenarios.people import give, person
from tests.scenarios.search_results import found, titles


def test_what_is_merged_is_found_with_its_sections(space: Space) -> None:
    text = "Before all.\n\n## Rotating keys\n\nA **key** rotates every night at one o'clock.\n\n## Other\n\nNothing."
    space.merge(page("Über das Schlüsselamt", text, id="keys", slug="keys", description="About them"))
    found(space, "rotates", "Über das Schlüsselamt")
    (one,) = ok(space.api.get(f"{space.path}/search", query="rotates night"))["items"]
    assert (one["id"], one["path"]) == ("keys", "keys") and one["urls"]["app"].endswith(
        f"/spaces/{space.id}/pages/keys"
    )
    (section,) = one["sections"]
    assert (section["id"], section["title"], section["path"]) == (
        "rotating-keys",
        "Rotating keys",
        "keys#rotating-keys",
    )
    marked = [section["body"][at["offset"] : at["offset"] + at["length"]] for at in section["highlights"]]
    assert marked == ["rotates", "night"] and section["urls"]["app"].endswith("/pages/keys#rotating-keys")
    for query in (
        "uber das schlusselamt",
        "SCHLÜSS",
        "schlüsselmat",
        "rotetes",
        '"rotates" AND (night)',
        "roTAT* ^night",
    ):
        assert titles(space.api, space.id, query) == ["Über das Schlüsselamt"], query
    for query in ("nowhere", "", "%", '"', "* ( : ^ -", " ".join("xyzvqj" * 43)[:512]):
        assert titles(space.api, space.id, query) == [], query


def test_titles_count_more_than_headings_and_these_more_than_text(space: Space) -> None:
    space.merge(
        page("Alpha", "We mention the walrus here."),
        page("Walrus"),
        page("Beta", "## The walrus\n\nHere."),
        page("Gamma", "No such animal."),
    )
    found(space, "walrus", "Walrus", "Beta", "Alpha")
    first = ok(space.api.get(f"{space.path}/search", query="walrus", limit="2"))
    assert first["count"] == 3 and len(first["items"]) == 2
    second = ok(space.api.get(f"{space.path}/search", query="walrus", limit="2", page=first["next"]["page"]))
    assert [one["title"] for one in second["items"]] == ["Alpha"] and "next" not in second
    assert space.api.get(f"{space.path}/search", query="walrus", page="x").status == 400
    assert space.api.get(f"{space.path}/search", query="w" * 513).status == 400
    assert space.api.get(f"{space.path}/search", query="a\x00b").status == 400


def test_the_index_follows_what_is_changed_renamed_moved_and_deleted(space: Space) -> None:
    space.merge(page("First", "Contains zebra.", id="a"), page("Second", "Contains giraffe.", id="b"))
    found(space, "zebra", "First")
    space.merge({"type": "update_page", "id": "a", "title": "Renamed", "document": {"markdown": "Contains okapi."}})
    found(space, "okapi", "Renamed")
    assert titles(space.api, space.id, "zebra") == [] and titles(space.api, space.id, "first") == []
    space.merge({"type": "move_page", "id": "b", "position": {"parent": "a"}})
    wait_for(lambda: paths(space, "giraffe") == ["first/second"])
    space.merge({"type": "delete_page", "id": "a"})
    found(space, "okapi")
    assert titles(space.api, space.id, "giraffe") == []


def paths(space: Space, query: str) -> list[str]:
    return [one["path"] for one in ok(space.api.get(f"{space.path}/search", query=query))["items"]]


def test_reusable_contents_and_variables_are_found_in_the_pages_that_show_them(space: Space) -> None:
    space.merge(
        {"type": "put_reusable_content", "id": "note", "title": "Note", "document": {"markdown": "Beware of tapirs."}}
    )
    node = {"object": "block", "type": "reusable-content", "isVoid": True}
    node["data"] = {"ref": {"kind": "reusable-content", "reusableContent": "note"}}
    document = {"object": "document", "data": {}, "nodes": [node]}
    space.merge({"type": "insert_page", "title": "Shows it", "document": {"document": document}})
    found(space, "tapirs", "Shows it")
    space.merge({"type": "put_reusable_content", "id": "note", "document": {"markdown": "Beware of quokkas."}})
    found(space, "quokkas", "Shows it")
    assert titles(space.api, space.id, "tapirs") == []


def test_nobody_finds_what_they_may_not_see(host: HostProcess, alpha: Tenant, beta: Tenant) -> None:
    spaces = [Space(alpha), Space(alpha), Space(beta)]
    for number, one in enumerate(spaces):
        one.merge(page(f"Page {number}", "The secret ocelot."))
        found(one, "ocelot", f"Page {number}")
    for closed in spaces[:1]:
        ok(alpha.api.call("PATCH", closed.path, {"defaultLevel": None}))
    member = person(host, alpha)

    def seen(api: Api, organization: str) -> set[str]:
        listed = ok(api.get(f"/v1/orgs/{organization}/search", query="secret ocelot"))["items"]
        return {one["id"] for one in listed}

    assert {one.id for one in spaces[:2]} <= seen(alpha.api, alpha.id)
    assert seen(member.api, alpha.id) & {one.id for one in spaces} == {spaces[1].id}
    assert member.api.get(f"{spaces[0].path}/search", query="ocelot").status == 404
    assert alpha.api.get(f"{spaces[2].path}/search", query="ocelot").status == 404
    give(alpha, spaces[0].path, "read", users=[member.id])
    assert spaces[0].id in seen(member.api, alpha.id)
    ok(alpha.api.call("DELETE", spaces[1].path), 205)
    assert spaces[1].id not in seen(member.api, alpha.id)
    ok(alpha.api.post(f"{spaces[1].path}/restore"))
    wait_for(lambda: spaces[1].id in seen(member.api, alpha.id))
    copied = ok(alpha.api.post(f"{spaces[1].path}/duplicate"), 201)["id"]
    wait_for(lambda: copied in seen(member.api, alpha.id))


def test_a_site_is_searched_as_its_visitor_sees_it(host: HostProcess, alpha: Tenant) -> None:
    main, internal = Space(alpha), Space(alpha)
    main.merge(page("Guide", "About the capybara."), page("Draft", "Hidden capybara.", hidden=True, id="draft"))
    internal.merge(page("Internal", "Partners know the capybara."))
    found(main, "hidden capybara", "Draft")
    found(internal, "capybara", "Internal")
    site = ok(alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"title": "Docs", "spaces": [main.id, internal.id]}), 201)
    path = f"/v1/orgs/{alpha.id}/sites/{site['id']}"
    parts = {one["space"]["id"]: one for one in ok(alpha.api.get(f"{path}/site-spaces"))["items"]}
    closed = parts[internal.id]["id"]
    only = {"condition": "visitor.claims.unsigned.partner"}
    ok(alpha.api.call("PATCH", f"{path}/site-spaces/{closed}", only))
    body = {"query": "capybara", "mode": "all"}
    assert alpha.api.post(f"{path}/search", body).status == 404
    ok(alpha.api.post(f"{path}/publish"))

    def seen(api: Api, scope: dict[str, Any]) -> dict[str, list[str]]:
        listed = ok(api.post(f"{path}/search", {"query": "capybara", **scope}))["items"]
        return {one["id"]: [page["title"] for page in one["pages"]] for one in listed}

    everything = {"scope": {"mode": "all"}}
    assert seen(alpha.api, everything) == {main.id: ["Guide"]}
    url = ok(alpha.api.get(path))["urls"]["published"]
    stranger = visitor(host, alpha, url, {})
    partner = visitor(host, alpha, url, {"partner": True})
    assert seen(stranger, everything) == {main.id: ["Guide"]}
    assert seen(partner, everything) == {main.id: ["Guide"], internal.id: ["Internal"]}
    chosen = {"siteSpaceIds": [closed]}
    assert seen(partner, chosen) == {internal.id: ["Internal"]} and seen(stranger, chosen) == {}
    assert seen(partner, {"scope": {"mode": "default"}}) == {main.id: ["Guide"]}
    assert set(seen(partner, {"mode": "current", "siteSpaceId": closed})) == {main.id, internal.id}
    assert partner.post(f"{path}/search", {"query": "capybara"}).status == 400
    assert partner.get(f"/v1/orgs/{alpha.id}/search", query="capybara").status == 403


def visitor(host: HostProcess, owner: Tenant, url: str, claims: dict[str, Any]) -> Api:
    """Come to a site as a visitor who says something of themselves."""
    shown = ok(owner.api.post("/v1/urls/published", {"url": url, "visitor": {"unsignedClaims": claims}}))
    return Api(host.url, shown["apiToken"])


def test_the_pages_of_a_space_have_a_search(host: HostProcess, alpha: Tenant, space: Space) -> None:
    space.merge(page("Axolotl <b>", "An axolotl lives & swims here."), page("Other"))
    found(space, "axolotl", "Axolotl <b>")
    browser = Browser(host.url)
    assert browser.submit("/app/sign-in", "/app/sign-in", token=str(alpha.api.token)).status_code == 303
    at = f"/app/spaces/{space.id}/pages"
    assert 'role="search"' in browser.ask("GET", at).text
    shown = browser.ask("GET", f"{at}?query=axolotl").text
    assert "1 page found" in shown and "Axolotl &lt;b&gt;" in shown and "lives &amp; swims" in shown
    assert "0 pages found" in browser.ask("GET", f"{at}?query=%22%3Cnothing%3E").text
    assert browser.ask("GET", f"{at}?query=a%00").status_code == 400
