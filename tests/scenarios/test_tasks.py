"""Tasks for later, and the pages of installations that tasks walk through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests

from tests.conftest import HostProcess, Installed, Tenant, init, installed, tenant, wait_for

SCRIPT = """
from runtime.sdk import ApiError, Integration, Response

integration = Integration()


@integration.task
def task(task, context):
    left = task["left"]
    context.log.info("left %s", left)
    if left:
        context.queue_task({"left": left - 1, "name": task["name"]}, schedule=0.2)


@integration.fetch("POST", "/queue")
def queue(request, context):
    wanted = request.json()
    path = f"/integrations/{context.environment['integration']['name']}/tasks"
    try:
        context.integration_api.post(path, wanted)
    except ApiError as error:
        return Response.json({"error": str(error)}, status=error.status)
    return Response.json({})


@integration.fetch("GET", "/list")
def listed(request, context):
    path = f"/integrations/{context.environment['integration']['name']}/{request.query['what']}"
    query = {name: value for name, value in request.query.items() if name != "what"}
    return Response.json(context.integration_api.get(path, **query))
"""


def endpoint(one: Installed) -> str:
    address: str = one.owner.api.get(one.path).json["urls"]["publicEndpoint"]
    return address


def queue(one: Installed, name: str, left: int, schedule: float) -> requests.Response:
    wanted = {"task": {"name": name, "left": left}, "schedule": schedule}
    return requests.post(f"{endpoint(one)}/queue", json=wanted, timeout=60)


def done(one: Installed, name: str) -> list[int]:
    listed = one.owner.api.get(f"{one.path}/events", type="task", limit=1000).json["items"]
    return sorted(item["payload"]["task"]["left"] for item in listed if item["payload"]["task"]["name"] == name)


@pytest.fixture(scope="module")
def one(alpha: Tenant) -> Installed:
    return installed(alpha, SCRIPT, blocks=[], visibility="public")


def test_a_task_waits_for_its_time_up_to_a_day(one: Installed) -> None:
    assert queue(one, "tomorrow", 0, 86_400).status_code == 200
    for late in (86_401, -1):
        refused = queue(one, "never", 0, late)
        assert refused.status_code == 400 and "schedule" in refused.text
    assert queue(one, "soon", 2, 0).status_code == 200
    wait_for(lambda: done(one, "soon") == [0, 1, 2])
    assert done(one, "tomorrow") == done(one, "never") == []


def test_tasks_outlive_a_host_that_is_killed(tmp_path: Path) -> None:
    init(tmp_path, "First", "first@example.com")
    host = HostProcess(tmp_path, environ={"DEVKIT_LEASE_SECONDS": "3"}).start()
    one = installed(tenant(host, "First", "first@example.com"), SCRIPT, blocks=[])
    for number in range(5):
        assert queue(one, f"chain-{number}", 3, 1.5).status_code == 200
    host.kill()
    host.start()
    for number in range(5):
        wait_for(lambda name=f"chain-{number}": set(done(one, name)) == {0, 1, 2, 3}, 60)
    assert host.stop() == 0


def walk(one: Installed, what: str, **query: Any) -> tuple[list[Any], set[int], list[int]]:
    """Read a list page by page, as an integration does; gives the items, every `count` told, the size of each page."""
    items: list[Any] = []
    counts: set[int] = set()
    sizes: list[int] = []
    while True:
        page = requests.get(f"{endpoint(one)}/list", params={"what": what, **query}, timeout=60).json()
        items += page["items"]
        counts.add(page["count"])
        sizes.append(len(page["items"]))
        if "next" not in page:
            return items, counts, sizes
        query["page"] = page["next"]["page"]


def test_space_installations_are_paged_by_external_id(one: Installed, alpha: Tenant) -> None:
    parts = f"{one.path}/installations/{one.installation}/spaces"
    for number in range(5):
        space = alpha.api.post(f"/v1/orgs/{alpha.id}/spaces", {"title": f"S{number}"}).json["id"]
        assert alpha.api.post(parts, {"space": space}).status == 201
        names = {"externalIds": ["repository", f"only-{number}"]}
        assert alpha.api.call("PATCH", f"{parts}/{space}", names).status == 200
    items, counts, sizes = walk(one, "spaces", externalId="repository", limit=2)
    assert (len({item["space"] for item in items}), counts, sizes) == (5, {5}, [2, 2, 1])
    assert all("repository" in item["externalIds"] for item in items)
    assert len(walk(one, "spaces", limit=4)[0]) == 6  # with the one that has no name
    assert len(walk(one, "spaces", externalId="only-3")[0]) == 1
    assert walk(one, "spaces", externalId="only") == ([], {0}, [0])
    extended = walk(one, "spaces", externalId="only-3", extended="true")[0]
    assert extended[0]["space"]["title"] == "S3"


def test_installations_are_paged_by_external_id(one: Installed, alpha: Tenant, beta: Tenant) -> None:
    made = beta.api.post(f"{one.path}/installations", {"organization": beta.id})
    assert made.status == 201, made.text
    for owner, installation in ((alpha, one.installation), (beta, made.json["id"])):
        path = f"{one.path}/installations/{installation}"
        assert owner.api.call("PATCH", path, {"externalIds": ["team", owner.id]}).status == 200
    items, counts, sizes = walk(one, "installations", externalId="team", limit=1)
    assert ({item["target"]["organization"] for item in items}, counts, sizes) == ({alpha.id, beta.id}, {2}, [1, 1])
    assert [item["id"] for item in walk(one, "installations", externalId=beta.id)[0]] == [made.json["id"]]
    assert beta.api.call("DELETE", f"{one.path}/installations/{made.json['id']}").status == 205
    assert walk(one, "installations", externalId=beta.id)[0] == []
