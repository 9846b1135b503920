"""Real documentation goes all the way: imported, read with the published client, changed, merged, exported."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.clients.compiling import bundled
from tests.clients.packages import FOLDER, needs_packages
from tests.clients.running import node
from tests.conftest import HostProcess, Tenant
from tests.scenarios.answers import ok
from tests.scenarios.content import Space, page
from tests.scenarios.elsewhere import packed
from tests.scenarios.importing import sent

pytestmark = needs_packages
PROJECT = Path(__file__).parents[2]
INSTALLED = Path(sysconfig.get_path("purelib"))
MOST = 60
LARGEST = 200_000


def documentation() -> dict[str, bytes]:
    """Gather this project's own documentation, and Markdown that installed packages ship."""
    own = [
        PROJECT / "README.md",
        PROJECT / "CONTRIBUTING.md",
        PROJECT / "SECURITY.md",
        *(PROJECT / "docs").rglob("*.md"),
    ]
    files = {f"project/{path.relative_to(PROJECT)}": path.read_bytes() for path in own}
    shipped = [path for path in sorted(INSTALLED.rglob("*.md")) if 200 < path.stat().st_size < LARGEST]
    files |= {f"packages/{number}-{path.name}": path.read_bytes() for number, path in enumerate(shipped[:MOST])}
    return files


def live(owner: Tenant) -> Space:
    space = Space(owner)
    ok(space.api.call("PATCH", space.path, {"editMode": "live"}))
    return space


def read(space: Space, home: Path) -> dict[str, str]:
    """Read a space with the published client."""
    program = home / "read_space.mjs"
    program.write_text(bundled(FOLDER / "read_space.mjs"))
    asked = {"endpoint": space.api.url, "token": space.api.token, "space": space.id}
    done = node(home, program, given=json.dumps(asked))
    assert done.code == 0, done.err
    pages: dict[str, str] = json.loads(done.out)
    return pages


def exported(space: Space, folder: Path) -> dict[str, bytes]:
    """Write a space into a folder, from the command line."""
    command = [sys.executable, "-m", "devkit", "export", "--space", space.id, str(folder)]
    options = ["--host", space.api.url, "--token", str(space.api.token)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


def test_real_documentation_goes_all_the_way(host: HostProcess, alpha: Tenant, tmp_path: Path, home: Path) -> None:
    files = documentation()
    assert len(files) > 10
    space = live(alpha)
    done: dict[str, Any] = sent(space, packed(files), "zip", "documentation.zip")
    assert done["status"] == "completed", done
    before = read(space, home)
    assert len(before) >= len(files)
    assert any("egress" in text for text in before.values())
    space.merge(page("Added", "A page of **ours**.", id="ours"))
    changed = next(iter(ok(space.api.get(f"{space.path}/content/pages"))["pages"]))["id"]
    space.merge({"type": "update_page", "id": changed, "title": "Renamed"})
    after = read(space, home)
    assert after["added"] == "A page of **ours**.\n" and before.items() - after.items() == set()
    folder = exported(space, tmp_path / "exported")
    other = live(alpha)
    again = sent(other, packed(folder), "zip", "exported.zip")
    assert again["status"] == "completed", again
    came = read(other, home)
    # What leads to a page names its id, which is another one in each space.
    assert {path: without_ids(text) for path, text in came.items()} == {
        path: without_ids(text) for path, text in after.items()
    }


def without_ids(text: str) -> str:
    return re.sub(r"/(pages|files)/[A-Za-z0-9]+", r"/\1/ID", text)
