"""Every pattern of the contract is in words, which errors say in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from runtime import contract
from runtime.api.table import operations
from runtime.contract import manifest
from runtime.contract.base import Body, Query, WireModel
from runtime.contract.expected import expected
from runtime.contract.organizations import UpdateOrganization
from runtime.contract.validation import bad_request


def patterns(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        for inner in part.values():
            yield from patterns(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from patterns(inner)


def models(of: type[WireModel] = WireModel) -> Iterator[type[WireModel]]:
    for model in of.__subclasses__():
        yield model
        yield from models(model)


def test_every_pattern_is_in_words() -> None:
    assert operations()  # whose modules declare what bodies are
    schemas = [model.model_json_schema() for model in models() if issubclass(model, (Body, Query))]
    found = {*patterns(schemas), manifest.ENV_NAME}
    assert len(found) > 5
    assert [one for one in found if not expected(one)] == []


def test_none_is_declared_without_words() -> None:
    # Patterns of texts that are checked before are in no schema.
    files = Path(str(contract.__file__)).parent.glob("*.py")
    assert [file.name for file in files if re.search(r"pattern=[rf]*\"", file.read_text())] == []


def test_errors_say_the_words_and_not_the_pattern() -> None:
    with pytest.raises(ValidationError) as refused:
        UpdateOrganization.model_validate({"emailDomains": ["a.example", "!"]})
    assert bad_request(refused.value).message == "emailDomains.1: must be a domain such as example.com"
