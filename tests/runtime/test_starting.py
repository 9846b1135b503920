"""What a host loads before it serves: each process of each machine pays for it in time and memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

APART = [
    "bs4",
    "mammoth",
    "markdownify",
    "weasyprint",
    "jsonschema_rs",
    "openapi_spec_validator",
    "boto3",
    "lxml",
    "pika",
]
"""What only works on foreign formats, in processes apart or where an operator set it."""


@pytest.mark.parametrize("command", ["trigger", "logs", "events", "replay"])
def test_commands_that_somebody_waits_for_load_no_models(command: str) -> None:
    program = f"import sys, devkit.commands.{command}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert {"pydantic", "sqlalchemy", "flask", "rich"} & {*loaded} == set()


@pytest.mark.parametrize("module", ["runtime.app", "devkit.cli"])
def test_readers_of_foreign_formats_are_loaded_when_they_are_needed(module: str) -> None:
    program = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert {*APART} & {*loaded} == set()
