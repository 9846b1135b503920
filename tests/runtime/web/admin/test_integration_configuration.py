"""What a form of a configuration stores, whatever somebody typed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract import errors
from runtime.web.admin import integration_configuration as configuration
from runtime.web.admin.wording import on_page

SCHEMA: dict[str, Any] = {
    "properties": {
        "word": {"type": "string"},
        "size": {"type": "number"},
        "loud": {"type": "boolean"},
        "key": {"type": "string", "secret": True},
        "go": {"type": "button", "callback_url": "/go", "button_text": "Go"},
    }
}


@given(st.dictionaries(st.sampled_from([f"field-{name}" for name in SCHEMA["properties"]]), st.text()))
def test_what_is_read_can_be_stored_or_is_refused(form: dict[str, str]) -> None:
    try:
        values = configuration._read(form, SCHEMA, {"key": "old"})
    except errors.BadRequest:
        return
    json.dumps(values, allow_nan=False)
    assert "go" not in values and isinstance(values["loud"], bool)


def test_a_secret_stays_unless_another_is_typed_or_it_is_removed() -> None:
    stored = {"key": "old"}
    assert configuration._read({}, SCHEMA, stored)["key"] == "old"
    assert configuration._read({"field-key": "new", "forget-key": "yes"}, SCHEMA, stored)["key"] == "new"
    assert configuration._read({"forget-key": "yes"}, SCHEMA, stored)["key"] is None


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999", "x", "0x10"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(errors.BadRequest, match="not a number"):
        configuration._read({"field-size": text}, SCHEMA, {})


@pytest.mark.parametrize("declared", [{"type": "number"}, {"type": "string", "enum": ["a"]}])
@pytest.mark.parametrize("title", ["slug", "url", "label", "source.url", "Size"])
def test_titles_of_authors_are_never_those_of_the_api(declared: dict[str, Any], title: str) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        configuration._read({"field-size": "x"}, {"properties": {"size": {**declared, "title": title}}}, {})
    assert on_page(caught.value).startswith(f"{title}: ")


def test_what_is_required_and_empty_is_refused() -> None:
    with pytest.raises(errors.BadRequest, match="needed"):
        configuration._read({}, {**SCHEMA, "required": ["word"]}, {})


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("/go", "https://here.example/v1/x/go"),
        ("go?a=b:c", "https://here.example/v1/x/go?a=b:c"),
        ("https://there.example/go", "https://there.example/go"),
        ("javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_a_button_leads_to_the_script_or_to_the_web(url: str, address: str) -> None:
    assert configuration._below({"urls": {"publicEndpoint": "https://here.example/v1/x"}}, url) == address


def test_no_page_has_a_secret_in_it() -> None:
    assert configuration._open(SCHEMA, {"word": "a", "key": "b", "more": 1}) == {"word": "a", "more": 1}
