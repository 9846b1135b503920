"""A host that is killed in the middle of an import from Git goes on with it: everything is there, once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import databases
from tests.conftest import HostProcess, init, installed, tenant, wait_for
from tests.repositories import GitServer
from tests.scenarios.answers import ok

PAGES = 700
"""More than are stored in one transaction."""
FILES = {f"part-{number % 7}/page-{number}.md": f"# Page {number}\n\nText {number}\n" for number in range(PAGES)}


def while_fetched(server: GitServer, host: HostProcess, space: str) -> Callable[[], bool]:
    """Kill the host when it asks for the commit."""
    killed: list[bool] = []

    def kill(environ: dict[str, Any], start: Any) -> None:
        if environ["REQUEST_METHOD"] == "POST" and not killed:
            killed.append(True)
            host.kill()

    server.before = kill
    return lambda: bool(killed)


def while_stored(server: GitServer, host: HostProcess, space: str) -> Callable[[], bool]:
    """Kill the host when some documents are stored and no revision has them."""

    def kill() -> bool:
        ((stored,),) = databases.ask(host.data, "SELECT count(*) FROM content_pieces WHERE space_id = ?", (space,))
        if stored <= 100:
            return False
        host.kill()
        return True

    return kill


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder for temporary files, with a name that leaves room for sockets."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.parametrize("when", [while_fetched, while_stored])
def test_an_import_survives_the_host(
    tmp_path: Path, temporary: Path, when: Callable[[GitServer, HostProcess, str], Callable[[], bool]]
) -> None:
    init(tmp_path, "First", "first@example.com")
    (tmp_path / "git").mkdir()
    server = GitServer(tmp_path / "git")
    oid = server.repository("docs").commit(FILES, "All of it")
    host = HostProcess(
        tmp_path, "--allow-egress", f"127.0.0.1:{server.port}", environ={"TMPDIR": str(temporary)}
    ).start()
    try:
        owner = tenant(host, "Alpha", "alpha@example.com")
        one = installed(owner, scopes=["space:git:sync", "space:content:read"])
        path = f"/v1/spaces/{one.space}"
        before = ok(owner.api.get(path))["revision"]
        killed = when(server, host, one.space)
        body = {"url": server.address("docs"), "ref": "refs/heads/main"}
        ok(owner.api.post(f"{path}/git/import", body), 204)
        wait_for(killed, 60)
        (left,) = temporary.glob("integration-work-*")
        assert [one for one in left.iterdir() if one.is_dir()], "what a host did not clean up itself"
        host.start()
        assert left not in temporary.glob("integration-work-*")

        def ended() -> Any:
            info = owner.api.get(f"{path}/git/info")
            return info.json.get("lastSync") if info.status == 200 else None

        last = wait_for(ended, 90)
        assert (last["state"], last["commit"]) == ("success", oid), last
        revision = ok(owner.api.get(f"{path}/content"))
        assert (revision["id"], revision["parents"]) == (last["revision"], [before])
        titles = [
            page["title"]
            for top in ok(owner.api.get(f"{path}/content/pages"))["pages"]
            for page in (top, *top.get("pages", ()))
        ]
        found = [title for title in titles if title.startswith("Page ")]
        assert sorted(found) == sorted(f"Page {number}" for number in range(PAGES))
        ((rows,),) = databases.ask(tmp_path, "SELECT count(*) FROM revisions WHERE space_id = ?", (one.space,))
        assert rows == 2
        for kind in ("space_gitsync_started", "space_content_updated", "space_gitsync_completed"):
            ((told,),) = databases.ask(tmp_path, "SELECT count(*) FROM events WHERE type = ?", (kind,))
            assert told == 1, kind
        wait_for(lambda: databases.ask(tmp_path, "SELECT id FROM jobs WHERE kind = 'git-sync'") == [])
        assert host.stop() == 0
        assert not [*temporary.glob("integration-work-*")]
    finally:
        server.close()
        if host.process is not None and host.process.poll() is None:
            host.kill()
