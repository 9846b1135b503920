"""Sites are built of sections, groups and spaces, by one request after the other and by many at once."""

from __future__ import annotations

from tests.conftest import HostProcess, Tenant, installed, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.at_once import at_once, statuses
from tests.scenarios.people import person
from tests.scenarios.site_structure import Site


def test_the_first_section_puts_what_was_there_into_one_of_its_own(alpha: Tenant) -> None:
    site = Site(alpha, spaces=2)
    assert site.outline() == ["Space 0*", "Space 1"]
    made = site.api.post(f"{site.path}/sections", {"spaceId": site.space("API"), "title": None})
    assert made.status == 201 and made.headers["Location"].endswith(f"/sections/{made.json['id']}")
    assert site.outline() == ["Handbook*", "API"]
    first, second = site.sections()
    assert [part["path"] for part in first["siteSpaces"]] == ["space-0", "space-1"]
    assert (second["path"], second["siteSpaces"][0]["section"]) == ("api", second["id"])
    assert ok(site.api.get(site.path))["siteSpaces"] == 3
    again = site.api.post(f"{site.path}/sections", {"spaceId": second["siteSpaces"][0]["space"]["id"]})
    assert again.status == 409


def test_addresses_leave_out_what_is_the_default(site: Site) -> None:
    section = site.section("Reference", icon="book")
    part = ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("v2"), "sectionId": section["id"]}), 201)
    assert "published" not in part["urls"] and section["icon"] == "book"
    home = ok(site.api.post(f"{site.path}/publish"))["urls"]["published"]
    items = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    assert [one["urls"]["published"] for one in items] == [home, f"{home}reference/", f"{home}reference/v2/"]
    assert [one["urls"]["published"] for one in site.sections()] == [home, f"{home}reference/"]
    ok(site.api.call("PATCH", site.path, {"defaultSiteSection": section["id"], "defaultSiteSpace": part["id"]}))
    items = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    assert [one["urls"]["published"] for one in items] == [f"{home}handbook/", f"{home}reference/reference/", home]
    for default, count in (("true", 2), ("false", 1)):
        assert ok(site.api.get(f"{site.path}/site-spaces", default=default))["count"] == count
    unpublished = ok(site.api.post(f"{site.path}/unpublish"))
    assert unpublished["published"] is False and "published" not in unpublished["urls"]


def test_defaults_are_chosen_among_what_is_there(site: Site) -> None:
    section, other = site.section("One"), site.section("Two")
    foreign = other["siteSpaces"][0]["id"]
    at = f"{site.path}/sections/{section['id']}"
    refused = site.api.call("PATCH", at, {"title": "Changed", "defaultSiteSpace": foreign})
    assert refused.status == 400 and site.outline() == ["Handbook*", "One", "Two"]
    for body in ({"defaultSiteSection": "nowhere"}, {"defaultSiteSpace": foreign}):
        assert site.api.call("PATCH", site.path, body).status == 400
    both = {"defaultSiteSection": other["id"], "defaultSiteSpace": foreign, "title": "Renamed", "proxy": None}
    assert ok(site.api.call("PATCH", site.path, both))["title"] == "Renamed"
    assert ok(site.api.get(site.path))["title"] == "Renamed"
    assert site.outline() == ["Handbook", "One", "Two*"]


def test_another_one_becomes_the_default_when_it_goes(alpha: Tenant) -> None:
    site = Site(alpha, spaces=2)
    parts = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    assert site.api.call("DELETE", f"{site.path}/site-spaces/{parts[0]['id']}").status == 205
    assert site.outline() == ["Space 1*"]
    first, last = site.section("One"), site.section("Two")
    assert site.api.call("DELETE", f"{site.path}/sections/{site.sections()[0]['id']}").status == 205
    assert site.outline() == ["One*", "Two"]
    only = site.api.call("DELETE", f"{site.path}/site-spaces/{first['siteSpaces'][0]['id']}")
    assert only.status == 400 and "last space of its section" in only.text
    for section in (last, first):
        assert site.api.call("DELETE", f"{site.path}/sections/{section['id']}").status == 205
        assert site.api.call("DELETE", f"{site.path}/sections/{section['id']}").status == 204
    assert site.outline() == [] and ok(site.api.get(site.path))["siteSpaces"] == 0
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("New")}), 201)
    assert site.outline() == ["New*"]


