"""A deleted space is off its sites, and a restored one is where it was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scenarios.answers import ok
from tests.scenarios.site_structure import Site


def everything(site: Site) -> Any:
    """Read all that can be read of a site's structure."""
    structure = ok(site.api.get(f"{site.path}/structure"))
    parts = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    custom = [ok(site.api.get(f"{site.path}/site-spaces/{part['id']}/customization")) for part in parts]
    redirects = ok(site.api.get(f"{site.path}/redirects"))["items"]
    return structure, custom, sorted(redirects, key=lambda one: one["id"])


def furnish(site: Site) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give a site a section of two spaces in a group, with all that can be said of them."""
    section = site.section("Reference", icon="book")
    site.group(section)
    site.section("Last")
    at = f"{site.path}/sections/{section['id']}"
    body = {"path": "ref", "description": "All of it", "condition": "visitor.claims.beta"}
    ok(site.api.call("PATCH", at, body))
    other = ok(
        site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("v2"), "sectionId": section["id"]}), 201
    )
    [first] = section["siteSpaces"]
    for part, path in ((first, "one"), (other, "two")):
        ok(site.api.call("PATCH", f"{site.path}/site-spaces/{part['id']}", {"path": path}))
    override = {"styling": {"primaryColor": {"light": "#112233", "dark": "#445566"}}}
    ok(site.api.call("PATCH", f"{site.path}/site-spaces/{first['id']}/customization", override))
    for source, to in (
        ("/to-space", {"kind": "site-space", "siteSpaceId": first["id"]}),
        ("/to-section", {"kind": "site-section", "siteSectionId": section["id"]}),
    ):
        ok(site.api.post(f"{site.path}/redirects", {"source": source, "destination": to}), 201)
    return first, other


def space_of(part: dict[str, Any]) -> str:
    return f"/v1/spaces/{part['space']['id']}"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_restored_space_has_its_place_again(site: Site, order: tuple[int, int]) -> None:
    parts = furnish(site)
    ok(site.api.call("PATCH", f"{site.path}/sections/{parts[0]['section']}", {"path": "ref"}))
    before = everything(site)
    for part in parts:
        ok(site.api.call("DELETE", space_of(part)), 205)
    assert site.outline() == ["Handbook*", [], "Last"]
    assert not ok(site.api.get(f"{site.path}/redirects"))["items"]
    for number in order:
        ok(site.api.post(f"{space_of(parts[number])}/restore"))
    after = everything(site)
    assert after[1:] == before[1:]
    assert undated(after[0]) == undated(before[0])


def undated(node: Any) -> Any:
    """Leave out when something was changed."""
    if isinstance(node, dict):
        return {name: undated(value) for name, value in node.items() if name != "updatedAt"}
    return [undated(one) for one in node] if isinstance(node, list) else node


def test_what_was_the_default_is_it_again_unless_somebody_chose(site: Site) -> None:
    furnish(site)
    [default, *_] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    for chosen, outline in (
        (False, ["Handbook*", ["Reference"], "Last"]),
        (True, ["Handbook", ["Reference"], "Last*"]),
    ):
        ok(site.api.call("DELETE", space_of(default)), 205)
        assert site.outline() == [["Reference*"], "Last"]
        if chosen:
            last = site.sections()[-1]
            ok(site.api.call("PATCH", site.path, {"defaultSiteSection": last["id"]}))
        ok(site.api.post(f"{space_of(default)}/restore"))
        assert site.outline() == outline


def test_a_place_that_was_given_away_is_next_to_the_new_one(site: Site) -> None:
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    ok(site.api.call("DELETE", space_of(part)), 205)
    assert site.outline() == []
    fresh = ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space(part["title"])}), 201)
    assert fresh["path"] == part["path"]
    ok(site.api.post(f"{space_of(part)}/restore"))
    paths = {one["id"]: one["path"] for one in ok(site.api.get(f"{site.path}/site-spaces"))["items"]}
    assert paths == {fresh["id"]: part["path"], part["id"]: f"{part['path']}-2"}
    # A site that has sections meanwhile takes it into its default one.
    ok(site.api.call("DELETE", space_of(part)), 205)
    site.section("New")
    ok(site.api.post(f"{space_of(part)}/restore"))
    held = {one["id"]: one.get("section") for one in ok(site.api.get(f"{site.path}/site-spaces"))["items"]}
    assert held[part["id"]] == held[fresh["id"]] is not None


def test_a_site_that_went_meanwhile_is_no_obstacle(site: Site) -> None:
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    ok(site.api.call("DELETE", space_of(part)), 205)
    ok(site.api.call("DELETE", site.path), 205)
    ok(site.api.post(f"{space_of(part)}/restore"))


def test_spaces_of_a_deleted_collection_come_back_to_their_sites(site: Site) -> None:
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    made = ok(site.api.post(f"/v1/orgs/{site.owner.id}/collections", {"title": "Folder"}), 201)
    ok(site.api.post(f"{space_of(part)}/move", {"parent": made["id"]}))
    before = everything(site)
    ok(site.api.call("DELETE", f"/v1/collections/{made['id']}"), 205)
    assert site.outline() == []
    ok(site.api.post(f"{space_of(part)}/restore"))
    after = everything(site)
    assert [one["id"] for one in after[0]["structure"]] == [one["id"] for one in before[0]["structure"]]


def test_a_space_does_not_come_back_without_the_condition_of_its_section(site: Site) -> None:
    part, _other = furnish(site)
    at = f"{site.path}/sections/{part['section']}"
    ok(site.api.call("DELETE", space_of(part)), 205)
    ok(site.api.call("PATCH", at, {"condition": None}))
    ok(site.api.post(f"{space_of(part)}/restore"))
    assert part["id"] not in {one["id"] for one in ok(site.api.get(f"{site.path}/site-spaces"))["items"]}


@pytest.mark.parametrize("opened", ["published", "visibility", "link", None])
def test_a_space_does_not_come_back_to_a_site_that_others_opened(site: Site, opened: str | None) -> None:
    [part] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    ok(site.api.call("PATCH", site.path, {"visibility": "share-link", "published": opened != "published"}))
    ok(site.api.call("DELETE", space_of(part)), 205)
    if opened == "link":
        ok(site.api.post(f"{site.path}/share-links", {"name": "For all"}), 201)
    elif opened is not None:
        ok(site.api.call("PATCH", site.path, {"visibility": "public", "published": True}))
    ok(site.api.post(f"{space_of(part)}/restore"))
    parts = [one["id"] for one in ok(site.api.get(f"{site.path}/site-spaces"))["items"]]
    assert parts == ([part["id"]] if opened is None else [])


def test_a_section_that_somebody_removed_does_not_come_back(site: Site) -> None:
    one, other = furnish(site)
    section = f"{site.path}/sections/{one['section']}"
    # It comes back itself where it went with its last space ...
    for part in (one, other):
        ok(site.api.call("DELETE", space_of(part)), 205)
    ok(site.api.post(f"{space_of(one)}/restore"))
    assert one["section"] in {kept["id"] for kept in site.sections()}
    # ... and stays away once somebody removed it, with all that stood in it.
    ok(site.api.call("DELETE", section), 205)
    ok(site.api.post(f"{space_of(other)}/restore"))
    assert site.outline() == ["Handbook*", [], "Last"]
    assert {part["id"] for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"]}.isdisjoint({other["id"]})


def test_a_default_that_somebody_confirmed_stays(site: Site) -> None:
    one, other = furnish(site)
    [default, *_] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    ok(site.api.call("DELETE", space_of(default)), 205)
    reference = next(section for section in site.sections() if section["title"] == "Reference")
    ok(site.api.call("PATCH", site.path, {"defaultSiteSection": reference["id"]}))
    ok(site.api.post(f"{space_of(default)}/restore"))
    assert site.outline() == ["Handbook", ["Reference*"], "Last"]
    ok(site.api.call("DELETE", space_of(one)), 205)
    ok(site.api.call("PATCH", f"{site.path}/sections/{one['section']}", {"defaultSiteSpace": other["id"]}))
    ok(site.api.post(f"{space_of(one)}/restore"))
    parts = {part["id"]: part for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"]}
    assert (parts[one["id"]]["default"], parts[other["id"]]["default"]) == (False, True)


def test_a_default_that_somebody_confirmed_stays_in_a_section_that_came_later(site: Site) -> None:
    [default] = ok(site.api.get(f"{site.path}/site-spaces"))["items"]
    other = ok(site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("Other")}), 201)
    ok(site.api.call("DELETE", space_of(default)), 205)
    site.section("Later")
    ok(site.api.call("PATCH", site.path, {"defaultSiteSpace": other["id"]}))
    ok(site.api.post(f"{space_of(default)}/restore"))
    parts = {part["id"]: part["default"] for part in ok(site.api.get(f"{site.path}/site-spaces"))["items"]}
    assert (parts[default["id"]], parts[other["id"]]) == (False, True)
