"""The published client `@gitbook/api`, unchanged: every method that has an operation of ours."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

from lzstring import LZString

from devkit.build import esbuild
from runtime.contract.identifiers import new_id
from runtime.store import tokens
from runtime.store.secrets import load_keyring, use_keyring
from tests.clients.packages import FOLDER, MODULES, needs_packages
from tests.clients.running import node
from tests.conftest import HostProcess, Tenant, publication
from tests.contract.agreement import ours

pytestmark = needs_packages
OPTIONS = (
    *("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,webworker"),
    *("--module", "esnext", "--moduleResolution", "bundler", "--jsx", "react-jsx"),
    *("--jsxImportSource", "@gitbook/runtime"),
)


def check_types(*files: Path) -> str:
    """Compile files as their authors would, without output; gives what the compiler says of them."""
    compiler = MODULES / "typescript" / "bin" / "tsc"
    done = subprocess.run(["node", compiler, *OPTIONS, *files], cwd=FOLDER, capture_output=True, text=True, timeout=300)
    # The runtime's own sources need a newer client than the one that is tried here; they are not ours to check.
    return "\n".join(line for line in done.stdout.splitlines() if not line.startswith(("node_modules/", " ")))


def test_every_method_works_and_has_the_declared_types(host: HostProcess, alpha: Tenant, tmp_path: Path) -> None:
    assert check_types(FOLDER / "every_method.ts") == ""
    name = f"every-{new_id()[:8].lower()}"
    script = bundled(FOLDER / "everything" / "index.tsx", tmp_path)
    first = publication(alpha.id, script, runtime="v2", scopes=["space:content:read"], blocks=[])
    assert alpha.api.post(f"/v1/integrations/{name}", first).status == 200
    published = tmp_path / "script.js"
    published.write_text(script)
    program = tmp_path / "every_method.mjs"
    program.write_text(bundled(FOLDER / "every_method.ts", tmp_path))
    assert alpha.api.token is not None
    done = node(
        tmp_path,
        program,
        HOST=host.url,
        USER_TOKEN=alpha.api.token,
        INTEGRATION_TOKEN=integration_token(host, name),
        ORGANIZATION=alpha.id,
        NAME=name,
        SCRIPT_FILE=str(published),
        RENDER_REQUEST=render_request(alpha.id),
    )
    assert done.code == 0, done.err
    called = {method.lower() for method in json.loads(done.out)}
    assert sorted(method for method in ours() if method.lower() not in called) == []


def test_the_compiler_finds_what_does_not_fit(tmp_path: Path) -> None:
    wrong = FOLDER / "every_method.ts"
    program = tmp_path / "wrong.ts"
    program.write_text(wrong.read_text().replace("title: 'Changed',", "title: 5,"))
    (tmp_path / "node_modules").symlink_to(MODULES)
    assert "Type 'number' is not assignable to type 'string'" in check_types(program)


def bundled(script: Path, folder: Path) -> str:
    """Bundle a script with the options of a project that is published."""
    command = esbuild.find(FOLDER)
    assert command is not None
    built = esbuild.bundle(command, FOLDER, script, "production")
    assert isinstance(built, str), built
    return built


def integration_token(host: HostProcess, name: str) -> str:
    """Sign the token a host gives to a script of this integration; no operation hands it out."""
    use_keyring(load_keyring(host.data, None))
    with sqlite3.connect(host.data / "host.sqlite", timeout=30) as database:
        found = database.execute("SELECT id FROM integrations WHERE name = ?", (name,)).fetchone()
    database.close()
    return tokens.sign(found[0], None, None, [])


def render_request(organization: str) -> str:
    """A render in the form that GET takes."""
    context = {"type": "configuration_account", "organizationId": organization, "theme": "light"}
    text: str = LZString().compressToEncodedURIComponent(
        json.dumps({"componentId": "counter", "props": {}, "context": context})
    )
    return text