def test_groups_hold_sections_and_give_them_back(site: Site) -> None:
    one, two, three = (site.section(title) for title in ("One", "Two", "Three"))
    group = site.group(one, two)
    assert site.outline() == ["Handbook*", "Three", ["One", "Two"]]
    inner = site.group(three, parent=group["id"])
    assert site.outline() == ["Handbook*", ["One", "Two", ["Three"]]]
    assert inner["sectionGroup"] == group["id"]
    at = f"{site.path}/section-groups/{group['id']}"
    assert site.api.call("DELETE", f"{at}/sections/{one['id']}").status == 205
    assert site.api.call("DELETE", f"{at}/sections/{one['id']}").status == 204
    assert site.outline() == ["Handbook*", ["Two", ["Three"]], "One"]
    assert site.api.post(f"{at}/sections", {"sectionId": two["id"]}).status == 409
    ok(site.api.post(f"{at}/sections", {"sectionId": one["id"]}), 201)
    assert site.outline() == ["Handbook*", ["Two", ["Three"], "One"]]
    assert [section["title"] for section in site.sections()] == ["Handbook", "Two", "Three", "One"]
    assert site.api.call("DELETE", at).status == 205
    assert site.outline() == ["Handbook*", "Two", ["Three"], "One"]
    for section in (three,):
        at = f"{site.path}/section-groups/{inner['id']}"
        assert site.api.call("DELETE", f"{at}/sections/{section['id']}").status == 205
    assert site.outline() == ["Handbook*", "Two", [], "Three", "One"]
    listed = ok(site.api.get(f"{site.path}/section-groups"))["items"]
    assert [(one["id"], one["children"]) for one in listed] == [(inner["id"], [])]
    doubled = site.api.post(f"{site.path}/section-groups", {"title": "G", "sections": [one["id"], one["id"]]})
    assert doubled.status == 400 and "twice" in doubled.text


def test_everything_goes_to_its_place(site: Site) -> None:
    one, two = site.section("One"), site.section("Two")
    group = site.group(one)
    first = site.sections()[0]
    ok(site.sort("site-section", two, before=first))
    assert site.outline() == ["Two", "Handbook*", ["One"]]
    ok(site.sort("site-section", first, after=one))
    assert site.outline() == ["Two", ["One", "Handbook*"]]
    ok(site.sort("site-section-group", group, before=two))
    ok(site.sort("site-section", two, before=first, after=one))
    assert site.outline() == [["One", "Two", "Handbook*"]]
    body = {"position": {"before": {"type": "site-section", "siteSection": one["id"]}}}
    assert ok(site.api.post(f"{site.path}/sections/{first['id']}/move", body))["default"] is True
    assert site.outline() == [["Handbook*", "One", "Two"]]
    moved = ok(site.sort("site-space", two["siteSpaces"][0], after=one["siteSpaces"][0]), 400)
    assert "last space of a section" in moved["error"]["message"]
    part = ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("More"), "sectionId": two["id"]}), 201)
    body = {"position": {"before": {"type": "site-space", "siteSpace": one["siteSpaces"][0]["id"]}}}
    moved = ok(site.api.post(f"{site.path}/site-spaces/{part['id']}/move", body))
    assert (moved["section"], moved["default"]) == (one["id"], False)


def test_places_that_are_none_are_refused(site: Site, alpha: Tenant) -> None:
    one, two = site.section("One"), site.section("Two")
    inner = site.group(two)
    outer = site.group(one)
    ok(site.sort("site-section-group", inner, after=one))
    before = site.outline()
    other = Site(alpha).section("Elsewhere")
    for item, position in (
        (one, {}),
        (one, {"before": one}),
        (one, {"after": other}),
        (one, {"before": two, "after": two}),
        (one, {"before": two["siteSpaces"][0]}),
        (outer, {"before": one}),
        (outer, {"after": two}),
        (outer, {"before": outer}),
        (one["siteSpaces"][0], {"before": two}),
    ):
        answer = site.sort(item["object"], item, **position)
        assert answer.status == 400, (item, position, answer.text)
    assert site.sort("site-section", other, before=one).status == 404
    assert site.sort("site-space", one, before=two).status == 404
    assert site.outline() == before
    for place, one_ in (("sections", one), ("section-groups", outer), ("site-spaces", one["siteSpaces"][0])):
        assert site.api.post(f"{site.path}/{place}/{one_['id']}/move", {}).status == 400


