"""The key of a share link in requests: it writes addresses, and lets in whoever has it as a visitor of that site."""

from __future__ import annotations

import pytest

from tests.conftest import Api, HostProcess, Tenant
from tests.scenarios import people
from tests.scenarios.answers import ok
from tests.scenarios.share_links import Shared, key_in


@pytest.fixture
def shared(alpha: Tenant) -> Shared:
    return Shared(alpha)


def test_a_space_writes_its_address_with_the_key(shared: Shared) -> None:
    key = key_in(shared.url)
    assert "published" not in ok(shared.api.get(shared.at))["urls"]
    shown = ok(shared.api.get(shared.at, shareKey=key))["urls"]
    assert shown["published"] == shared.url and "public" not in shown
    assert shared.api.get(shared.at, shareKey="wrong").status == 404
    assert shared.api.get(shared.at, shareKey="x" * 201).status == 400
    open_site = f"/v1/spaces/{shared.space()}"
    assert ok(shared.api.get(open_site, shareKey="wrong"))["object"] == "space"  # none of its sites needs a key


def test_strangers_with_the_key_are_visitors(shared: Shared, beta: Tenant) -> None:
    key, stranger = key_in(shared.url), beta.api
    ok(shared.api.post(f"{shared.at}/comments", {"body": {"markdown": "For us."}}))
    seen = ok(stranger.get(shared.at, shareKey=key))
    assert seen["urls"]["published"] == shared.url and seen["comments"] == 0
    assert [name for name, may in seen["permissions"].items() if may] == ["view"] and "gitSync" not in seen
    visitor = Api(stranger.url, ok(Api(stranger.url, None).post("/v1/urls/published", {"url": shared.url}))["apiToken"])
    assert ok(visitor.get(shared.at)) == seen
    for place in ("published", "structure"):
        assert ok(stranger.get(f"{shared.path}/{place}", shareKey=key)) == ok(visitor.get(f"{shared.path}/{place}"))
    # Nothing else takes a key, and lists that know no conditions stay closed.
    for place in (f"{shared.at}/content", f"{shared.at}/comments", shared.path, f"{shared.path}/share-links"):
        assert stranger.get(place, shareKey=key).status == 404
    for place in ("sections", "site-spaces"):
        assert stranger.get(f"{shared.path}/{place}", shareKey=key).status == 404
    assert stranger.call("PATCH", shared.at, {"title": "Mine"}, params={"shareKey": key}).status == 404
    assert Api(stranger.url, None).get(shared.at, shareKey=key).status == 401


def test_keys_that_open_nothing_are_as_none(shared: Shared, alpha: Tenant, beta: Tenant) -> None:
    key, stranger, other = key_in(shared.url), beta.api, Shared(alpha)
    nothing = stranger.get(shared.at)
    assert nothing.status == 404
    long = ["x" * 201, "x" * 5000]
    for wrong in ("wrong", "", "\x00", *long, key[:-1], f"{key}x", key_in(other.url), other.id, shared.link):
        answer = stranger.get(shared.at, shareKey=wrong)
        assert (answer.status, answer.json) == (404, nothing.json), wrong
    assert stranger.get(f"/v1/spaces/{shared.space()}", shareKey=key).status == 404  # not on the site
    assert stranger.get(f"{other.path}/published", shareKey=key).status == 404
    link = f"{shared.path}/share-links/{shared.link}"
    ok(shared.api.call("PATCH", link, {"active": False}))
    assert stranger.get(shared.at, shareKey=key).status == 404
    ok(shared.api.call("PATCH", link, {"active": True}))
    ok(stranger.get(shared.at, shareKey=key))
    ok(shared.api.post(f"{shared.path}/unpublish"))
    assert stranger.get(shared.at, shareKey=key).status == 404
    ok(shared.api.post(f"{shared.path}/publish"))
    ok(shared.api.call("PATCH", shared.path, {"visibility": "unlisted"}))
    assert stranger.get(shared.at, shareKey=key).status == 404
    ok(shared.api.call("PATCH", shared.path, {"visibility": "share-link"}))
    ok(stranger.get(shared.at, shareKey=key))
    assert shared.api.call("DELETE", link).status == 205
    assert stranger.get(shared.at, shareKey=key).status == 404


def test_what_a_visitor_does_not_meet_stays_hidden(shared: Shared, beta: Tenant) -> None:
    section = shared.section("Staff")
    hidden = section["siteSpaces"][0]["space"]["id"]
    key = key_in(shared.url)
    ok(beta.api.get(f"/v1/spaces/{hidden}", shareKey=key))
    at = f"{shared.path}/sections/{section['id']}"
    ok(shared.api.call("PATCH", at, {"condition": "visitor.claims.staff == true"}))
    assert beta.api.get(f"/v1/spaces/{hidden}", shareKey=key).status == 404
    ok(beta.api.get(shared.at, shareKey=key))


def test_members_whom_a_space_is_closed_to(host: HostProcess, shared: Shared) -> None:
    member = people.person(host, shared.owner, "edit")
    ok(shared.api.call("PATCH", shared.at, {"defaultLevel": None}))
    assert member.api.get(shared.at).status == 404
    assert ok(member.api.get(shared.at, shareKey=key_in(shared.url)))["permissions"]["edit"] is False


def test_what_is_inside_an_answer_has_addresses_with_the_key_too(shared: Shared) -> None:
    key = key_in(shared.url)
    published = ok(shared.api.get(f"{shared.path}/published", shareKey=key))
    assert published["site"]["urls"]["published"] == shared.url
    structure = ok(shared.api.get(f"{shared.path}/structure", shareKey=key))
    [listed] = ok(shared.api.get(f"{shared.path}/site-spaces", shareKey=key))["items"]
    for part in (published["structure"]["structure"][0], structure["structure"][0], listed):
        assert part["space"]["urls"]["published"] == part["urls"]["published"] == shared.url
    assert "published" not in ok(shared.api.get(f"{shared.path}/structure"))["structure"][0]["space"]["urls"]


def test_visitors_with_a_key_read_the_address_that_lets_them_in(shared: Shared) -> None:
    url = shared.api.url
    visitor = Api(url, ok(Api(url, None).post("/v1/urls/published", {"url": shared.url}))["apiToken"])
    assert ok(visitor.get(shared.path))["urls"]["published"] == shared.url
