"""What the preview's page asks the host for."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from runtime.sdk import ui
from runtime.web.preview import LONGEST_FAULT, MOST_FAULTS, Faults
from tests.conftest import HostProcess, Installed, init, installed, tenant

LONG = "x" * 100_000
BAD = {
    "type": "element",
    "state": {},
    "props": {},
    "element": ui.block(ui.image("https://x.example/a.png", aspect_ratio=1), {"type": "button", "label": 1}),
}


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that serves the preview, as `devkit dev` does."""
    data = tmp_path_factory.mktemp("previewing")
    init(data, "First", "first@example.com")
    process = HostProcess(data, environ={"DEVKIT_PREVIEW": "true"}).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="module")
def counter(host: HostProcess) -> Installed:
    return installed(tenant(host, "Alpha", "alpha@example.com"))


def test_an_output_is_examined(counter: Installed) -> None:
    path = f"/preview/api/{counter.name}/validate"
    body = counter.owner.api.post(path, {"output": BAD}).json
    assert body["violations"] == [
        {"path": "element.children[1].onPress", "rule": "is missing"},
        {"path": "element.children[1].label", "rule": "must be a text; it is a number"},
    ]
    assert [warning["path"] for warning in body["warnings"]] == ["element.children[0]", "element.children[1]"]
    output = counter.render().json
    assert counter.owner.api.post(path, {"output": output}).json["violations"] == []


def test_an_output_that_is_none_is_examined_too(counter: Installed) -> None:
    path = f"/preview/api/{counter.name}/validate"
    for output in (None, [], "text", {"type": "complete"}, {"element": [[]]}):
        assert counter.owner.api.post(path, {"output": output}).status == 200
    assert counter.owner.api.post(path, {}).status == 400
    big = counter.owner.api.post(path, {"output": "x" * (6 * 1024 * 1024)})
    assert big.status == 413


@pytest.mark.parametrize("target", ["all", "space", "organization"])
def test_a_block_is_rendered_in_the_space_that_the_preview_names(counter: Installed, target: str) -> None:
    one = installed(counter.owner, target=target)
    state = one.owner.api.get(f"/preview/api/{one.name}").json
    assert (state["spaceInstallation"] is None) == (target == "organization")
    context = one.context(spaceId=state["space"]["id"], editable=True)
    assert one.render(context=context).status == 200


def test_only_those_who_may_see_the_preview_have_outputs_examined(counter: Installed, host: HostProcess) -> None:
    other = tenant(host, "Beta", "beta@example.com")
    answer = other.api.post(f"/preview/api/{counter.name}/validate", {"output": BAD})
    assert answer.status == 404


def test_files_of_pages_are_sent_and_nothing_beside_them(host: HostProcess) -> None:
    assert status_of(host, "shared/session.js") == 200
    for path in (
        "shared/../../site/reader.js",
        "../contentkit/dom.js",
        "%2e%2e/contentkit/dom.js",
        "shared/%2e%2e/%2e%2e/%2e%2e/preview.py",
        "%2Fetc%2Fpasswd",
        "shared",
        "shared/",
    ):
        assert status_of(host, path) == 404, path


def status_of(host: HostProcess, path: str) -> int:
    """Ask for a file by a path that is sent as it is written: other clients resolve `..` before they ask."""
    connection = HTTPConnection(urlsplit(host.url).netloc, timeout=10)
    connection.request("GET", f"/preview/static/{path}")
    status = connection.getresponse().status
    connection.close()
    return status


def test_faults_of_names_that_nobody_has_are_few_and_short() -> None:
    faults = Faults()
    for number in range(MOST_FAULTS + 5):
        faults.set(f"made-up-{number}", {"message": str(number)})
    asked = (0, 4, 5, MOST_FAULTS + 4)
    assert [faults.of(f"made-up-{number}") is None for number in asked] == [True, True, False, False]
    faults.set("made-up-5", None)
    assert faults.of("made-up-5") is None


def test_a_long_fault_is_cut(counter: Installed) -> None:
    sent = {"fault": {"message": LONG, "line": 3, "column": [LONG], "more": LONG}}
    path = f"/preview/api/{counter.name}"
    assert counter.owner.api.call("PUT", f"{path}/fault", sent).status == 204
    kept = counter.owner.api.get(path).json["fault"]
    assert kept == {"message": LONG[:LONGEST_FAULT], "line": 3, "column": None}
    assert counter.owner.api.call("PUT", f"{path}/fault", {"fault": None}).status == 204