def test_a_path_is_taken_once(site: Site) -> None:
    one, two = site.section("Same"), site.section("Same")
    assert (one["path"], two["path"]) == ("same", "same-2")
    at = f"{site.path}/sections/{two['id']}"
    assert site.api.call("PATCH", at, {"path": "same"}).status == 409
    assert ok(site.api.call("PATCH", at, {"path": "Other_1.0~x"}))["path"] == "Other_1.0~x"
    for path in ("a/b", ".", "..", "-", "a b", "ü", "a?b", "a%2Fb", "", "x" * 101):
        assert site.api.call("PATCH", at, {"path": path}).status == 400, path
    titles = ok(site.api.call("PATCH", at, {"title": "\u202ertl\u200b", "description": "d", "condition": "true"}))
    assert titles["title"] == "\u202ertl\u200b" and titles["condition"] == "true"
    cleared = ok(site.api.call("PATCH", at, {"condition": None, "description": None, "icon": None}))
    assert not {"condition", "description", "icon"} & cleared.keys()


def test_foreign_parts_are_not_there(site: Site, alpha: Tenant, beta: Tenant) -> None:
    other = Site(alpha)
    section, group = other.section("Elsewhere"), other.group()
    for method, place, body in (
        ("PATCH", f"sections/{section['id']}", {"title": "Mine"}),
        ("PATCH", f"section-groups/{group['id']}", {"title": "Mine"}),
        ("PATCH", f"site-spaces/{section['siteSpaces'][0]['id']}", {"path": "mine"}),
        ("POST", f"section-groups/{group['id']}/sections", {"sectionId": section["id"]}),
    ):
        assert site.api.call(method, f"{site.path}/{place}", body).status == 404
    foreign = beta.api.post(f"/v1/orgs/{beta.id}/spaces", {"title": "Theirs"}).json["id"]
    part = ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]["id"]
    for method, place, body in (
        ("POST", "sections", {"spaceId": foreign}),
        ("POST", "site-spaces", {"spaceId": foreign}),
        ("PATCH", f"site-spaces/{part}", {"spaceId": foreign}),
        ("POST", "section-groups", {"title": "G", "sections": [section["id"]]}),
        ("POST", "section-groups", {"title": "G", "parent": group["id"]}),
    ):
        assert site.api.call(method, f"{site.path}/{place}", body).status == 400, place
    assert site.outline() == ["Space 0*"]


def test_what_is_done_at_the_same_moment_comes_one_after_the_other(site: Site) -> None:
    sections = [site.section(f"S{number}") for number in range(4)]
    group, api = site.group(), site.api
    for victim in sections[:2]:
        at = f"{site.path}/sections/{victim['id']}"
        into = f"{site.path}/section-groups/{group['id']}/sections"
        answers = at_once(
            *[lambda: api.call("DELETE", at)] * 3,  # noqa: B023
            *[lambda: site.sort("site-section", victim, before=sections[3])] * 2,  # noqa: B023
            *[lambda: api.post(into, {"sectionId": victim["id"]})] * 2,  # noqa: B023
        )
        assert statuses(answers[:3]) == {205: 1, 204: 2}
        assert {answer.status for answer in answers[3:]} <= {200, 201, 404, 409, 400}
    assert site.outline()[0] == "Handbook*"
    space = site.space("Twice")
    answers = at_once(*[lambda: api.post(f"{site.path}/site-spaces", {"spaceId": space})] * 6)
    assert statuses(answers) == {201: 1, 409: 5}
    chosen = at_once(
        *[
            lambda one=one: api.call("PATCH", site.path, {"defaultSiteSection": one["id"]})  # type: ignore[misc]
            for one in sections[2:]
        ]
        * 3
    )
    assert statuses(chosen) == {200: 6}
    assert [section["default"] for section in site.sections()].count(True) == 1


