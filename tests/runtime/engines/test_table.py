"""The registry of engines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from runtime.contract.invocation import Invocation, Script, Trace
from runtime.engines.egress import EgressRules
from runtime.engines.table import Engines, UnknownRuntime, create_engines

SOURCE = "from runtime.sdk import Integration\nintegration = Integration()\n@integration.task\ndef run(): ...\n"


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    """All engines of a host."""
    engine_ = create_engines("required", EgressRules())
    yield engine_
    engine_.close()


def test_script_runs_in_the_engine_of_its_runtime(engines: Engines) -> None:
    traces: list[Trace] = []
    event = json.dumps({"eventId": "e", "type": "task", "task": {}}).encode()
    invocation = Invocation(Script("v", "python", SOURCE), "", event, b"{}")

    assert engines.check(invocation.script).events == ("task",)
    assert engines.invoke(invocation, traces.append).status == 200
    assert engines.ready()
    engines.retire("v")
    tunnelled = engines.invoke(replace(invocation, tunnel_url="http://127.0.0.1:1"), traces.append)
    assert tunnelled.failure is not None and "tunnel" in tunnelled.failure.message


def test_unknown_runtime_names_the_known_ones(engines: Engines) -> None:
    with pytest.raises(UnknownRuntime, match=r"'cobol'.*python"):
        engines.check(Script("v", "cobol", ""))
