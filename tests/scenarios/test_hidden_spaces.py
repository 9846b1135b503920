"""Who may not see a space sees it nowhere else either: not in sites, not in lists of sites, not as a parent."""

from __future__ import annotations

from tests.conftest import HostProcess, Tenant
from tests.scenarios.answers import ok
from tests.scenarios.people import collection, give, person, space
from tests.scenarios.site_structure import Site


def test_a_hidden_space_is_in_no_site_for_who_may_not_see_it(host: HostProcess, alpha: Tenant) -> None:
    site = Site(alpha)
    section = site.section("Hidden")
    other = ok(
        site.api.post(f"{site.path}/site-spaces", {"spaceId": site.space("Open"), "sectionId": section["id"]}), 201
    )
    site.group(section)
    [hidden] = section["siteSpaces"]
    hidden_id = hidden["space"]["id"]
    ok(site.api.call("PATCH", f"/v1/spaces/{hidden_id}", {"defaultLevel": None}))
    member = person(host, alpha, "create")
    assert member.api.get(f"/v1/spaces/{hidden_id}").status == 404
    for path in ("site-spaces", "sections", "section-groups", "structure"):
        said = ok(member.api.get(f"{site.path}/{path}"))
        assert hidden_id not in str(said) and hidden["id"] not in str(said) and other["id"] in str(said), path
        assert hidden_id in str(ok(site.api.get(f"{site.path}/{path}")))
    assert len(ok(member.api.get(f"{site.path}/site-spaces"))["items"]) == 2
    assert [ok(one.api.get(site.path))["siteSpaces"] for one in (member, site)] == [2, 3]
    at = f"{site.path}/site-spaces/{hidden['id']}"
    assert member.api.call("PATCH", at, {"path": "mine"}).status == 404
    assert member.api.call("DELETE", at).status in (204, 404)
    assert member.api.get(f"{at}/customization").status == 404
    found = f"/v1/orgs/{alpha.id}/sites"
    assert site.id in str(ok(site.api.get(found, space=hidden_id)))
    assert not ok(member.api.get(found, space=hidden_id))["items"]
    assert hidden["id"] in str(ok(site.api.get(f"{site.path}/site-spaces")))
    give(alpha, f"/v1/spaces/{hidden_id}", "read", users=[member.id])
    assert hidden["id"] in str(ok(member.api.get(f"{site.path}/site-spaces")))
    assert ok(member.api.get(found, space=hidden_id))["items"]


def test_a_hidden_collection_is_no_parent(host: HostProcess, alpha: Tenant) -> None:
    outer = collection(alpha)
    inner, inside = collection(alpha, outer), space(alpha, outer)
    ok(alpha.api.call("PATCH", f"/v1/collections/{outer}", {"defaultLevel": None}))
    member = person(host, alpha)
    for path in (f"/v1/collections/{inner}", f"/v1/spaces/{inside}"):
        assert member.api.get(path).status == 404
        give(alpha, path, "read", users=[member.id])
        assert "parent" not in ok(member.api.get(path)) and ok(alpha.api.get(path))["parent"] == outer
    listed = ok(member.api.get(f"/v1/orgs/{alpha.id}/spaces"))["items"]
    assert [one for one in listed if one["id"] == inside] and outer not in str(listed)
    give(alpha, f"/v1/collections/{outer}", "read", users=[member.id])
    assert ok(member.api.get(f"/v1/spaces/{inside}"))["parent"] == outer