def test_a_site_that_is_deleted_leaves_its_integrations(alpha: Tenant) -> None:
    one = installed(alpha)
    at = f"/v1/orgs/{alpha.id}/sites/{one.site}"
    ok(alpha.api.call("PATCH", f"/v1/orgs/{alpha.id}", {"defaultContent": {"type": "site", "site": one.site}}))
    answers = at_once(*[lambda: alpha.api.call("DELETE", at)] * 4)
    assert statuses(answers)[205] == 1 and statuses(answers).keys() <= {205, 204, 404}
    assert alpha.api.get(at).status == 404 and alpha.api.get(f"{at}/structure").status == 404
    assert alpha.api.get(f"/v1/spaces/{one.space}").status == 200
    told = wait_for(lambda: alpha.api.get(f"{one.path}/events", type="site_installation_deleted").json["items"])
    assert [event["payload"]["siteId"] for event in told] == [one.site]
    assert ok(alpha.api.get(f"{one.path}/installations/{one.installation}/sites"))["items"] == []
    assert "defaultContent" not in ok(alpha.api.get(f"/v1/orgs/{alpha.id}")) or not ok(
        alpha.api.get(f"/v1/orgs/{alpha.id}")
    ).get("defaultContent")


def test_sites_are_found_by_their_type(alpha: Tenant) -> None:
    made = [alpha.api.post(f"/v1/orgs/{alpha.id}/sites", {"type": kind}).json["id"] for kind in ("ultimate", "premium")]
    found = ok(alpha.api.call("GET", f"/v1/orgs/{alpha.id}/sites", params={"type": ["ultimate", "premium"]}))
    assert {site["id"] for site in found["items"]} == {*made}
    assert ok(alpha.api.get(f"/v1/orgs/{alpha.id}/sites", type="sponsored"))["count"] == 0
    assert alpha.api.get(f"/v1/orgs/{alpha.id}/sites", type="luxury").status == 400


def test_a_space_goes_onto_a_site_only_by_who_may_change_it(site: Site, host: HostProcess) -> None:
    """A site shows its spaces to everybody it is open to: whoever cannot see one cannot open it that way."""
    author = person(host, site.owner, "create")
    hidden, readable = site.space("Hidden"), site.space("Readable")
    for space, level in ((hidden, None), (readable, "read")):
        ok(site.api.call("PATCH", f"/v1/spaces/{space}", {"defaultLevel": level}))
    assert author.api.get(f"/v1/spaces/{hidden}").status == 404
    part = ok(site.api.get(f"{site.path}/site-spaces"))["items"][0]
    sites = f"/v1/orgs/{site.owner.id}/sites"
    for space, status in ((hidden, 400), (readable, 403)):
        for answer in (
            author.api.post(f"{site.path}/site-spaces", {"spaceId": space}),
            author.api.post(f"{site.path}/sections", {"spaceId": space, "title": "Section"}),
            author.api.call("PATCH", f"{site.path}/site-spaces/{part['id']}", {"spaceId": space}),
            author.api.post(sites, {"title": "Another", "spaces": [space]}),
        ):
            assert answer.status == status, answer.text
    ok(author.api.post(sites, {"title": "Another", "spaces": "empty"}), 201)


def test_a_site_is_opened_only_by_who_may_open_all_its_spaces(site: Site, host: HostProcess) -> None:
    author = person(host, site.owner, "create")
    hidden = site.space("Hidden")
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": hidden}), 201)
    ok(site.api.call("PATCH", f"/v1/spaces/{hidden}", {"defaultLevel": None}))
    ok(site.api.post(f"{site.path}/unpublish"))
    for method, path, body in (
        ("POST", f"{site.path}/publish", None),
        ("PATCH", site.path, {"published": True}),
        ("PATCH", site.path, {"visibility": "unlisted"}),
        ("PATCH", site.path, {"visitorAuth": {"backend": "custom"}}),
    ):
        answer = author.api.call(method, path, body)
        assert answer.status == 403, answer.text
    ok(author.api.call("PATCH", site.path, {"title": "Another title"}))
    ok(site.api.call("PATCH", f"/v1/spaces/{hidden}", {"defaultLevel": "create"}))
    ok(author.api.post(f"{site.path}/publish"))
    # Who signs visitors in is decided by administrators: it says who is whom.
    for backend, status in (({"backend": "custom"}, 403), (None, 200)):  # the latter is as it was
        assert author.api.call("PATCH", site.path, {"visitorAuth": backend}).status == status


