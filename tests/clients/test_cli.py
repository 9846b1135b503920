"""The published command line `@gitbook/cli`, unchanged, from its login to the end of an integration."""

from __future__ import annotations

import re
import signal
import subprocess
import threading
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from runtime.contract.identifiers import new_id
from tests.clients.packages import MODULES, needs_packages
from tests.clients.running import CLI, PATIENCE, Ran, environment, node
from tests.conftest import HostProcess, Tenant, tenant, wait_for

pytestmark = needs_packages
Shell = Callable[..., Ran]
SCRIPT = """import { createComponent, createIntegration } from '@gitbook/runtime';

const hello = createComponent({
    componentId: 'hello',
    render: async (element, { environment }) => (
        <block>
            <text>{`Hello from version ${environment.integration.version}`}, {environment.secrets.WORD}</text>
        </block>
    ),
});

export default createIntegration({
    components: [hello],
    events: {
        installation_setup: async (event) => {
            console.log('set up with', event.status);
        },
        space_installation_setup: async () => {
            console.warn('a space');
        },
    },
});
"""
SPECIFICATION = """openapi: 3.1.0
info: {title: Parts, version: '1'}
paths: {}
"""
MANIFEST = """name: {name}
title: From the command line
description: Published by the official tool.
icon: ./icon.png
visibility: private
organization: {organization}
script: ./src/index.tsx
scopes: []
target: all
blocks:
  - id: hello
    title: Hello
contentSecurityPolicy:
  script-src: |
    self;
  img-src: |
    https://a.example
    https://b.example;
secrets:
  WORD: ${{{{ env.CLI_WORD }}}}
"""


@pytest.fixture
def project(tmp_path: Path, alpha: Tenant) -> Path:
    """A project as authors have it; its name is the folder's."""
    folder = tmp_path / f"cli-{new_id()[:8].lower()}"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "index.tsx").write_text(SCRIPT)
    (folder / "gitbook-manifest.yaml").write_text(MANIFEST.format(name=folder.name, organization=alpha.id))
    sample = Path(__file__).parents[2] / "sample_integrations" / "counter" / "assets" / "icon.png"
    (folder / "icon.png").write_bytes(sample.read_bytes())
    (folder / "node_modules").symlink_to(MODULES)
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def shell(home: Path, project: Path, host: HostProcess, alpha: Tenant) -> Shell:
    """A shell in the project, logged in with `auth`."""

    def run(*arguments: str, given: str = "") -> Ran:
        return node(home, "--no-warnings", CLI, *arguments, folder=project, given=given, CLI_WORD="secret word")

    assert alpha.api.token is not None
    done = run("auth", "--endpoint", host.url, "--token", alpha.api.token)
    assert (done.code, done.err) == (0, "")
    assert f"Authenticating with {host.url}" in done.out
    assert "You are now authenticated as " in done.out
    return run


def test_a_wrong_token_is_refused_with_the_hosts_sentence(home: Path, project: Path, host: HostProcess) -> None:
    done = node(home, "--no-warnings", CLI, "auth", "--endpoint", host.url, "--token", "dk_wrong", folder=project)
    assert done.code == 1
    assert "token" in done.err


def test_whoami_names_the_person_and_the_host(shell: Shell, alpha: Tenant, host: HostProcess) -> None:
    done = shell("whoami")
    assert (done.code, done.err) == (0, "")
    assert f"ID: {alpha.user}" in done.out
    assert "Email: alpha@example.com" in done.out
    assert f"API: {host.url}" in done.out


def test_a_project_is_published_rendered_and_unpublished(shell: Shell, project: Path, alpha: Tenant) -> None:
    for version in (1, 2):
        done = shell("publish")
        assert (done.code, done.err) == (0, "")
        assert f'Integration "{project.name}" published' in done.out
        shown = alpha.api.get(f"/v1/integrations/{project.name}").json
        assert shown["version"] == version
        assert shown["urls"]["app"] in done.out
    _, space = install(project.name, alpha)
    context = {"type": "document", "spaceId": space, "editable": False, "theme": "light"}
    body = {"componentId": "hello", "props": {}, "context": context}
    output = alpha.api.post(f"/v1/integrations/{project.name}/render", body)
    assert output.status == 200, output.text
    (text,) = output.json["element"]["children"]
    assert "".join(map(str, text["children"])) == "Hello from version 2, secret word"
    assert shell("unpublish", project.name, given="y").code == 0
    assert alpha.api.get(f"/v1/integrations/{project.name}").status == 404


