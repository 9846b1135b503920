"""Lists whose rows are long, or are shown with what is long, come in pages that memory holds."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from runtime.contract.integrations import MAX_ICON, MAX_MANIFEST
from runtime.services.embedding import MOST_BLOCKS
from runtime.store.page_weight import MOST
from tests import databases
from tests.conftest import Api, HostProcess, Tenant, publication, tenant

ICONS = (MAX_MANIFEST - 10_000) // MAX_ICON
LONG = [{"id": f"b{number}", "title": "Block", "icon": "i" * MAX_ICON} for number in range(ICONS)]
FITTING = MOST // (ICONS * MAX_ICON)
"""Integrations with these blocks that one page has."""
MANY = MOST_BLOCKS // (ICONS * MAX_ICON) + 1


@pytest.fixture(scope="module")
def gamma(host: HostProcess) -> Tenant:
    return tenant(host, "Gamma", "gamma@example.com")


@pytest.fixture(scope="module")
def space(gamma: Tenant) -> str:
    """Give a space on which there are so many long integrations that no answer holds them."""
    made: str = gamma.api.post(f"/v1/orgs/{gamma.id}/spaces", {"title": "A space"}).json["id"]
    for _ in range(MANY):
        name = f"test-{new_id()[:8].lower()}"
        published = gamma.api.post(f"/v1/integrations/{name}", publication(gamma.id, blocks=LONG))
        assert published.status == 200, published.text
        installed = gamma.api.post(f"/v1/integrations/{name}/installations", {"organization": gamma.id})
        one = f"/v1/integrations/{name}/installations/{installed.json['id']}"
        assert gamma.api.post(f"{one}/spaces", {"space": made}).status == 201
    return made


def pages(api: Api, path: str, **query: Any) -> list[int]:
    """Give how many items each page of a list has; all of them are different."""
    lengths, seen, following = [], [], {}
    while True:
        answer = api.get(path, limit=1000, **query, **following)
        assert answer.status == 200, answer.text
        lengths.append(len(answer.json["items"]))
        seen += [str(item) for item in answer.json["items"]]
        if "next" not in answer.json:
            assert len(set(seen)) == len(seen) == answer.json["count"]
            return lengths
        following = {"page": answer.json["next"]["page"]}


@pytest.mark.parametrize(
    "path",
    [
        "/v1/orgs/{organization}/installations",
        "/v1/orgs/{organization}/integrations/installations-status",
        "/v1/orgs/{organization}/integrations/installations-status?target=space",
        "/v1/spaces/{space}/integrations",
    ],
)
def test_installations_are_listed_with_as_many_integrations_as_fit(path: str, gamma: Tenant, space: str) -> None:
    found = pages(gamma.api, path.format(organization=gamma.id, space=space))
    assert max(found) == FITTING and sum(found) == MANY


def test_blocks_that_no_answer_holds_are_shortened_where_they_are_long(
    host: HostProcess, gamma: Tenant, space: str
) -> None:
    modest = tenant(host, "Modest", "modest@example.com")
    short = [{"id": "short", "title": "Block", "icon": "i" * 1000, "urlUnfurl": ["https://short.example/**"]}]
    name = f"test-{new_id()[:8].lower()}"
    published = modest.api.post(f"/v1/integrations/{name}", publication(modest.id, blocks=short, visibility="public"))
    assert published.status == 200, published.text
    there = gamma.api.post(f"/v1/integrations/{name}/installations", {"organization": gamma.id}).json["id"]
    assert gamma.api.post(f"/v1/integrations/{name}/installations/{there}/spaces", {"space": space}).status == 201
    answer = gamma.api.get(f"/v1/spaces/{space}/integration-blocks")
    assert gamma.api.call("DELETE", f"/v1/integrations/{name}/installations/{there}").status == 205
    assert answer.status == 200, answer.text[:300]
    assert len(answer.text) < 1.1 * MOST_BLOCKS
    *long, last = answer.json
    assert last == {"name": name, "blocks": short}
    assert len(long) == MANY
    assert [one["leftOut"] for one in long] == [["icon"]] * MANY
    assert long[0]["blocks"] == [{"id": one["id"], "title": one["title"]} for one in LONG]


def test_a_manifest_has_a_bound_as_a_whole(gamma: Tenant) -> None:
    refused = gamma.api.post(
        "/v1/integrations/too-long", publication(gamma.id, blocks=[*LONG, {**LONG[0], "id": "one-more"}])
    )
    assert refused.status == 400 and f"at most {MAX_MANIFEST:,}" in refused.json["error"]["message"]


def test_comments_are_listed_with_as_many_reactions_as_fit(host: HostProcess, gamma: Tenant) -> None:
    path = f"/v1/spaces/{gamma.api.post(f'/v1/orgs/{gamma.id}/spaces', {'title': 'Talk'}).json['id']}/comments"
    comments = [gamma.api.post(path, {"body": {"markdown": "Look."}}).json["id"] for _ in range(30)]
    react(host, gamma, [(one, one, None) for one in comments])
    found = pages(gamma.api, path)
    assert len(found) > 1 and max(found) < 20
    replies = [
        gamma.api.post(f"{path}/{comments[0]}/replies", {"body": {"markdown": "Yes."}}).json["id"] for _ in range(30)
    ]
    react(host, gamma, [(one, comments[0], one) for one in replies])
    found = pages(gamma.api, f"{path}/{comments[0]}/replies")
    assert len(found) > 1 and max(found) < 20


def react(host: HostProcess, owner: Tenant, places: list[tuple[str, str, str | None]]) -> None:
    """Add 600 reactions to each of some comments, as many people would."""
    for on, comment, reply in places:
        values = "(?, ?, ?, ?, ?, ?)"
        databases.ask(
            host.data,
            "INSERT INTO comment_reactions (on_id, emoji, user_id, comment_id, reply_id, reacted_at) VALUES "
            + ", ".join([values] * 600),
            [
                value
                for number in range(600)
                for value in (on, f"e{number}", owner.user, comment, reply, "2026-01-01 00:00:00.000000")
            ],
        )


def test_reviews_are_listed_with_as_many_comments_as_fit(gamma: Tenant) -> None:
    space = gamma.api.post(f"/v1/orgs/{gamma.id}/spaces", {"title": "Reviewed"}).json["id"]
    path = f"/v1/spaces/{space}/change-requests"
    path += f"/{gamma.api.post(path, {}).json['id']}/reviews"
    for _ in range(30):
        body = {"status": "approved", "comment": {"markdown": "word " * 19_000}}
        assert gamma.api.post(path, body).status == 201
    found = pages(gamma.api, path)
    assert len(found) > 1 and max(found) < 25
