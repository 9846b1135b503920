"""What the preview's page asks the host for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runtime.sdk import ui
from tests.conftest import HostProcess, Installed, init, installed, tenant

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
    found = counter.owner.api.post(path, {"output": BAD}).json
    assert found["violations"] == [
        {"path": "element.children[1].onPress", "rule": "is missing"},
        {"path": "element.children[1].label", "rule": "must be a text; it is a number"},
    ]
    assert [one["path"] for one in found["warnings"]] == ["element.children[0]", "element.children[1]"]
    drawn = counter.render().json
    assert counter.owner.api.post(path, {"output": drawn}).json["violations"] == []


def test_an_output_that_is_none_is_examined_too(counter: Installed) -> None:
    path = f"/preview/api/{counter.name}/validate"
    for output in (None, [], "text", {"type": "complete"}, {"element": [[]]}):
        assert counter.owner.api.post(path, {"output": output}).status == 200
    assert counter.owner.api.post(path, {}).status == 400
    big = counter.owner.api.post(path, {"output": "x" * (6 * 1024 * 1024)})
    assert big.status == 413


def test_only_those_who_may_see_the_preview_have_outputs_examined(counter: Installed, host: HostProcess) -> None:
    other = tenant(host, "Beta", "beta@example.com")
    answer = other.api.post(f"/preview/api/{counter.name}/validate", {"output": BAD})
    assert answer.status == 404
