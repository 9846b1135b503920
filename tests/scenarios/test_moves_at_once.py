"""Moves, transfers, deletions and restores at the same moment: one wins, the others are told, nothing is half done."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.conftest import HostProcess, Installed, Tenant, installed, wait_for
from tests.scenarios.at_once import at_once, statuses
from tests.scenarios.people import collection, give, person, space, team
from tests.scenarios.sent_events import told

TIMES = 6


@pytest.fixture
def gamma(alpha: Tenant) -> Tenant:
    """Another organization of the same person."""
    return Tenant(alpha.api.post("/v1/orgs", {"title": "Gamma"}).json["id"], alpha.user, alpha.api)


def parent_of(owner: Tenant, path: str) -> Any:
    return owner.api.get(path).json.get("parent")


@pytest.mark.parametrize("kind", ["space", "collection"])
def test_the_same_move_is_made_once(kind: str, alpha: Tenant) -> None:
    folder = collection(alpha)
    at = f"/v1/{kind}s/{space(alpha) if kind == 'space' else collection(alpha)}"
    answers = at_once(*[lambda: alpha.api.post(f"{at}/move", {"parent": folder})] * TIMES)
    assert statuses(answers) == {200: 1, 409: TIMES - 1}
    assert parent_of(alpha, at) == folder


def test_two_collections_do_not_end_up_in_each_other(alpha: Tenant) -> None:
    for _ in range(4):
        _move_into_each_other(alpha, collection(alpha), collection(alpha))


def _move_into_each_other(alpha: Tenant, one: str, other: str) -> None:
    answers = at_once(
        lambda: alpha.api.post(f"/v1/collections/{one}/move", {"parent": other}),
        lambda: alpha.api.post(f"/v1/collections/{other}/move", {"parent": one}),
    )
    assert statuses(answers) == {200: 1, 400: 1}
    parents = Counter(parent_of(alpha, f"/v1/collections/{each}") for each in (one, other))
    assert parents[None] == 1


def test_a_ring_of_three_is_not_closed(alpha: Tenant) -> None:
    ring = [collection(alpha) for _ in range(3)]
    answers = at_once(
        *(
            lambda inner=inner, outer=outer: alpha.api.post(f"/v1/collections/{inner}/move", {"parent": outer})
            for inner, outer in zip(ring, [*ring[1:], ring[0]], strict=True)
        )
    )
    assert statuses(answers) == {200: 2, 400: 1}


def test_what_is_deleted_takes_along_what_comes_in_meanwhile(alpha: Tenant) -> None:
    for _ in range(4):
        _fill_and_delete(alpha, collection(alpha), space(alpha))


def _fill_and_delete(alpha: Tenant, folder: str, mine: str) -> None:
    moved, deleted, made = at_once(
        lambda: alpha.api.post(f"/v1/spaces/{mine}/move", {"parent": folder}),
        lambda: alpha.api.call("DELETE", f"/v1/collections/{folder}"),
        lambda: alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"parent": folder}),
    )
    assert deleted.status == 205 and moved.status in (200, 400, 404) and made.status in (201, 400, 404)
    there = alpha.api.get(f"/v1/spaces/{mine}")
    assert there.status == 200 and ("deletedAt" in there.json) is (moved.status == 200)
    if made.status == 201:
        assert "deletedAt" in alpha.api.get(f"/v1/spaces/{made.json['id']}").json


def test_a_space_is_deleted_once_and_integrations_hear_of_it_once(alpha: Tenant) -> None:
    one = installed(alpha, blocks=[])
    at = f"/v1/spaces/{one.space}"
    answers = at_once(*[lambda: alpha.api.call("DELETE", at)] * TIMES)
    assert statuses(answers) == {205: 1, 204: TIMES - 1}
    wait_for(lambda: told(alpha, one.path, "space_installation_deleted"))
    assert told(alpha, one.path, "space_installation_deleted") == 1
    answers = at_once(*[lambda: alpha.api.post(f"{at}/restore")] * TIMES)
    assert statuses(answers)[200] == 1 and set(statuses(answers)) <= {200, 404, 409}
    assert alpha.api.get(at).status == 200


def test_nothing_is_installed_on_a_space_that_is_deleted_meanwhile(alpha: Tenant) -> None:
    for _ in range(4):
        _install_and_delete(alpha, installed(alpha, blocks=[]), space(alpha))


def _install_and_delete(alpha: Tenant, one: Installed, made: str) -> None:
    mine = f"{one.path}/installations/{one.installation}/spaces"
    deleted, added = at_once(
        lambda: alpha.api.call("DELETE", f"/v1/spaces/{made}"), lambda: alpha.api.post(mine, {"space": made})
    )
    assert deleted.status == 205 and added.status in (201, 400, 404)
    assert made not in {item["space"] for item in alpha.api.get(mine).json["items"]}
    wait_for(lambda: told(alpha, one.path, "space_installation_setup") >= 1)
    told_of_both = added.status == 201
    wait_for(lambda: told(alpha, one.path, "space_installation_setup") == 1 + told_of_both)
    wait_for(lambda: told(alpha, one.path, "space_installation_deleted") == told_of_both)


@pytest.mark.parametrize("kind", ["space", "collection"])
def test_what_is_given_away_goes_once(kind: str, alpha: Tenant, gamma: Tenant) -> None:
    at = f"/v1/{kind}s/{space(alpha) if kind == 'space' else collection(alpha)}"
    other = Tenant(alpha.api.post("/v1/orgs", {"title": "Delta"}).json["id"], alpha.user, alpha.api)
    targets = [gamma, gamma, gamma]
    answers = at_once(
        *(lambda to=to: alpha.api.post(f"{at}/transfer", {"organization": to.id}) for to in targets),
        lambda: alpha.api.post(f"{at}/move", {"position": {"after": {"type": "space", "space": "nowhere"}}}),
    )
    found = statuses(answers[:3])
    assert found[200] == 1 and set(found) <= {200, 404, 409}
    assert alpha.api.get(at).json["organization"] == gamma.id
    both = at_once(
        lambda: alpha.api.post(f"{at}/transfer", {"organization": alpha.id}),
        lambda: alpha.api.post(f"{at}/transfer", {"organization": other.id}),
    )
    assert all(answer.status in (200, 404, 409) for answer in both) and statuses(both)[200] >= 1
    home = alpha.api.get(at).json["organization"]
    assert home in (alpha.id, other.id)
    assert home in {answer.json["organization"] for answer in both if answer.status == 200}


def test_a_space_is_not_half_given_away(alpha: Tenant, gamma: Tenant) -> None:
    for _ in range(4):
        folder = collection(alpha)
        _give_away_and_move(alpha, gamma, folder, space(alpha, folder))


def _give_away_and_move(alpha: Tenant, gamma: Tenant, folder: str, mine: str) -> None:
    given, moved, deleted = at_once(
        lambda: alpha.api.post(f"/v1/collections/{folder}/transfer", {"organization": gamma.id}),
        lambda: alpha.api.post(f"/v1/spaces/{mine}/move", {"parent": None}),
        lambda: alpha.api.call("DELETE", f"/v1/spaces/{mine}"),
    )
    assert given.status == 200 and moved.status in (200, 404) and deleted.status in (204, 205)
    shown = alpha.api.get(f"/v1/spaces/{mine}")
    if deleted.status == 205:
        assert "deletedAt" in shown.json
        assert alpha.api.post(f"/v1/spaces/{mine}/restore").status == 200
        shown = alpha.api.get(f"/v1/spaces/{mine}")
    if "parent" in shown.json:
        assert alpha.api.get(f"/v1/collections/{folder}").json["organization"] == shown.json["organization"]


def test_access_is_given_once(host: HostProcess, alpha: Tenant) -> None:
    reader = person(host, alpha)
    group = team(alpha, reader)
    at = f"/v1/spaces/{space(alpha)}"
    body = {"role": "edit", "users": [reader.id], "teams": [group]}
    answers = at_once(*[lambda: alpha.api.post(f"{at}/permissions", body)] * TIMES)
    assert statuses(answers) == {204: TIMES}
    for part in ("users", "teams"):
        assert alpha.api.get(f"{at}/permissions/{part}").json["count"] == 1
    taken = at_once(*[lambda: alpha.api.call("DELETE", f"{at}/permissions/users/{reader.id}")] * TIMES)
    assert statuses(taken)[205] >= 1 and set(statuses(taken)) <= {204, 205}
    give(alpha, at, "read", users=[reader.id])


def test_places_hold_when_many_are_moved_at_once(alpha: Tenant) -> None:
    folder = collection(alpha)
    every = [space(alpha, folder) for _ in range(TIMES)]
    first = {"position": {"before": {"type": "space", "space": every[0]}}}
    answers = at_once(*(lambda one=one: alpha.api.post(f"/v1/spaces/{one}/move", first) for one in every[1:]))
    assert set(statuses(answers)) <= {200, 409}
    stand = [one["id"] for one in alpha.api.get(f"/v1/collections/{folder}/spaces").json["items"]]
    assert sorted(stand) == sorted(every) and stand[-1] == every[0]
