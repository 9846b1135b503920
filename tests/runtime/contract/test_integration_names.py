"""Names of integrations: in a path, in a manifest and in a body the same ones."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from runtime.contract.identifiers import IntegrationName
from runtime.contract.integration_names import LONGEST_NAME, is_integration_name

NAMES = {
    "my-integration": True,
    "a": True,
    "A_1.b": True,
    "..a": True,
    "x" * LONGEST_NAME: True,
    "x" * (LONGEST_NAME + 1): False,
    "": False,
    ".": False,
    "..": False,
    "a b": False,
    "a/b": False,
    "a\n": False,
    "né": False,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_everywhere_or_nowhere(name: str) -> None:
    assert is_integration_name(name) is NAMES[name]
    try:
        TypeAdapter(IntegrationName).validate_python(name)
        taken = True
    except ValidationError:
        taken = False
    assert taken is NAMES[name]
