"""One sandboxed engine for all tests, and a way to run a few lines of script in it."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from runtime.contract.invocation import Invocation, Limits, Outcome, Script, Trace
from runtime.engines.egress import EgressRules
from runtime.engines.engine import Engine
from runtime.engines.python_process.pool import PythonEngine

HEAD = """
from runtime.sdk import Integration, Response
integration = Integration()

@integration.fetch("GET", "/")
def run(request, context):
"""
FETCH = {
    "eventId": "e1",
    "type": "fetch",
    "request": {"method": "get", "url": "https://integrations.example/", "headers": {}},
}
ENVIRONMENT: dict[str, Any] = {"integration": {"name": "probe", "urls": {}}, "secrets": {}}


@dataclass
class Answered:
    """What a call gave: its outcome, its body and its trace."""

    outcome: Outcome
    body: bytes
    trace: Trace

    def json(self) -> Any:
        """Return the body parsed."""
        return json.loads(self.body)


def handler(code: str) -> str:
    """Return a script whose fetch handler runs these lines."""
    return HEAD + textwrap.indent(textwrap.dedent(code).strip(), "    ") + "\n"


def script(source: str, version: str | None = None) -> Script:
    """Return a script of a version nobody else has."""
    return Script(version=version or uuid.uuid4().hex, runtime="python", source=source)


def send(engine: Engine, invocation: Invocation) -> Answered:
    """Make a call and wait until its trace is complete."""
    traces: list[Trace] = []
    complete = threading.Event()

    def done(trace: Trace) -> None:
        traces.append(trace)
        complete.set()

    outcome = engine.invoke(invocation, done)
    body = b"".join([outcome.body] if isinstance(outcome.body, bytes) else outcome.body)
    assert complete.wait(20), "the trace never came"
    assert len(traces) == 1
    return Answered(outcome, body, traces[0])


Ask = Callable[..., Answered]
Probe = Callable[..., Any]


def asker(engine: Engine) -> Ask:
    """Return a function that calls a whole script on an engine."""

    def ask(
        source: str | Script,
        tenant: str = "tenant",
        event: dict[str, Any] | None = None,
        limits: Limits | None = None,
        fetch_body: bytes | None = None,
        organization: str = "",
    ) -> Answered:
        selected = source if isinstance(source, Script) else script(source)
        event_text, environment = json.dumps(event or FETCH).encode(), json.dumps(ENVIRONMENT).encode()
        bounds = limits or Limits(wall=10.0)
        return send(
            engine,
            Invocation(selected, tenant, event_text, environment, fetch_body, bounds, organization=organization),
        )

    return ask


def together(count: int, call: Callable[[int], Any]) -> list[Any]:
    """Make calls at the same time."""
    results: list[Any] = []
    threads = [threading.Thread(target=lambda number=number: results.append(call(number))) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture(scope="session")
def engine() -> Iterator[PythonEngine]:
    """The engine as `serve` uses it."""
    engine_ = PythonEngine(sandbox="required", rules=EgressRules())
    yield engine_
    engine_.close()


@pytest.fixture(scope="session")
def asking() -> Callable[[Engine], Ask]:
    """The function that makes an `ask` for an engine of the test's own."""
    return asker


@pytest.fixture
def ask(engine: PythonEngine) -> Ask:
    """Call a whole script."""
    return asker(engine)


@pytest.fixture
def probe(ask: Ask) -> Callable[..., Answered]:
    """Call a handler that consists of these lines."""

    def run(code: str, **options: Any) -> Answered:
        return ask(handler(code), **options)

    return run


@pytest.fixture
def child() -> Iterator[int]:
    """A process in a session of its own; gives its id."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    yield process.pid
    process.kill()
    process.wait()
