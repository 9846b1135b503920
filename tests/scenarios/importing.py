"""Spaces into which content of another server is imported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from runtime.api.families.importing import LONGEST_WAIT
from tests.conftest import Answer, HostProcess, Tenant, init, tenant, wait_for
from tests.scenarios.answers import ok
from tests.scenarios.content import Space
from tests.scenarios.elsewhere import Elsewhere, elsewhere


@pytest.fixture(name="web", scope="module")
def source_web() -> Iterator[Elsewhere]:
    with elsewhere() as server:
        yield server


@pytest.fixture(name="reaching", scope="module")
def reaching_host(web: Elsewhere, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """A host that may reach the other server."""
    data = tmp_path_factory.mktemp("importing")
    init(data, "First", "first@example.com")
    host = HostProcess(data, "--allow-egress", web.authority).start()
    yield host
    assert host.stop() == 0


@pytest.fixture(name="owner", scope="module")
def importing_owner(reaching: HostProcess) -> Tenant:
    return tenant(reaching, "Importers", "importers@example.com")


@pytest.fixture(name="space")
def live_space(owner: Tenant, web: Elsewhere) -> Space:
    """A space that may be edited directly, before the other server has any page."""
    web.pages.clear()
    made = Space(owner)
    ok(made.api.call("PATCH", made.path, {"editMode": "live"}))
    return made


def imported(space: Space, url: str, source: str, path: str = "content") -> Any:
    """Import, and give the answer."""
    answer = space.api.post(f"{space.path}/{path}/import", {"url": url, "source": source}, timeout=LONGEST_WAIT + 20)
    made = ok(answer, 201)
    assert answer.headers["Location"].endswith(f"{space.path}/revisions/{made['revision']}")
    return made


def sent(space: Space, content: bytes, source: str, name: str = "import", **query: str) -> dict[str, Any]:
    """Import what is sent, and give the import when it is over."""
    params = {"source": source, "name": name, **query}
    answer = space.api.call("POST", f"{space.path}/content/import/upload", data=content, params=params)
    begun = ok(answer, 201)
    path = f"{space.path}/imports/{begun['id']}"
    assert answer.headers["Location"].endswith(path)
    over = ("completed", "failed", "cancelled")
    found: dict[str, Any] = wait_for(lambda: (now := ok(space.api.get(path)))["status"] in over and now, 280)
    return found


def refused(answer: Answer, said: str, status: int = 400) -> None:
    assert answer.status == status, answer.text
    assert said in answer.json["error"]["message"], answer.text
