"""The same request several times at the same moment: one wins, the others are told so, and nothing is half done."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import COUNTER, HostProcess, Installed, Tenant, installed, publication, wait_for
from tests.scenarios.at_once import at_once, statuses
from tests.scenarios.sent_events import items, told

TIMES = 8


def published(owner: Tenant, **more: Any) -> str:
    name = f"once-{new_id()[:8].lower()}"
    assert owner.api.post(f"/v1/integrations/{name}", publication(owner.id, **more)).status == 200
    return f"/v1/integrations/{name}"


def test_an_integration_is_installed_once(alpha: Tenant) -> None:
    path = published(alpha)
    answers = at_once(*[lambda: alpha.api.post(f"{path}/installations", {"organization": alpha.id})] * TIMES)
    assert statuses(answers) == {201: 1, 409: TIMES - 1}
    assert all("already installed" in answer.text for answer in answers if answer.status == 409)
    listed = items(alpha, f"/v1/orgs/{alpha.id}/installations")
    assert [path.endswith("/" + item["integration"]["name"]) for item in listed].count(True) == 1
    wait_for(lambda: told(alpha, path, "installation_setup"))
    assert told(alpha, path, "installation_setup") == 1


@pytest.mark.parametrize("kind", ["space", "site"])
def test_a_part_is_installed_once(alpha: Tenant, kind: str) -> None:
    path = published(alpha)
    mine = f"{path}/installations/{alpha.api.post(f'{path}/installations', {'organization': alpha.id}).json['id']}"
    made = alpha.api.post(f"/v1/orgs/{alpha.id}/{kind}s", {"title": "At once"}).json["id"]
    body = {"space": made} if kind == "space" else {"siteId": made}
    answers = at_once(*[lambda: alpha.api.post(f"{mine}/{kind}s", body)] * TIMES)
    assert statuses(answers) == {201: 1, 409: TIMES - 1}
    assert len(items(alpha, f"{mine}/{kind}s")) == 1
    wait_for(lambda: told(alpha, path, f"{kind}_installation_setup"))
    assert told(alpha, path, f"{kind}_installation_setup") == 1


def test_what_is_uninstalled_twice_is_told_once(alpha: Tenant) -> None:
    one = installed(alpha)
    mine = f"{one.path}/installations/{one.installation}"
    answers = at_once(*[lambda: alpha.api.call("DELETE", mine)] * TIMES)
    assert set(statuses(answers)) <= {204, 205} and statuses(answers)[205] >= 1
    wait_for(lambda: told(alpha, one.path, "installation_deleted"))
    kinds = ("installation_deleted", "space_installation_deleted", "site_installation_deleted")
    assert [told(alpha, one.path, kind) for kind in kinds] == [1, 1, 1]


def test_nothing_is_installed_on_what_is_being_uninstalled(alpha: Tenant) -> None:
    for _ in range(5):
        _install_on_a_space_and_uninstall(installed(alpha))


def _install_on_a_space_and_uninstall(one: Installed) -> None:
    api = one.owner.api
    mine = f"{one.path}/installations/{one.installation}"
    space = api.post(f"/v1/orgs/{one.owner.id}/spaces", {"title": "At once"}).json["id"]
    removed, added = at_once(lambda: api.call("DELETE", mine), lambda: api.post(f"{mine}/spaces", {"space": space}))
    assert (removed.status, added.status) in ((205, 201), (205, 404))
    assert one.name not in {item["name"] for item in items(one.owner, f"/v1/spaces/{space}/integrations")}
    gone = wait_for(lambda: told(one.owner, one.path, "installation_deleted"))
    setups = told(one.owner, one.path, "space_installation_setup")
    assert (gone, told(one.owner, one.path, "space_installation_deleted")) == (1, setups)


def test_what_selects_everything_covers_what_is_made_meanwhile(alpha: Tenant) -> None:
    path = published(alpha)
    mine = f"{path}/installations/{alpha.api.post(f'{path}/installations', {'organization': alpha.id}).json['id']}"
    made = at_once(
        lambda: alpha.api.call("PATCH", mine, {"space_selection": "all"}),
        *[lambda: alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": "At once"})] * 4,
    )
    assert statuses(made) == {200: 1, 201: 4}
    covered = Counter(item["space"] for item in items(alpha, f"{mine}/spaces"))
    assert {answer.json["id"] for answer in made[1:]} <= set(covered)
    assert set(covered.values()) == {1}


def test_each_publication_is_a_version(alpha: Tenant, beta: Tenant) -> None:
    path = f"/v1/integrations/once-{new_id()[:8].lower()}"
    mine = publication(alpha.id, visibility="public")
    answers = at_once(*[lambda: alpha.api.post(path, mine)] * 4)
    assert statuses(answers) == {200: 4}
    assert sorted(answer.json["version"] for answer in answers) == [1, 2, 3, 4]
    assert [item["version"] for item in items(alpha, f"{path}/versions")] == [4, 3, 2, 1]
    taken = f"/v1/integrations/once-{new_id()[:8].lower()}"
    first, second = at_once(
        lambda: alpha.api.post(taken, mine), lambda: beta.api.post(taken, publication(beta.id, visibility="public"))
    )
    assert sorted((first.status, second.status)) == [200, 403]


def test_a_tunnel_is_opened_once(alpha: Tenant) -> None:
    name = f"laptop {new_id()}"
    answers = at_once(*[lambda: alpha.api.post(f"/v1/orgs/{alpha.id}/tunnels", {"name": name})] * TIMES)
    assert len(statuses(answers)) == 1 and answers[0].status < 300
    assert len({answer.json["id"] for answer in answers}) == 1


def test_changes_of_one_installation_follow_each_other(alpha: Tenant, host: HostProcess) -> None:
    one = installed(alpha, COUNTER)
    mine = f"{one.path}/installations/{one.installation}"
    before = wait_for(lambda: told_of(one))  # of having been installed
    wanted = [{"configuration": {"n": n}, "externalIds": [f"{n}a", f"{n}b"]} for n in range(TIMES)]
    changes = [lambda body=body: alpha.api.call("PATCH", mine, body) for body in wanted]
    assert statuses(at_once(*changes)) == {200: TIMES}
    stands = alpha.api.get(mine).json
    assert {"configuration": stands["configuration"], "externalIds": stands["externalIds"]} in wanted
    # Each is told with what was there before it: together they are one chain.
    wait_for(lambda: len(told_of(one)) == len(before) + TIMES, 60)
    previous = [item["payload"]["previous"]["configuration"] for item in told_of(one)[len(before) :]]
    left = [body["configuration"] for body in wanted]
    assert previous[0] == {} and all(found in left for found in previous[1:])
    assert sorted(str(found) for found in [*previous[1:], stands["configuration"]]) == sorted(map(str, left))


def told_of(one: Installed) -> list[Any]:
    return items(one.owner, f"{one.path}/events", type="installation_setup")[::-1]


def test_a_specification_is_replaced_and_deleted(alpha: Tenant) -> None:
    at = f"/v1/orgs/{alpha.id}/openapi/once"
    body = {"source": {"text": "openapi: 3.1.0\ninfo: {title: Once, version: '1'}\npaths: {}\n"}}
    for _ in range(TIMES):
        assert alpha.api.call("PUT", at, body).status in (200, 201)
        put, *deleted = at_once(lambda: alpha.api.call("PUT", at, body), *[lambda: alpha.api.call("DELETE", at)] * 2)
        assert put.status in (200, 201, 404) and set(statuses(deleted)) <= {204, 205}
