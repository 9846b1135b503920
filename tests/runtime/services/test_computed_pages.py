"""What scripts answer as pages, written as pages of a revision; and what pages of a specification are made of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.contract.computing import ComputedPages
from runtime.services.computed_pages import Ids, IdsWithin, PageWriter, TakenTwice
from runtime.services.openapi_specs import pages as openapi_pages
from runtime.services.openapi_specs.outline import TooLarge, outline_of
from runtime.store.content.entries import Page


def written(pages: list[Any], ids: Ids, parent: str | None = None, beside: tuple[str, ...] = ()) -> list[Page]:
    answered = ComputedPages.model_validate({"pages": pages})
    return PageWriter("space", "seed", ids).pages(answered.pages, parent, beside)


TREE = [{"type": "group", "title": "A", "pages": [{"type": "document", "title": "B"}]}]


def test_ids_do_not_depend_on_what_stands_beside() -> None:
    alone = written(TREE, IdsWithin("page"))
    crowded = written(TREE, IdsWithin("page"), beside=("a", "a-2"))
    assert [page.id for page in alone] == [page.id for page in crowded]
    assert [page.slug for page in crowded] == ["a-3", "b"]


def test_ids_of_two_pages_never_collide_where_scripts_give_the_same() -> None:
    same = [{"type": "document", "id": "same", "title": "A"}]
    (first,), (second,) = written(same, IdsWithin("one")), written(same, IdsWithin("two"))
    assert len({first.id, second.id, "same"}) == 3
    assert written(same, IdsWithin("one")) == [first]
    assert written(same, Ids("type", "seed"))[0].id == "same"
    with pytest.raises(TakenTwice):
        written(same * 2, IdsWithin("one"))


def test_a_group_in_a_page_is_a_page_without_text() -> None:
    assert [page.type for page in written(TREE, IdsWithin("page"))] == ["group", "document"]
    inside = written(TREE, IdsWithin("page"), parent="above")
    assert [(page.type, page.parent) for page in inside] == [("document", "above"), ("document", inside[0].id)]


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"tags": {"name": "x"}, "paths": []},
        {"tags": [1, {"name": 2}, {"name": ""}], "paths": {"/a": 1, "/b": {"get": 3, "post": {"tags": [4, ""]}}}},
        {"paths": {"/a": {"$ref": "#/paths/~1a"}, "/b": {"$ref": "other.yaml#/b"}, "/c": {"$ref": "#/nowhere/x"}}},
    ],
)
def test_an_outline_is_made_of_whatever_stands_in_a_specification(document: Any) -> None:
    outline = outline_of(json.dumps({"openapi.yaml": document}).encode())
    assert [tag["name"] for tag in outline["tags"]] in ([], ["Other"])
    assert outline["schemas"] == []


def test_operations_of_thousands_of_paths_that_refer_to_one_are_refused() -> None:
    def stored(paths: int, tags: int) -> bytes:
        shared = {"get": {"tags": [f"t{number}" for number in range(tags)]}}
        named: dict[str, Any] = {f"/{number}": {"$ref": "#/paths/~1shared"} for number in range(paths - 1)}
        return json.dumps({"openapi.yaml": {"paths": {"/shared": shared, **named}}}).encode()

    tags = outline_of(stored(200, 100))["tags"]
    assert [len(tag["operations"]) for tag in tags] == [200] * 100
    with pytest.raises(TooLarge):
        outline_of(stored(201, 100))


def test_references_are_followed_as_often_as_one_path_needs() -> None:
    chain: dict[str, Any] = {f"/c{number}": {"$ref": f"#/paths/~1c{number + 1}"} for number in range(2000)}
    ways = {f"/p{number}": {"$ref": f"#/paths/~1c{number % 2000}"} for number in range(15_000)}
    loop = {"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}, "/to": {"$ref": "#/paths/~1a"}}
    # Each from its start, these are fifteen million steps.
    paths = {**loop, **ways, **chain, "/c2000": {"get": {}}}
    (tag,) = outline_of(json.dumps({"openapi.yaml": {"paths": paths}}).encode())["tags"]
    assert [one["path"] for one in tag["operations"]] == [*ways, *chain, "/c2000"]


@pytest.mark.parametrize(
    "shared",
    [{"get": {"tags": ["same"] * 200_000}}, {f"x-{number}": 1 for number in range(200_000)}],
    ids=["tags", "extensions"],
)
def test_what_thousands_of_paths_refer_to_is_read_once(shared: dict[str, Any]) -> None:
    named = {f"/{number}": {"$ref": "#/paths/~1shared"} for number in range(15_000)}
    content = json.dumps({"openapi.yaml": {"paths": {"/shared": shared, **named}}})
    tags = outline_of(content.encode())["tags"]  # for each path anew, these are three billion steps
    assert sum(len(tag["operations"]) for tag in tags) == (15_001 if "get" in shared else 0)


def test_a_page_of_a_specification_says_what_its_source_names() -> None:
    tags = [{"name": "A", "description": "*What*", "operations": [{"path": "/a", "method": "get"}]}]
    outline = {"tags": tags, "schemas": []}
    source = {"type": "builtin:openapi", "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": "s"}}}}
    (page,) = openapi_pages.pages_of(outline, {**source, "props": {"models": True}})
    assert page["computed"] == {**source, "props": {"doc": "operations", "page": "A"}}
    info = openapi_pages.document_in(outline, {**source, "props": {"doc": "info", "page": "A"}})
    assert info is not None and info["nodes"][0]["type"] == "paragraph"
    for props in ({}, {"doc": "operations", "page": "B"}, {"doc": "else", "page": "A"}):
        assert openapi_pages.document_in(outline, {**source, "props": props}) is None
