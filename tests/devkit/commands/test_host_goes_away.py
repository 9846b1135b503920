"""A host that is killed in the middle of a command: one sentence, with how far it came."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import HostProcess, Installed, tenant, wait_for
from tests.devkit.commands.listener import listener
from tests.devkit.dev_process import PATIENCE, environment

MANY = 5000
SCENARIO = "events:\n" + "  - {after: 0.01, event: {type: space_content_updated, revisionId: one}}\n" * MANY
COMMANDS = {
    "trigger": ("ui_render", "--count", str(MANY), "--set", "componentId=first"),
    "play": ("scenario.yaml",),
}
"""Command -> arguments with which it takes long."""
HEARD = {"trigger": "ui_render", "play": "space_content_updated"}


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[tuple[HostProcess, Installed]]:
    """A host of its own, with an integration that hears all."""
    (tmp_path / "host").mkdir()
    host = HostProcess(tmp_path / "host").start()
    yield host, listener(tenant(host, "Mortal", "mortal@example.com"))
    if host.process is not None and host.process.poll() is None:
        host.kill()


@pytest.mark.parametrize("name", COMMANDS)
def test_what_was_sent_is_reported(name: str, mortal: tuple[HostProcess, Installed], tmp_path: Path) -> None:
    host, hears = mortal
    api = hears.owner.api
    assert api.token is not None
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    running = subprocess.Popen(
        [sys.executable, "-m", "devkit", name, *COMMANDS[name], "--integration", hears.name],
        env=environment(tmp_path, DEVKIT_HOST=host.url, DEVKIT_TOKEN=api.token),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: api.get(f"{hears.path}/events", type=HEARD[name]).json["count"] > 2, 60)
    host.kill()
    _, output = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    assert re.fullmatch(
        rf"host: [^\n]*\nerror: [^\n]*{re.escape(host.url)} does not answer \([a-z ;?]+\)[^\n]*\n", output
    ), output
    match = re.search(rf"\((\d+) of {MANY} sent\)", output)
    assert match is not None and 0 < int(match[1]) < MANY, output
