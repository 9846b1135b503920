"""Requests that are generated from `openapi.json`: none of them makes the host fail, and every answer is as it says.

`DEVKIT_TEST_CASES=12` sends twelve of each operation instead of two.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from tests.conftest import HostProcess, tenant
from tests.contract.operation_walk import build
from tests.contract.requests_table import World

SCHEMA = schemathesis.openapi.from_path(str(Path(__file__).parents[2] / "openapi.json"))
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]
EACH = int(os.environ.get("DEVKIT_TEST_CASES", "2"))
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def generated(host: HostProcess) -> World:
    """A world of its own: what is generated may delete all of it."""
    return build(host, tenant(host, "Generated", "generated@example.com"))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_generated_requests(operation: Any, generated: World) -> None:
    @settings(
        max_examples=EACH,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), real=st.booleans())
    def send(case: Any, real: bool) -> None:
        if real:  # else nearly all of them would ask for what is not there
            for parameter in case.path_parameters or {}:
                case.path_parameters[parameter] = generated.value(parameter)
        api = generated.installed.owner.api
        answer = case.call(base_url=api.url, headers={"Authorization": f"Bearer {api.token}"}, timeout=60)
        case.validate_response(answer, checks=CHECKS)

    send()
