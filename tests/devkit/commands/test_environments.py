"""`--env`: commands about this folder's integration mean the one of the environment, which may have another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Installed, Tenant, wait_for
from tests.devkit.commands.listener import listener, manifest
from tests.devkit.conftest import Shell

UPDATE = {"type": "space_content_updated", "revisionId": "one"}
COMMANDS: dict[str, tuple[str, ...]] = {
    "events": (),
    "logs": (),
    "versions": (),
    "trigger": ("space_content_updated",),
    "replay": ("--last",),
    "record": ("{home}/{env}.yaml", "--since", "1h"),
    "play": ("{home}/scenario.yaml",),
}
"""Command -> arguments with which it works on this folder's integration."""
SCENARIO = "events:\n  - event: {type: space_content_updated, revisionId: two}\n"


@pytest.fixture(scope="module")
def staged(alpha: Tenant) -> Installed:
    """An integration that has heard an event, and is called so in an environment only."""
    listening = listener(alpha)
    assert alpha.api.post(f"{listening.path}/events", {"event": UPDATE}).status == 202
    wait_for(lambda: alpha.api.get(f"{listening.path}/events", type=UPDATE["type"]).json["count"] == 1, 60)
    return listening


@pytest.fixture
def folder(staged: Installed, tmp_path: Path) -> Path:
    """A project that is published under its staging name, with a variable that nobody has set."""
    project_folder = manifest(tmp_path / "shop", f"{staged.name}-production")
    with (project_folder / "integration.yaml").open("a") as text:
        text.write(f"summary: ${{{{ env.NOT_SET }}}}\nenvs:\n  staging:\n    name: {staged.name}\n")
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    return project_folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_means_the_integration_of_the_environment(
    name: str, logged_in: Shell, staged: Installed, folder: Path, tmp_path: Path
) -> None:
    def run(env: str, *more: str, **environ: str) -> tuple[int, str]:
        arguments = [argument.format(home=tmp_path, env=env) for argument in COMMANDS[name]]
        done = logged_in(name, *arguments, *more, "--json", folder=folder, **environ)
        return done.code, done.err

    code, output = run("none")
    assert code == 1
    assert f"`{staged.name}-production`" in output
    assert run("option", "--env", "staging") == (0, "")
    assert run("variable", DEVKIT_ENV="staging") == (0, "")
    code, output = run("wrong", "--env", "stagin")
    assert code == 2
    assert "there is no environment `stagin`" in output and "write --env staging" in output
