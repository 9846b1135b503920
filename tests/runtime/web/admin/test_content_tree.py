"""The tree of an organization's content: what stands where, and where something may go."""

from __future__ import annotations

from typing import Any

from runtime.web.admin.content_tree import Tree


def one(name: str, parent: str = "", kind: str = "collection", *, create: bool = True) -> dict[str, Any]:
    shown = {"object": kind, "id": name, "title": name.upper(), "permissions": {"create": create}}
    return shown | ({"parent": parent} if parent else {})


def tree(*content: dict[str, Any]) -> Tree:
    made = Tree({}, {each["id"]: each for each in content if each["object"] == "collection"}, True)
    for each in content:
        made.below.setdefault(made.place_of(each), []).append(each)
    return made


def test_nothing_moves_into_itself_or_where_nothing_may_be_added() -> None:
    a, b, c, d = one("a"), one("b", "a"), one("c", "b"), one("d", create=False)
    made = tree(a, b, c, d, one("s", "c", "space"))
    assert made.places_for({"id": ""}) == [("a", "A"), ("b", "A / B"), ("c", "A / B / C")]
    assert made.places_for(b) == [("a", "A")]
    assert made.places_for(a) == []
    assert made.places_for(one("x", "d", "space"))[-1] == ("d", "D")  # where it stands is a choice, too
    assert [each["id"] for each in made.ancestors_of(one("s", "c", "space"))] == ["a", "b", "c"]


def test_what_stands_in_a_hidden_collection_is_at_the_top_but_beside_nothing_there() -> None:
    hidden, top = one("s", "hidden", "space"), one("t", "", "space")
    made = tree(hidden, top)
    assert [each["id"] for each in made.below[""]] == ["s", "t"]
    assert made.beside(top) == [top] and made.beside(hidden) == [hidden]
    assert made.ancestors_of(hidden) == []


def test_collections_of_equal_ways_are_told_apart_by_their_ids() -> None:
    made = tree(*(one(name) | {"title": "Docs"} for name in "ab"), one("c", "a"))
    assert made.places_for({"id": ""}) == [("a", "Docs (a)"), ("c", "Docs / C"), ("b", "Docs (b)")]


def test_a_circle_ends() -> None:
    """Lists that were read while something moved may say that each of two stands in the other."""
    a, b = one("a", "b"), one("b", "a")
    assert [each["id"] for each in tree(a, b).ancestors_of(a)] == ["a", "b"]