def test_a_script_with_an_error_is_not_published(shell: Shell, project: Path, alpha: Tenant) -> None:
    (project / "src" / "index.tsx").write_text(SCRIPT + "\nthrow new Error('thrown while loading');\n")
    done = shell("publish")
    assert done.code == 1
    assert "thrown while loading" in done.err
    assert alpha.api.get(f"/v1/integrations/{project.name}").status == 404


def test_tail_prints_events_and_their_logs_and_asks_again(
    shell: Shell, project: Path, home: Path, alpha: Tenant
) -> None:
    assert shell("publish").code == 0
    installation, _ = install(project.name, alpha)
    events = f"/v1/integrations/{project.name}/events"
    wait_for(lambda: len(ended(alpha, events)) == 2)
    process = subprocess.Popen(
        ["node", "--no-warnings", str(CLI), "tail"],
        env=environment(home, CLI_WORD="secret word"),
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    printed: list[str] = []
    assert process.stdout is not None
    reader = threading.Thread(target=lambda lines: printed.extend(lines), args=(process.stdout,))
    errors: list[str] = []
    other = threading.Thread(target=lambda lines: errors.extend(lines), args=(process.stderr,))
    reader.start()
    other.start()
    try:
        wait_for(lambda: any("Waiting 10s" in line for line in errors), PATIENCE)
        assert any('"type":"space_installation_setup"' in line for line in printed)
        assert "[info] set up with active\n" in printed
        assert "[warn] a space\n" in printed
        # It looks at the two newest only, and stops when it knows the older one: two events, then its second look.
        spaces = [add_space(project.name, alpha, installation) for _ in range(2)]
        wait_for(lambda: all(any(space in line for line in printed) for space in spaces), PATIENCE)
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=PATIENCE)
        reader.join()
        other.join()
        process.stdout.close()
        assert process.stderr is not None
        process.stderr.close()
    assert code == 0
    assert not [line for line in errors if re.search(r"\b[A-Z]\w*Error\b", line)]


def test_a_specification_is_published_from_a_file(shell: Shell, project: Path, alpha: Tenant) -> None:
    slug = f"file-{new_id().lower()}"
    (project / "openapi.yaml").write_text(SPECIFICATION)
    done = shell("openapi", "publish", "openapi.yaml", "--spec", slug, "--organization", alpha.id)
    assert (done.code, done.err) == (0, "")
    spec = wait_for(lambda: processed(alpha, slug))
    assert f'OpenAPI specification "{slug}" published to {spec["urls"]["app"]}' in done.out
    content = alpha.api.get(f"/v1/orgs/{alpha.id}/openapi/{slug}/versions/latest/content").json
    assert [file["info"]["title"] for file in content["filesystem"].values()] == ["Parts"]


def test_a_specification_is_published_from_an_address(home: Path, project: Path, tmp_path: Path) -> None:
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "openapi.yaml").write_text(SPECIFICATION)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "served"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "data").mkdir()
    host = HostProcess(tmp_path / "data", "--allow-egress", f"127.0.0.1:{server.server_port}").start()
    try:
        owner = tenant(host, "Addresses", f"{new_id()}@example.com")
        given = {"GITBOOK_ENDPOINT": host.url, "GITBOOK_TOKEN": owner.api.token or ""}
        url = f"http://127.0.0.1:{server.server_port}/openapi.yaml"
        words = ("openapi", "publish", url, "--spec", "parts", "--organization", owner.id)
        done = node(home, "--no-warnings", CLI, *words, folder=project, **given)
        assert (done.code, done.err) == (0, "")
        spec = wait_for(lambda: processed(owner, "parts"))
        assert spec["sourceURL"] == url and spec["lastVersion"]
        assert spec["urls"]["app"] in done.out
    finally:
        host.stop()
        server.shutdown()
        server.server_close()


def processed(owner: Tenant, slug: str) -> dict[str, Any] | None:
    """Give a specification once nothing is left to do about it."""
    spec: dict[str, Any] = owner.api.get(f"/v1/orgs/{owner.id}/openapi/{slug}").json
    return spec if spec["processingState"] == "complete" else None


def install(name: str, owner: Tenant) -> tuple[str, str]:
    """Install an integration on its owner's organization and on a new space; gives both ids."""
    made = owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    assert made.status == 201, made.text
    return made.json["id"], add_space(name, owner, made.json["id"])


def add_space(name: str, owner: Tenant, installation: str) -> str:
    space: str = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "A space"}).json["id"]
    one = f"/v1/integrations/{name}/installations/{installation}/spaces"
    assert owner.api.post(one, {"space": space}).status == 201
    return space


def ended(owner: Tenant, path: str) -> list[str]:
    return [one["id"] for one in owner.api.get(path).json["items"] if one["status"] in ("success", "failed")]
