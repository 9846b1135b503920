"""The published client `@gitbook/api`, unchanged: every method that has an operation of ours."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lzstring import LZString

from runtime.api.operation import Operation
from runtime.api.table import operations
from runtime.contract.identifiers import new_id
from runtime.store import tokens
from runtime.store.secrets import load_keyring, use_keyring
from tests import databases
from tests.clients.compiling import bundled, check_types
from tests.clients.packages import FOLDER, MODULES, needs_packages
from tests.clients.running import node
from tests.conftest import SCOPES, HostProcess, Tenant, publication
from tests.contract.agreement import document, ours
from tests.contract.operation_walk import build
from tests.contract.requests_table import GOOD, World

pytestmark = needs_packages


def test_every_method_works_and_has_the_declared_types(host: HostProcess, alpha: Tenant, tmp_path: Path) -> None:
    assert check_types(FOLDER / "every_method.ts") == ""
    name = f"every-{new_id()[:8].lower()}"
    script = bundled(FOLDER / "everything" / "index.tsx")
    first = publication(alpha.id, script, runtime="v2", scopes=["space:content:read"], blocks=[])
    assert alpha.api.post(f"/v1/integrations/{name}", first).status == 200
    published = tmp_path / "script.js"
    published.write_text(script)
    program = tmp_path / "every_method.mjs"
    program.write_text(bundled(FOLDER / "every_method.ts"))
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
    assert len(called) > 50
    others = [
        operation for operation in operations() if operation.name in ours() and operation.name.lower() not in called
    ]
    assert refused(host, build(host, alpha), others, tmp_path) == {}


def refused(host: HostProcess, world: World, others: list[Operation], home: Path) -> dict[str, Any]:
    """Call the methods of operations with the requests of the table, and give what failed.

    Those that change come after those that look, those that delete or give away at the end, and what holds others last.
    A conflict with what the world holds already is an answer like any other.
    """

    def order(operation: Operation) -> tuple[int, bool, int]:
        return leaves(operation), operation.method != "GET", -len(operation.path)

    others = sorted(others, key=order)
    clients = {"user": world.installed.owner.api, "integration": world.integration, "installation": world.installation}
    asked = {
        "endpoint": host.url,
        "tokens": {kind: api.token for kind, api in clients.items()},
        "calls": [
            {"name": operation.name, "token": GOOD[operation.name].token, "values": values(operation, world)}
            for operation in others
        ],
    }
    bundle = home / "call_methods.mjs"
    bundle.write_text(bundled(FOLDER / "call_methods.mjs"))
    done = node(home, bundle, given=json.dumps(asked))
    assert done.code == 0, done.err
    return {name: came for name, came in json.loads(done.out).items() if not fine(came)}


def leaves(operation: Operation) -> int:
    if operation.method == "DELETE" or operation.name.startswith("unpublish"):
        return 2
    return operation.name.startswith(("transfer", "merge"))


def fine(came: int | str) -> bool:
    return came in (200, 201, 202, 204, 205) or any(status in str(came) for status in ("[409]", "[412]"))


def values(operation: Operation, world: World) -> list[Any]:
    """Put a request into the order of a method's parameters: those of the path, then body and query."""
    good = GOOD[operation.name]
    path = operation.path.removeprefix("/v1")
    shape = next(item for name, item in document()["paths"].items() if plain(name) == plain(path))
    shape = shape[operation.method.lower()] | {"every": shape.get("parameters", [])}
    queries = [one for one in map(resolved, [*shape.get("parameters", []), *shape["every"]]) if one["in"] == "query"]
    given: list[Any] = []
    if queries:
        given.append(good.query(world))
    if "requestBody" in shape:
        # What must be given comes before what may be left out.
        given.insert(
            len(given) if any(one.get("required") for one in queries) else 0, good.body(world) if good.body else {}
        )
    return [*world.values(operation).values(), *given]


def plain(path: str) -> str:
    return re.sub(r"{\w+}", "x", path)


def resolved(parameter: dict[str, Any]) -> dict[str, Any]:
    name = parameter.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = document()["components"]["parameters"][name] if name else parameter
    return found


def test_the_compiler_finds_what_does_not_fit(tmp_path: Path) -> None:
    wrong = FOLDER / "every_method.ts"
    program = tmp_path / "wrong.ts"
    program.write_text(wrong.read_text().replace("title: 'Changed',", "title: 5,"))
    (tmp_path / "node_modules").symlink_to(MODULES)
    assert "Type 'number' is not assignable to type 'string'" in check_types(program)


def integration_token(host: HostProcess, name: str) -> str:
    """Sign the token a host gives to a script of this integration; no operation hands it out."""
    use_keyring(load_keyring(host.data, None))
    (found,) = databases.ask(host.data, "SELECT id FROM integrations WHERE name = ?", [name])
    return tokens.sign(found[0], None, None, SCOPES)


def render_request(organization: str) -> str:
    """A render in the form that GET takes."""
    context = {"type": "configuration_account", "organizationId": organization, "theme": "light"}
    text: str = LZString().compressToEncodedURIComponent(
        json.dumps({"componentId": "counter", "props": {}, "context": context})
    )
    return text
