"""A real host for the tests that go through HTTP, and two organizations on it that must not see each other."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from devkit.commands import init as init_command
from runtime.contract.identifiers import new_id
from tests import completeness, databases, ordering, preloaded, time_limit
from tests.contract.agreement import (  # noqa: F401
    published_contract,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)

# Whoever starts the tests in the background may have had Ctrl-C ignored, and programs started from here would inherit
# that: what tests say of Ctrl-C is about terminals, where it is not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Browsers know every name below `localhost`, as many systems' resolvers do and Python does not. Tests look at addresses
# the way browsers do; what the product asks for itself runs in processes of its own, without this.
_getaddrinfo = socket.getaddrinfo


def _resolve(host: Any, *more: Any, **named: Any) -> Any:
    below = isinstance(host, str) and host.endswith(".localhost")
    return _getaddrinfo("127.0.0.1" if below else host, *more, **named)


socket.getaddrinfo = _resolve


# The same examples in every run, so that a run says something of what changed; DEVKIT_TEST_RANDOM=1 looks for others.
# No test says how long something may take: where programs share the machine, any may take longer.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", patient, derandomize=not os.environ.get("DEVKIT_TEST_RANDOM"))
settings.load_profile("repeatable")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their number: what is packed says when, so workers that collect a second later see other bytes."""
    return f"{argname}-{len(val)}" if isinstance(val, bytes) else None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(ordering)
    config.pluginmanager.register(completeness)
    config.pluginmanager.register(time_limit)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect without looking for garbage: there are thousands of tests and none of it, and all is looked through."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to the run on PostgreSQL what is about a host, and begin with what takes longest."""
    if databases.CHOSEN != "sqlite":
        served = [item for item in items if _serves(item)]
        config.hook.pytest_deselected(items=[item for item in items if not _serves(item)])
        items[:] = served
    ordering.slowest_first(items)


def _serves(item: pytest.Item) -> bool:
    """Tell whether a test is about a host: its module has what hosts are started or called with."""
    module = item.getparent(pytest.Module)
    return module is not None and bool({"HostProcess", "Tenant", "Installed", "Api"} & vars(module.obj).keys())


COUNTER = """
from runtime.sdk import ExposableError, Integration, Response, ui

integration = Integration()


@integration.component("counter", state={"count": 0})
def counter(element):
    return ui.block(ui.text(f"Clicked {element.state['count']} times"), ui.button("Click me", on_press="increment"))


@counter.action("increment")
def increment(element):
    return ui.update(state={"count": element.state["count"] + 1})


@integration.component("cached")
def cached(element, context):
    element.set_cache(60)
    return ui.block(ui.text(str(context.configuration.get("word", "none"))))


@integration.component("refuses")
def refuses(element):
    raise ExposableError("Not today.", 422)


@integration.component("breaks")
def breaks(element):
    return {}["missing"]


@integration.on("space_content_updated")
def updated(event, context):
    context.log.info("revision %s", event["revisionId"])


@integration.fetch("GET", "/hello")
def hello(request):
    return Response("hi " + request.url, headers={"Set-Cookie": "a=1"})


@integration.fetch("POST", "/echo")
def echo(request):
    return Response(request.body, status=201, headers={"Content-Type": "application/octet-stream"})


@integration.fetch("GET", "/away")
def away(request):
    return Response("", status=302, headers={"Location": "https://example.com/"})


@integration.task
def task(task, context):
    context.log.info("task %s", task["type"])
"""
SCOPES = ["space:content:read", "site:script:inject", "space:metadata:read", "site:views:read"]


@dataclass
class Answer:
    """An HTTP answer with its JSON read."""

    status: int
    json: Any
    headers: Any
    text: str


class HostProcess:
    """`devkit serve` in a process of its own."""

    def __init__(self, data: Path, *options: str, environ: dict[str, str] | None = None) -> None:
        chosen = [] if "--database-url" in options else databases.options_for(data)
        self.data, self.options, self.environ = data, [*chosen, *options], environ or {}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: preloaded.Process | subprocess.Popen[bytes] | None = None

    def start(self) -> HostProcess:
        command = ["serve", "--data", str(self.data), "--port", str(self.port), *self.options]
        with (self.data / "host.log").open("ab") as log:
            self.process = preloaded.start(command, os.environ | self.environ, log, log)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self.process.poll() is None, (self.data / "host.log").read_text()
            try:
                if requests.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return self
            except requests.RequestException:
                time.sleep(0.05)
        raise AssertionError("the host did not get ready: " + (self.data / "host.log").read_text())

    def kill(self) -> None:
        """Kill the host and its processes at once, as a crash would."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=10)

    def stop(self) -> int:
        """Stop the host in order and give its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


