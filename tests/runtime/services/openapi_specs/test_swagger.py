"""Swagger 2.0 becomes OpenAPI 3.0: every part of a document, and the schemas of its files."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.services.openapi_specs import checking
from runtime.services.openapi_specs.faults import Unreadable
from runtime.services.openapi_specs.naming import file_names
from runtime.services.openapi_specs.references import dangling, references
from runtime.services.openapi_specs.swagger import converted

HERE = "https://a.example/v/swagger.json"
OK = {"200": {"description": "Fine."}}


def document(**parts: Any) -> dict[str, Any]:
    return {"swagger": "2.0", "info": {"title": "Parts", "version": "1"}, "paths": {}, **parts}


def convert(value: dict[str, Any], **files: Any) -> dict[str, Any]:
    """Convert a document that is right, with files beside it; what comes out is right, and leads somewhere."""
    assert checking.faults(value, "2.0") == []
    every = {HERE: value, **{f"https://a.example/v/{name.replace('__', '/')}.json": one for name, one in files.items()}}
    before = copy.deepcopy(every)
    made = converted(HERE, every, file_names(HERE, every).__getitem__)
    assert every == before, "what was given is changed"
    assert checking.faults(made[HERE], "3.0") == []
    found = {address: list(references(one, address)) for address, one in made.items()}
    assert not list(dangling(made, found))
    shown: dict[str, Any] = made[HERE]
    shown["files"] = {address.rpartition("/v/")[2]: one for address, one in made.items() if address != HERE}
    return shown


def operation(**parts: Any) -> dict[str, Any]:
    """Convert a document with one operation; gives the operation."""
    top = {name: parts.pop(name) for name in ("parameters_", "responses_", "definitions") if name in parts}
    value = document(
        paths={"/a": {"post": {"responses": OK, **parts}}}, **{name.rstrip("_"): one for name, one in top.items()}
    )
    made: dict[str, Any] = convert(value)["paths"]["/a"]["post"]
    return made


@pytest.mark.parametrize(
    ("parts", "servers"),
    [
        ({}, None),
        ({"basePath": "/v1/"}, ["/v1"]),
        ({"host": "a.example"}, ["//a.example"]),
        ({"host": "a.example", "basePath": "/", "schemes": ["https", "wss"]}, ["https://a.example", "wss://a.example"]),
    ],
)
def test_host_path_and_schemes_are_servers(parts: dict[str, Any], servers: list[str] | None) -> None:
    made = convert(document(**parts)).get("servers")
    assert made == ([{"url": url} for url in servers] if servers else None)


def test_what_is_the_same_stays() -> None:
    parts = {"tags": [{"name": "a"}], "externalDocs": {"url": "https://a.example"}, "x-mine": {"a": 1}}
    made = convert(document(**parts, security=[{"key": []}], securityDefinitions={"key": {"type": "basic"}}))
    assert {name: made[name] for name in parts} == parts and made["security"] == [{"key": []}]
    assert list(made)[:2] == ["openapi", "info"]


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"in": "query", "type": "string", "maxLength": 3}, {"schema": {"type": "string", "maxLength": 3}}),
        ({"in": "path", "type": "string", "required": True}, {"required": True, "schema": {"type": "string"}}),
        ({"in": "header", "type": "boolean", "x-a": 1}, {"schema": {"type": "boolean"}, "x-a": 1}),
        (
            {"in": "query", "type": "array", "items": {"type": "string"}},
            {"style": "form", "explode": False, "schema": {"type": "array", "items": {"type": "string"}}},
        ),
        (
            {"in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
            {"style": "form", "explode": True, "schema": {"type": "array", "items": {"type": "string"}}},
        ),
        (
            {"in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "ssv"},
            {"style": "spaceDelimited", "explode": False, "schema": {"type": "array", "items": {"type": "string"}}},
        ),
        (
            {"in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "tsv"},
            {
                "style": "form",
                "explode": False,
                "x-collectionFormat": "tsv",
                "schema": {"type": "array", "items": {"type": "string"}},
            },
        ),
        (
            {"in": "header", "type": "array", "items": {"type": "integer", "collectionFormat": "pipes"}},
            {"style": "simple", "schema": {"type": "array", "items": {"type": "integer"}}},
        ),
        ({"in": "query", "type": "string", "x-nullable": True}, {"schema": {"type": "string", "nullable": True}}),
    ],
)
def test_parameters(given_: dict[str, Any], expected: dict[str, Any]) -> None:
    made = operation(parameters=[{"name": "p", **given_}])["parameters"]
    assert made == [{"name": "p", "in": given_["in"], **expected}]


def test_a_body_has_the_media_types_of_its_operation_or_of_the_document() -> None:
    body = {"name": "b", "in": "body", "description": "It.", "required": True, "schema": {"type": "object"}}
    made = operation(parameters=[body], consumes=["application/json", "text/xml"])["requestBody"]
    schema = {"schema": {"type": "object"}}
    assert made == {"description": "It.", "required": True, "content": {"application/json": schema, "text/xml": schema}}
    value = document(consumes=["a/b"], paths={"/a": {"post": {"parameters": [body], "responses": OK}}})
    assert list(convert(value)["paths"]["/a"]["post"]["requestBody"]["content"]) == ["a/b"]
    assert list(operation(parameters=[body])["requestBody"]["content"]) == ["application/json"]


def test_fields_of_a_form_become_one_body() -> None:
    fields = [
        {"name": "a", "in": "formData", "type": "string", "required": True, "description": "A."},
        {"name": "b", "in": "formData", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
    ]
    content = {
        "schema": {
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "A."},
                "b": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["a"],
        },
        "encoding": {"b": {"style": "form", "explode": True}},
    }
    made = operation(parameters=fields)["requestBody"]
    assert made == {"required": True, "content": {"application/x-www-form-urlencoded": content}}
    file = {"name": "f", "in": "formData", "type": "file"}
    made = operation(parameters=[file], consumes=["application/x-www-form-urlencoded"])["requestBody"]["content"]
    assert made["multipart/form-data"]["schema"]["properties"] == {"f": {"type": "string", "format": "binary"}}


def test_answers() -> None:
    header = {"type": "array", "items": {"type": "string"}, "description": "H."}
    answer = {
        "description": "It.",
        "schema": {"type": "file"},
        "headers": {"X-A": header},
        "examples": {"text/csv": "a,b"},
        "x-a": 1,
    }
    made = operation(produces=["text/plain"], responses={"200": answer, "x-b": 2})["responses"]
    binary = {"schema": {"type": "string", "format": "binary"}}
    assert made["200"] == {
        "description": "It.",
        "headers": {"X-A": {"description": "H.", "schema": {"type": "array", "items": {"type": "string"}}}},
        "content": {"text/plain": binary, "text/csv": {**binary, "example": "a,b"}},
        "x-a": 1,
    }
    assert made["x-b"] == 2


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"type": "basic", "description": "B."}, {"type": "http", "scheme": "basic", "description": "B."}),
        ({"type": "apiKey", "name": "k", "in": "header"}, {"type": "apiKey", "name": "k", "in": "header"}),
        (
            {
                "type": "oauth2",
                "flow": "accessCode",
                "authorizationUrl": "https://a",
                "tokenUrl": "https://b",
                "scopes": {},
            },
            {
                "type": "oauth2",
                "flows": {
                    "authorizationCode": {"authorizationUrl": "https://a", "tokenUrl": "https://b", "scopes": {}}
                },
            },
        ),
        (
            {"type": "oauth2", "flow": "application", "tokenUrl": "https://b", "scopes": {"a": "A"}},
            {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://b", "scopes": {"a": "A"}}}},
        ),
    ],
)
def test_ways_to_sign_in(given_: dict[str, Any], expected: dict[str, Any]) -> None:
    made = convert(document(securityDefinitions={"way": given_}))
    assert made["components"]["securitySchemes"] == {"way": expected}


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ({"type": "string", "x-nullable": True}, {"type": "string", "nullable": True}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"type": "object", "discriminator": "kind", "required": ["kind"], "properties": {"kind": {}}}, None),
        ({"allOf": [{"$ref": "#/definitions/Other"}]}, {"allOf": [{"$ref": "#/components/schemas/Other"}]}),
        ({"additionalProperties": {"x-nullable": True}}, {"additionalProperties": {"nullable": True}}),
        ({"properties": {"type": {"type": "string"}, "x-nullable": {"type": "integer"}}}, None),
        ({"example": {"$ref": "#/definitions/Other", "type": "file"}}, None),
    ],
)
def test_schemas(given_: dict[str, Any], expected: dict[str, Any] | None) -> None:
    made = convert(document(definitions={"One": given_, "Other": {"type": "object"}}))["components"]["schemas"]["One"]
    if "discriminator" in given_:
        expected = {**given_, "discriminator": {"propertyName": "kind"}}
    assert made == (given_ if expected is None else expected)


def test_names_that_components_may_not_have_are_written_otherwise() -> None:
    names = ["Page«Pet»", "Page Pet ", "A/B", "A~B", "Fine.1", "page"]
    properties = {
        str(number): {"$ref": "#/definitions/" + name.replace("~", "~0").replace("/", "~1").replace(" ", "%20")}
        for number, name in enumerate(names)
    }
    definitions = {name: {"type": "object", "title": name} for name in names}
    made = convert(document(definitions={**definitions, "All": {"properties": properties}}))["components"]["schemas"]
    assert len(made) == len(names) + 1
    for number, name in enumerate(names):
        lead = made["All"]["properties"][str(number)]["$ref"].removeprefix("#/components/schemas/")
        assert made[lead]["title"] == name


def test_shared_parameters_and_answers_are_components() -> None:
    value = document(
        parameters={
            "Page": {"name": "page", "in": "query", "type": "string"},
            "Pet": {"name": "pet", "in": "body", "schema": {"$ref": "#/definitions/Pet"}},
            "Photo": {"name": "photo", "in": "formData", "type": "file"},
        },
        responses={"Gone": {"description": "Gone.", "schema": {"$ref": "#/definitions/Pet"}}},
        definitions={"Pet": {"type": "object"}},
        paths={
            "/pets": {
                "parameters": [{"$ref": "#/parameters/Page"}, {"$ref": "#/parameters/Pet"}],
                "put": {"responses": {"410": {"$ref": "#/responses/Gone"}}},
                "post": {
                    "consumes": ["a/b"],
                    "produces": ["c/d"],
                    "responses": {"410": {"$ref": "#/responses/Gone"}},
                },
                "patch": {"parameters": [{"$ref": "#/parameters/Photo"}], "responses": OK},
            },
            "/photos": {"post": {"parameters": [{"$ref": "#/parameters/Photo"}], "responses": OK}},
        },
    )
    made = convert(value)
    pets = made["paths"]["/pets"]
    assert pets["parameters"] == [{"$ref": "#/components/parameters/Page"}]
    assert pets["put"]["requestBody"] == {"$ref": "#/components/requestBodies/Pet"}
    assert pets["put"]["responses"]["410"] == {"$ref": "#/components/responses/Gone"}
    # Other media types than those of the document: what is shared would not say them.
    assert list(pets["post"]["requestBody"]["content"]) == ["a/b"]
    assert list(pets["post"]["responses"]["410"]["content"]) == ["c/d"]
    assert list(made["paths"]["/photos"]["post"]["requestBody"]["content"]) == ["multipart/form-data"]
    assert set(made["components"]) == {"schemas", "responses", "parameters", "requestBodies"}


def test_a_reference_into_an_operation_leads_to_a_component() -> None:
    inner = {"type": "object", "properties": {"self": {"$ref": "#/paths/~1a/get/responses/200/schema"}}}
    value = document(
        paths={"/a": {"get": {"responses": {"200": {"description": "A.", "schema": inner}}}}},
        definitions={"B": {"$ref": "#/paths/~1a/get/responses/200/schema"}},
    )
    made = convert(value)["components"]["schemas"]
    lead = made["B"]["$ref"].removeprefix("#/components/schemas/")
    assert made[lead]["properties"]["self"] == made["B"]


def test_files_around_the_document() -> None:
    value = document(
        paths={
            "/a": {"$ref": "paths.json#/a"},
            "/b": {"post": {"parameters": [{"$ref": "inner/parts.json#/body"}], "responses": OK}},
        },
        definitions={"Root": {"type": "object"}},
    )
    parts = {
        "body": {"name": "b", "in": "body", "schema": {"$ref": "#/Schema"}},
        "Schema": {"type": "file", "x-kept": {"type": "file"}},
        "Back": {"properties": {"root": {"$ref": "../swagger.json#/definitions/Root"}, "it": {"$ref": "#/Back"}}},
    }
    answer = {"200": {"description": "B.", "schema": {"$ref": "inner/parts.json#/Back"}}}
    made = convert(value, paths={"a": {"get": {"responses": answer}}}, inner__parts=parts)
    assert made["paths"]["/b"]["post"]["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "inner/parts.json#/Schema"
    }
    shown = made["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert shown == {"$ref": "inner/parts.json#/Back"}
    files = made["files"]["inner/parts.json"]
    assert files["Schema"] == {"type": "string", "format": "binary", "x-kept": {"type": "file"}}
    assert files["Back"]["properties"]["root"] == {"$ref": "../swagger.json#/components/schemas/Root"}
    assert files["body"] == parts["body"]


@pytest.mark.parametrize(
    "value",
    [
        document(paths={"/a": {"get": {"parameters": [{"$ref": "#/parameters/A"}], "responses": OK}}}),
        document(
            parameters={"A": {"$ref": "#/parameters/B"}, "B": {"$ref": "#/parameters/A"}},
            paths={"/a": {"get": {"parameters": [{"$ref": "#/parameters/A"}], "responses": OK}}},
        ),
        document(
            paths={"/a": {"get": {"parameters": [{"$ref": "#/definitions/A"}], "responses": OK}}}, definitions={"A": {}}
        ),
    ],
)
def test_references_to_nothing_or_in_a_circle_are_refused(value: dict[str, Any]) -> None:
    with pytest.raises(Unreadable):
        converted(HERE, {HERE: value}, lambda address: address)


TYPES = st.sampled_from(["string", "integer", "boolean", "number"])
PARAMETERS = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from("abcdef"), "in": st.sampled_from(["query", "header", "formData"]), "type": TYPES},
        optional={"description": st.just("D."), "required": st.booleans(), "x-a": st.just(1)},
    ),
    max_size=4,
    unique_by=lambda one: one["name"],
)
MEDIA = st.lists(st.sampled_from(["application/json", "multipart/form-data", "text/xml"]), unique=True, max_size=2)


@settings(deadline=None)
@given(PARAMETERS, PARAMETERS, MEDIA, MEDIA)
def test_what_is_right_comes_out_right(
    shared: list[Any], own: list[Any], consumes: list[str], produces: list[str]
) -> None:
    one = {"parameters": own, "responses": {"200": {"description": "A.", "schema": {"$ref": "#/definitions/A"}}}}
    value = document(
        consumes=consumes,
        paths={"/a": {"parameters": shared, "post": one, "get": {**one, "produces": produces}}},
        definitions={"A": {"type": "object", "properties": {"a": {"$ref": "#/definitions/A"}}}},
    )
    convert(value)
