"""Numbers that are none, moments without a year and ids of every kind: refused, without a stack, on every route."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from lzstring import LZString

from runtime.api.operation import Operation
from runtime.api.table import operations
from tests.conftest import HostProcess, init, tenant
from tests.contract.hostile_inputs import NO_NUMBERS, Turns, bodies, moments, walk, walk_raw
from tests.contract.operation_walk import build
from tests.contract.requests_table import World

WITH_BODY = [one for one in operations() if one.body is not None]
ADDRESSED = [one for one in operations() if one.name != "publishIntegration"]  # of which some of these are good names


@pytest.fixture(scope="module")
def turns() -> Turns:
    return Turns()


@pytest.fixture(scope="module")
def open_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("hostile")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_PREVIEW": "1"}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def world(open_host: HostProcess) -> World:
    return build(open_host, tenant(open_host, "Hostile", "hostile@example.com"))


@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda one: one.name)
def test_numbers_that_are_none_are_refused_anywhere_in_a_body(operation: Operation, world: World) -> None:
    needs = operation.needs
    api = world.installed.owner.api if needs.user else world.integration
    headers = {"Content-Type": "application/json"}
    for body in bodies(world, operation):
        answer = api.call(operation.method, world.path(operation), data=body, headers=headers)
        assert answer.status == 400, (body, answer.text)
        assert "finite" in answer.json["error"]["message"]


def test_bad_timestamps_cause_no_internal_error(world: World) -> None:
    owner, headers = world.installed.owner.api, {"Content-Type": "application/json"}
    sent = [(operation, body) for operation in WITH_BODY for body in moments(world, operation)]
    assert {"importGitRepository", "exportToGitRepository"} <= {operation.name for operation, _ in sent}
    for operation, body in sent:
        answer = owner.call(operation.method, world.path(operation), data=body, headers=headers)
        assert answer.status < 500, (body, answer.text)
        if b"-14:00" in body or b"+14:00" in body:
            assert answer.status == 400 and "between the years 1 and 9999" in answer.json["error"]["message"]


def test_they_are_refused_beside_the_operations(world: World, open_host: HostProcess) -> None:
    one, api = world.installed, world.installed.owner.api
    json_type = {"Content-Type": "application/json"}
    site = f"/v1/orgs/{one.owner.id}/sites/{one.site}"
    home = api.call("PATCH", site, {"published": True, "visibility": "public"}).json["urls"]["published"]
    for number in NO_NUMBERS:
        render = f'{{"componentId": "counter", "props": {{"a": {number}}}, "context": {{}}}}'
        packed = LZString().compressToEncodedURIComponent(render)
        assert "finite" in api.get(f"{one.path}/render", request=packed).json["error"]["message"]
        for method, place, body in (
            ("PUT", f"/preview/api/{one.name}/fault", f'{{"fault": {{"message": {number}}}}}'),
            ("POST", f"/preview/api/{one.name}/validate", f'{{"output": {{"a": [{number}]}}}}'),
        ):
            assert api.call(method, place, data=body, headers=json_type).status == 400
        for place in ("insights", f"render/{one.name}", "violations"):
            answer = requests.post(f"{home}-/{place}", data=f'{{"events": [{number}]}}', headers=json_type, timeout=30)
            assert answer.status_code == 400, (place, answer.text)


def test_a_text_that_only_looks_like_one_is_a_text(world: World) -> None:
    text = "NaN, Infinity and 1e999: not numbers; " + "9" * 400
    assert world.installed.render("counter", props={"content": text, "small": 1e-320}).status == 200


@pytest.mark.parametrize("operation", ADDRESSED, ids=lambda one: one.name)
def test_addresses_and_parameters_of_every_kind(
    operation: Operation, world: World, open_host: HostProcess, turns: Turns
) -> None:
    walk(world, world.installed.owner.api, operation, turns)
    nothing_broke(open_host)


def test_addresses_beside_the_operations(world: World, open_host: HostProcess) -> None:
    walk_raw(world, world.installed.owner.api, world.named["tunnelId"])
    nothing_broke(open_host)


def nothing_broke(host: HostProcess) -> None:
    log = (host.data / "host.log").read_text()
    assert "Traceback" not in log, log[-3000:]