class Api:
    """Calls a host with one token."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url, self.token = url, token

    def call(self, method: str, path: str, body: Any = None, **more: Any) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= more.pop("headers", {})
        if body is not None:
            more["json"] = body
        answer = requests.request(method, self.url + path, headers=headers, **{"timeout": 60, **more})
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        return Answer(answer.status_code, answer.json() if is_json else None, answer.headers, answer.text)

    def get(self, path: str, **query: Any) -> Answer:
        return self.call("GET", path, params=query)

    def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        return self.call("POST", path, body, **more)


@dataclass
class Tenant:
    """An organization with its admin's token."""

    id: str
    user: str
    api: Api


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def init(data: Path, title: str, email: str) -> dict[str, str]:
    """Run `devkit init` in this process: hundreds of tests would each wait for a Python that starts."""
    return init_with(databases.options_for(data), data, title, email)


def init_with(database: list[str], data: Path, title: str, email: str) -> dict[str, str]:
    """Run `devkit init` with options that name a database."""
    options = ["--data", str(data), *database, "--organization", title, "--email", email, "--json"]
    made = CliRunner().invoke(init_command.command, options, catch_exceptions=False)
    assert made.exit_code == 0, made.output
    value: dict[str, str] = json.loads(made.stdout)
    return value


def tenant(host: HostProcess, title: str, email: str) -> Tenant:
    return tenant_with(databases.options_for(host.data), host, title, email)


def tenant_with(database: list[str], host: HostProcess, title: str, email: str) -> Tenant:
    made = init_with(database, host.data, title, email)
    return Tenant(made["organization"], made["user"], Api(host.url, made["token"]))


def publication(organization: str, script: str = COUNTER, **more: Any) -> dict[str, Any]:
    """The body that publishes a script."""
    return {
        "title": "Test integration",
        "description": "",
        "scopes": SCOPES,
        "runtime": "python",
        "script": script,
        "organization": organization,
        "blocks": [{"id": "counter", "title": "Counter"}],
        **more,
    }


@dataclass
class Installed:
    """An integration that is published and installed on a space and a site of its owner."""

    name: str
    owner: Tenant
    installation: str
    space: str
    site: str

    @property
    def path(self) -> str:
        return f"/v1/integrations/{self.name}"

    def context(self, **more: Any) -> dict[str, Any]:
        return {"type": "document", "spaceId": self.space, "editable": False, "theme": "light", **more}

    def render(self, component: str = "counter", **more: Any) -> Answer:
        body = {"componentId": component, "props": {}, "context": self.context(), **more}
        return self.owner.api.post(f"{self.path}/render", body)


def installed(owner: Tenant, script: str = COUNTER, **more: Any) -> Installed:
    """Publish an integration and install it on a new space and a new site."""
    name = f"test-{new_id()[:8].lower()}"
    published = owner.api.post(f"/v1/integrations/{name}", publication(owner.id, script, **more))
    assert published.status == 200, published.text
    space = owner.api.post(f"/v1/orgs/{owner.id}/spaces", {"title": "A space"})
    site = owner.api.post(f"/v1/orgs/{owner.id}/sites", {"title": "A site", "spaces": [space.json["id"]]})
    made = owner.api.post(f"/v1/integrations/{name}/installations", {"organization": owner.id})
    assert made.status == 201, made.text
    one = f"/v1/integrations/{name}/installations/{made.json['id']}"
    if more.get("target", "all") in ("all", "space"):
        assert owner.api.post(f"{one}/spaces", {"space": space.json["id"]}).status == 201
    if more.get("target", "all") in ("all", "site"):
        assert owner.api.post(f"{one}/sites", {"siteId": site.json["id"]}).status == 201
    return Installed(name, owner, made.json["id"], space.json["id"], site.json["id"])


def wait_for(check: Any, seconds: float = 60.0) -> Any:
    """Call `check` until it gives something true."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = check()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    data = tmp_path_factory.mktemp("host")
    init(data, "First", "first@example.com")
    process = HostProcess(data).start()
    yield process
    assert process.stop() == 0


@pytest.fixture(scope="session")
def alpha(host: HostProcess) -> Iterator[Tenant]:
    made = tenant(host, "Alpha", "alpha@example.com")
    SHARED.append(made)
    yield made
    SHARED.remove(made)


SHARED: list[Tenant] = []
LEFT_ALONE = {"mergeRules": {"type": "none"}, "sso": False, "defaultRole": "read"}
"""Settings of the organization that most files share: with others, tests of the next file cannot merge or sign in."""


@pytest.fixture(scope="module", autouse=True)
def shared_settings() -> Iterator[None]:
    """Fail the file that leaves such a setting behind, instead of those after it in the same worker."""
    yield
    for one in SHARED:
        found = one.api.get(f"/v1/orgs/{one.id}").json
        assert {name: found[name] for name in LEFT_ALONE} == LEFT_ALONE


@pytest.fixture(scope="session")
def beta(host: HostProcess) -> Tenant:
    return tenant(host, "Beta", "beta@example.com")


@pytest.fixture(scope="session")
def counter(alpha: Tenant) -> Installed:
    return installed(alpha)
