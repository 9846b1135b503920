"""Spaces that are imported from repositories and exported to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.conftest import HostProcess, Tenant, init, tenant, wait_for
from tests.repositories import GitServer, Repository
from tests.scenarios.answers import ok
from tests.scenarios.content import Space

README = "# Hello\n\nSee [the guide](guide/install.md#steps) and ![](.gitbook/assets/a.png).\n"
SUMMARY = "# Summary\n\n* [Hello](README.md)\n* [Guide](guide/README.md)\n  * [Install](guide/install.md)\n"
FILES: dict[str, Any] = {
    "README.md": README,
    "SUMMARY.md": SUMMARY,
    "guide/README.md": "---\ndescription: All of it\nicon: book\n---\n\n# Guide\n",
    "guide/install.md": "# Install\n\n## Steps\n\n- one\n- two\n",
    ".gitbook/assets/a.png": b"\x89PNG not really",
    "LICENSE": "Free.",
    "src/main.c": "int main() {}",
}


@pytest.fixture(name="server", scope="module")
def git_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    made = GitServer(tmp_path_factory.mktemp("repositories"))
    yield made
    made.close()


@pytest.fixture(name="own_host", scope="module")
def git_host(tmp_path_factory: pytest.TempPathFactory, server: GitServer) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("git-host")
    init(data, "First", "first@example.com")
    process = HostProcess(data, "--allow-egress", f"127.0.0.1:{server.port}").start()
    yield process
    process.stop()


@pytest.fixture(name="owner", scope="module")
def git_owner(own_host: HostProcess) -> Tenant:
    return tenant(own_host, "Git", "git@example.com")


@pytest.fixture(name="space")
def git_space(owner: Tenant) -> Space:
    return Space(owner)


@pytest.fixture(name="name")
def repository_name() -> str:
    return new_id().lower()


@pytest.fixture(name="repository")
def new_repository(server: GitServer, name: str) -> Repository:
    return server.repository(name)


@pytest.fixture(autouse=True)
def as_usual(server: GitServer) -> Iterator[None]:
    yield
    server.before = server.password = None


def ended(space: Space, before: Any = None) -> dict[str, Any]:
    """Wait for an operation, and give how it ended."""

    def look() -> Any:
        info = space.api.get(f"{space.path}/git/info")
        last = info.json.get("lastSync") if info.status == 200 else None
        return last if last is not None and last != before else None

    found: dict[str, Any] = wait_for(look, 60)
    return found


def sync(space: Space, way: str, url: str, **more: Any) -> dict[str, Any]:
    """Import or export, and wait for the end."""
    known = space.api.get(f"{space.path}/git/info")
    before = known.json.get("lastSync") if known.status == 200 else None
    body = {"url": url, "ref": "refs/heads/main", **more}
    if way == "export":
        body.setdefault("commitMessage", "Publish")
    ok(space.api.post(f"{space.path}/git/{way}", body), 204)
    return ended(space, before)
