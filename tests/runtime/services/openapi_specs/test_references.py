"""References: where they lead, and which of them lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.services.openapi_specs.faults import Unreadable
from runtime.services.openapi_specs.naming import file_names
from runtime.services.openapi_specs.references import dangling, follow, ids_of, references

HERE = "https://a.example/api/openapi.json"


def leads(value: Any, base: str = HERE) -> dict[str, str]:
    return {one.written: one.address for one in references(value, base, ids=ids_of(value, base))}


def test_each_reference_has_the_address_of_its_file() -> None:
    value = {
        "paths": {"/a": {"$ref": "paths/a.json#/x"}, "/b": {"$ref": "//b.example/b.yaml"}},
        "components": {"schemas": {"A": {"$ref": "#/components/schemas/B"}, "B": {"items": [{"$ref": "../c.json"}]}}},
    }
    assert leads(value) == {
        "paths/a.json#/x": "https://a.example/api/paths/a.json",
        "//b.example/b.yaml": "https://b.example/b.yaml",
        "#/components/schemas/B": "",
        "../c.json": "https://a.example/c.json",
    }


def test_data_and_names_are_no_references() -> None:
    value = {
        "properties": {"$ref": {"type": "string"}, "example": {"$ref": "name.json"}, "default": {"$ref": "more.json"}},
        "example": {"$ref": "data.json"},
        "default": {"$ref": "data.json"},
        "enum": [{"$ref": "data.json"}],
        "x-mine": {"$ref": "data.json"},
        "examples": {"one": {"value": {"$ref": "data.json"}}, "two": {"$ref": "example.json"}},
    }
    assert {written for written, address in leads(value).items()} == {"name.json", "more.json", "example.json"}


def test_names_that_schemas_give_themselves_are_not_fetched() -> None:
    inner = {
        "$id": "https://a.example/api/tree",
        "properties": {"next": {"$ref": "tree"}, "here": {"$ref": "#/nothing"}},
    }
    value = {"components": {"schemas": {"Tree": inner, "Other": {"$ref": "tree#/properties/next"}}}}
    found = list(references(value, HERE, ids=ids_of(value, HERE)))
    assert {one.address for one in found} == {""}
    assert not list(dangling({HERE: value}, {HERE: found}))


@pytest.mark.parametrize("written", ["file:///etc/passwd", "ftp://a.example/a", "gopher://a", "http://[", "urn:a:b"])
def test_addresses_that_are_none_are_refused(written: str) -> None:
    with pytest.raises(Unreadable):
        leads({"a": {"$ref": written}})


def test_a_text_has_no_address_to_start_from() -> None:
    assert leads({"a": {"$ref": "https://a.example/a.json"}, "b": {"$ref": "#/a"}}, "") == {
        "https://a.example/a.json": "https://a.example/a.json",
        "#/a": "",
    }
    with pytest.raises(Unreadable, match="send the specification as a URL"):
        leads({"a": {"$ref": "a.json"}}, "")


def test_pointers_are_followed_or_lead_nowhere() -> None:
    value = {"a/b": {"~c": [10, 20]}, "ref": {"$ref": "#/x"}, "": 1}
    assert follow(value, "/a~1b/~0c/1") == (True, 20)
    assert follow(value, "/") == (True, 1)
    assert follow(value, "/ref/through") == (True, None)
    assert follow(value, "anchor") == (True, None)
    for pointer in ("/none", "/a~1b/~0c/2", "/a~1b/~0c/x", "/a~1b/~0c/1/2", "/a~1b/~0c/" + "9" * 5000):
        assert follow(value, pointer)[0] is False
    found = {HERE: list(references({"a": {"$ref": "#/b"}, "c": {"$ref": "#/a%20b"}, "a b": 1}, HERE))}
    (sentence,) = dangling({HERE: {"a": {"$ref": "#/b"}, "c": {}, "a b": 1}}, found)
    assert sentence == "The reference `#/b` at #/a has no target."


def test_files_are_named_by_the_way_to_them() -> None:
    others = ["https://a.example/api/s/pet.json", "https://a.example/top.yaml?v=1", "https://b.example/openapi.json"]
    assert file_names(HERE, [HERE, *others]) == {
        HERE: "openapi.json",
        others[0]: "s/pet.json",
        others[1]: "../top.yaml?v=1",
        others[2]: others[2],
    }
    assert file_names("", [""]) == {"": "openapi.yaml"}
    assert file_names("https://a.example", ["https://a.example/openapi.yaml"]) == {
        "https://a.example": "openapi.yaml",
        "https://a.example/openapi.yaml": "https://a.example/openapi.yaml",
    }