def test_nobody_opens_by_conditions_or_links_what_they_do_not_see(site: Site, host: HostProcess) -> None:
    author = person(host, site.owner, "create")
    hidden, plain = site.space("Hidden"), site.space("Plain")
    ok(site.api.post(f"{site.path}/sections", {"spaceId": plain, "title": "Plain"}), 201)
    section = ok(site.api.post(f"{site.path}/sections", {"spaceId": hidden, "title": "Staff"}), 201)["id"]
    parts = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    (part,) = (one["id"] for one in parts if one["space"]["id"] == hidden)
    staff = {"condition": "visitor.claims.staff == true"}
    for path in (f"{site.path}/site-spaces/{part}", f"{site.path}/sections/{section}"):
        ok(site.api.call("PATCH", path, staff))
    link = ok(site.api.post(f"{site.path}/share-links", {"name": "Off"}), 201)["id"]
    off = f"{site.path}/share-links/{link}"
    ok(site.api.call("PATCH", off, {"active": False}))
    ok(site.api.call("PATCH", f"/v1/spaces/{hidden}", {"defaultLevel": None}))
    unseen = author.api.call("PATCH", f"{site.path}/site-spaces/{part}", {"condition": None})
    assert unseen.status == 404, unseen.text
    for method, path, body in (
        ("PATCH", f"{site.path}/sections/{section}", {"condition": "true == true"}),
        ("POST", f"{site.path}/share-links", {"name": "Friends"}),
        ("PATCH", off, {"active": True}),
    ):
        answer = author.api.call(method, path, body)
        assert answer.status == 403 and "every space" in answer.text, path
    # Nor by moving it to where the condition does not hold: what they do not see is not there.
    other = site.space("Other")
    ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": other, "sectionId": section}), 201)
    (plain_part,) = (one["id"] for one in parts if one["space"]["id"] == plain)
    there = {"type": "site-space", "id": plain_part}
    for method, path, body in (
        (
            "POST",
            f"{site.path}/site-spaces/{part}/move",
            {"position": {"before": {"type": "site-space", "siteSpace": plain_part}}},
        ),
        ("PATCH", f"{site.path}/structure/sort", {"item": {**there, "id": part}, "position": {"before": there}}),
    ):
        answer = author.api.call(method, path, body)
        assert answer.status == 404, answer.text
    beside = {"item": there, "position": {"after": {**there, "id": part}}}
    unknown = {"item": there, "position": {"after": {**there, "id": "nothing"}}}
    said = [author.api.call("PATCH", f"{site.path}/structure/sort", one) for one in (beside, unknown)]
    assert [one.status for one in said] == [400, 400]
    assert said[0].text.replace(part, "nothing") == said[1].text
    ok(site.api.call("PATCH", f"{site.path}/structure/sort", body))
    ok(author.api.call("PATCH", off, {"name": "Renamed"}))


def test_no_organization_stands_in_for_parts_of_another_ones_site(site: Site, beta: Tenant) -> None:
    host = f"{site.owner.id.lower()}.example.com"
    ok(site.api.call("PATCH", site.path, {"proxy": f"{host}/docs"}))
    theirs = ok(beta.api.post(f"/v1/orgs/{beta.id}/sites", {"title": "Phishing"}), 201)["id"]
    for path in ("docs/login", "docs", "", "other", "DOCS/login"):
        answer = beta.api.call("PATCH", f"/v1/orgs/{beta.id}/sites/{theirs}", {"proxy": f"{host.upper()}/{path}"})
        assert answer.status in (400, 409), answer.text
    ok(beta.api.call("PATCH", f"/v1/orgs/{beta.id}/sites/{theirs}", {"proxy": f"x{host}/docs"}))
