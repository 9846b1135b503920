"""Revisions that merge, case by case; `test_snapshot_rules.py` says what holds for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from runtime.store.content.entries import File, Page, ReusableContent
from runtime.store.content.pieces import Packed
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import Snapshot
from tests.runtime.services.merging.building import Library, doc, outline, snapshot, tree

NONE = Library()
LINK: dict[str, Any] = {"type": "link", "slug": None, "target": {"kind": "url", "url": "https://a.example"}}
GROUP: dict[str, Any] = {"type": "group"}

TREES = {
    # what: base, ours, theirs, merged
    "a move and another move": ("a b c d", "b a c d", "a b d c", "b a d c"),
    "put in at one place, ours first": ("a b", "a m b", "a t b", "a m t b"),
    "put in elsewhere": ("a b", "m a b", "a b t", "m a b t"),
    "into a page, and another into it": ("a b c", "a(b) c", "a(c) b", "a(b c)"),
    "into another page, and a new one into it": ("a b", "a(b)", "a b(t)", "a(b(t))"),
    "both moved it to the same place": ("a b c", "a(c) b", "a(c) b", "a(c) b"),
    "both moved it among its siblings: theirs": ("a b c d e", "b c a d e", "b c d e a", "b c d e a"),
    "deleted with what is below": ("a(b(c)) d", "d", "a(b(c)) d e", "d e"),
    "deleted, and only in another order": ("a b c", "b c", "b c a", "b c"),
    "deleted, and what was in it moved out": ("a(b) c", "c b", "a(b) c(t)", "c(t) b"),
    "both deleted it": ("a(b) c", "c", "c", "c"),
    "both order alike": ("a b c", "c b a", "c b a", "c b a"),
    "what is new goes along with what follows it": ("y s t x", "s x y t", "n s y t x", "n s x y t"),
    "one of two that both put between": ("y p q x", "y p x q", "p y q x", "p y x q"),
}


@pytest.mark.parametrize("case", TREES)
def test_trees_that_merge(case: str) -> None:
    base, ours, theirs, expected = TREES[case]
    merged = NONE.merge(tree(base), tree(ours), tree(theirs))
    assert not merged.conflicts
    assert outline(merged.snapshot) == expected


TREE_CONFLICTS = {
    # what: base, ours, theirs, the id in the conflict, its sentence
    "two moves into different pages": (
        *("a b c", "a(c) b", "a b(c)", "c"),
        "Both sides moved the page `c` to different places.",
    ),
    "pages inside of each other": (
        *("a b", "b(a)", "a(b)", "a"),
        "Together, the two sides put the pages `a` and `b` inside each other.",
    ),
    "something new in what is deleted": (
        *("a(b) c", "c", "a(b(t)) c", "b"),
        "One side deleted the page `b`, and the other put `t` into it.",
    ),
    "several things in what is deleted: said once": (
        *("a(b) c", "c", "a(b(t u)) c", "b"),
        "One side deleted the page `b`, and the other put `t` into it.",
    ),
    "something new in what is deleted and changed: said once": (
        *("a(b) c", "a c", "a c(b(t))", "b"),
        "One side deleted the page `b`, and the other changed it.",
    ),
    "something moved into what is deleted": (
        *("a b", "b", "a(b)", "a"),
        "One side deleted the page `a`, and the other put `b` into it.",
    ),
    "a move of what is deleted": (
        *("a b", "b", "b(a)", "a"),
        "One side deleted the page `a`, and the other changed it.",
    ),
    "a move of something below what is deleted": (
        *("a(b c) d", "d", "a(b(c)) d", "c"),
        "One side deleted the page `c`, and the other changed it.",
    ),
}


@pytest.mark.parametrize("case", TREE_CONFLICTS)
def test_trees_in_conflict(case: str) -> None:
    base, ours, theirs, about, sentence = TREE_CONFLICTS[case]
    for one, other in ((ours, theirs), (theirs, ours)):
        merged = NONE.merge(tree(base), tree(one), tree(other))
        assert merged.snapshot is None
        assert not merged.documents
        assert [(conflict.id, conflict.sentence) for conflict in merged.conflicts] == [(about, sentence)]


Fields = Mapping[str, Any]
FIELDS: dict[str, tuple[Fields, Fields, Fields, Fields]] = {
    # what: fields of the page in base, ours, theirs, merged
    "title and description": ({}, {"title": "M"}, {"description": "T"}, {"title": "M", "description": "T"}),
    "the same title": ({}, {"title": "B"}, {"title": "B", "hidden": True}, {"title": "B", "hidden": True}),
    "slug and emoji": ({}, {"slug": "m"}, {"emoji": "1f600"}, {"slug": "m", "emoji": "1f600"}),
    "parts of the layout": (
        {"layout": {"title": True, "cover": True}},
        {"layout": {"title": False, "cover": True}},
        {"layout": {"title": True, "outline": False}},
        {"layout": {"title": False, "outline": False}},
    ),
    "variables of the page": (
        {"variables": {"a": "1"}},
        {"variables": {"a": "1", "b": "2"}},
        {"variables": {"a": "3"}},
        {"variables": {"a": "3", "b": "2"}},
    ),
    "the later time": (
        {"updated_at": "2026-01-01T00:00:00Z"},
        {"updated_at": "2026-03-01T00:00:00Z", "title": "M"},
        {"updated_at": "2026-02-01T00:00:00Z"},
        {"updated_at": "2026-03-01T00:00:00Z", "title": "M"},
    ),
    "what Git knows, of both: theirs": (
        {"git": {"oid": "b"}},
        {"git": {"oid": "m"}},
        {"git": {"oid": "t"}},
        {"git": {"oid": "t"}},
    ),
    "what Git knows, of ours alone": (
        {"git": {"oid": "b"}},
        {"git": {"oid": "m"}},
        {"git": {"oid": "b"}, "icon": "t"},
        {"git": {"oid": "m"}, "icon": "t"},
    ),
    "another type": ({}, LINK, {"title": "T"}, {**LINK, "title": "T"}),
}


@pytest.mark.parametrize("case", FIELDS)
def test_fields_that_merge(case: str) -> None:
    base, ours, theirs, expected = (tree("guide", guide={"title": "Guide", **fields}) for fields in FIELDS[case])
    merged = NONE.merge(base, ours, theirs)
    assert not merged.conflicts
    assert merged.snapshot == expected


FIELD_CONFLICTS: dict[str, tuple[Fields, Fields, Fields, str]] = {
    # the field: its values in base, ours, theirs, the sentence
    "title": ({}, {"title": "M"}, {"title": "T"}, "Both sides changed the title of the page `Guide`."),
    "slug": ({}, {"slug": "m"}, {"slug": "t"}, "Both sides changed the slug of the page `Guide`."),
    "description": (
        *({"description": "B"}, {"description": None}, {"description": "T"}),
        "Both sides changed the description of the page `Guide`.",
    ),
    "icon": ({}, {"emoji": "1f600"}, {"icon": "star"}, "Both sides changed the icon of the page `Guide`."),
    "cover": (
        *({}, {"cover": {"yPos": 1}}, {"cover": {"yPos": 2}}),
        "Both sides changed the cover of the page `Guide`.",
    ),
    "target": (
        *(LINK, {**LINK, "target": {"kind": "page"}}, {**LINK, "target": {"kind": "space"}}),
        "Both sides changed the target of the page `Guide`.",
    ),
    "layout `title`": (
        *({"layout": {}}, {"layout": {"title": True}}, {"layout": {"title": False}}),
        "Both sides changed the layout `title` of the page `Guide`.",
    ),
}


@pytest.mark.parametrize("place", FIELD_CONFLICTS)
def test_fields_in_conflict(place: str) -> None:
    *sides, sentence = FIELD_CONFLICTS[place]
    base, ours, theirs = (tree("guide", guide={"title": "Guide", **fields}) for fields in sides)
    merged = NONE.merge(base, ours, theirs)
    [conflict] = merged.conflicts
    assert merged.snapshot is None
    assert (conflict.what, conflict.id, conflict.title) == ("page", "guide", "Guide")
    assert (conflict.place, conflict.sentence) == (place, sentence)


def test_a_page_deleted_and_edited() -> None:
    base, edited, gone = tree("a(b) c"), tree("a(b) c", b={"title": "New"}), tree("c")
    [conflict] = NONE.merge(base, gone, edited).conflicts
    assert conflict.sentence == "One side deleted the page `b`, and the other changed it."
    assert conflict.place == ""


def test_a_page_deleted_and_only_looked_after_by_machines() -> None:
    base, side = tree("a c"), tree("a c", a={"updated_at": "2026-01-01T00:00:00Z", "git": {"oid": "x"}})
    assert outline(NONE.merge(base, tree("c"), side).snapshot) == "c"


def test_a_page_put_into_one_that_became_a_link() -> None:
    merged = NONE.merge(tree("a b"), tree("a b", a=LINK), tree("a(b)"))
    assert [conflict.sentence for conflict in merged.conflicts] == [
        "One side made the page `a` a link page, and the other put `b` into it."
    ]


def test_a_page_that_became_a_group_and_was_put_into_another() -> None:
    merged = NONE.merge(tree("a b"), tree("a b", b=GROUP), tree("a(b)"))
    assert [conflict.sentence for conflict in merged.conflicts] == [
        "One side made the page `b` a group, and the other put it into `a`."
    ]


def test_two_pages_of_one_slug_get_different_ones() -> None:
    base = tree("p(x y) guide-2")
    ours = tree("m p(x y) guide-2", m={"slug": "guide"})
    theirs = tree("t p(x y) guide-2", t={"slug": "guide"})
    merged = NONE.merge(base, ours, theirs).snapshot
    assert merged is not None
    assert {page.id: page.slug for page in merged.pages if page.parent is None} == {
        "m": "guide",
        "t": "guide-3",
        "p": "p",
        "guide-2": "guide-2",
    }
    turned = NONE.merge(base, theirs, ours).snapshot
    assert turned is not None
    assert (turned.page_by_id["t"].slug, turned.page_by_id["m"].slug) == ("guide", "guide-3")


def test_a_slug_that_comes_of_a_move_and_a_rename_gives_way() -> None:
    merged = NONE.merge(tree("p(x) y"), tree("p(x(y))"), tree("p(x) y t")).snapshot
    assert outline(merged) == "p(x(y)) t"
    base, ours = tree("p(x) q(y)"), tree("p(x y) q")
    theirs = tree("p(x) q(y)", y={"slug": "x"})
    merged = NONE.merge(base, ours, theirs).snapshot
    assert merged is not None
    assert [page.slug for page in merged.children["p"]] == ["x", "x-2"]


def test_a_page_that_both_added() -> None:
    assert outline(NONE.merge(tree("a"), tree("a x"), tree("x a")).snapshot) == "x a"
    merged = NONE.merge(tree("a"), tree("a x", x={"title": "M"}), tree("a(x)", x={"title": "T"}))
    assert [conflict.sentence for conflict in merged.conflicts] == [
        "Both sides changed the title of the page `M`.",
        "Both sides added the page `M` to different places.",
    ]


def test_documents_merge_and_conflicts_say_where() -> None:
    library = Library()
    texts = {
        "base": doc("First words here.", "Second words here."),
        "ours": doc("First words, by us.", "Second words here."),
        "theirs": doc("First words here.", "Second words, by them."),
        "more": doc("First words, by others.", "Second words here."),
    }
    of = {
        who: tree("guide other", guide={"title": "Guide", "document": library.add(one)}) for who, one in texts.items()
    }
    merged = library.merge(of["base"], of["ours"], of["theirs"])
    assert merged.snapshot is not None
    assert [*merged.documents] == [doc("First words, by us.", "Second words, by them.")]
    assert isinstance(merged.documents, Packed), "there may be more of them than fit into memory"
    assert merged.snapshot.page_by_id["guide"].document == name_of(merged.documents[0])
    [conflict] = library.merge(of["base"], of["ours"], of["more"]).conflicts
    assert conflict.sentence == "Both sides changed the first paragraph of `Guide`."
    assert conflict.place == "the first paragraph"
    without = tree("guide other", guide={"title": "Guide"})
    [conflict] = library.merge(of["base"], of["ours"], without).conflicts
    assert conflict.sentence == "One side deleted the text of `Guide`, and the other changed it."


def test_a_document_that_is_there_already_is_not_new() -> None:
    library = Library()
    keyed = [doc({**doc("The words.")["nodes"][0], "key": key}) for key in "abc"]
    base, ours, theirs = (tree("a", a={"document": library.add(one)}) for one in keyed)
    merged = library.merge(base, ours, theirs)
    assert merged.snapshot == ours
    assert not merged.documents


def test_a_document_that_cannot_be_read_is_not_swallowed() -> None:
    base, ours, theirs = (tree("a", a={"document": one}) for one in ("00", "01", "02"))
    with pytest.raises(KeyError):
        NONE.merge(base, ours, theirs)


LOGO = File("f", name="logo.png", content_type="image/png", size=1, blob="b")


def test_files_merge_by_name_and_content() -> None:
    renamed, redrawn = replace(LOGO, name="sign.png"), replace(LOGO, blob="c", size=2)
    base, ours, theirs = (snapshot(files=[one]) for one in (LOGO, renamed, redrawn))
    assert NONE.merge(base, ours, theirs).snapshot == snapshot(files=[replace(redrawn, name="sign.png")])
    [conflict] = NONE.merge(base, theirs, snapshot(files=[replace(LOGO, blob="d", size=3)])).conflicts
    assert conflict.sentence == "Both sides changed the content of the file `logo.png`."
    merged = NONE.merge(base, snapshot(), snapshot(files=[LOGO], variables={"a": 1}))
    assert merged.snapshot == snapshot(variables={"a": 1})
    [conflict] = NONE.merge(base, snapshot(), ours).conflicts
    assert conflict.sentence == "One side deleted the file `logo.png`, and the other changed it."


def test_new_files_stand_where_they_were_put() -> None:
    def files(names: str) -> Snapshot:
        return snapshot(files=[File(name, name=name) for name in names])

    merged = NONE.merge(files("ab"), files("amb"), files("atbu")).snapshot
    assert merged is not None
    assert "".join(file.id for file in merged.files) == "amtbu"


def test_reusable_contents_merge() -> None:
    library = Library()
    content = ReusableContent("r", title="Note", document=library.add(doc("One word.", "Other words.")))
    base = snapshot(reusable_contents=[content])
    ours = snapshot(reusable_contents=[replace(content, document=library.add(doc("One word, ours.", "Other words.")))])
    theirs = snapshot(
        reusable_contents=[replace(content, document=library.add(doc("One word.", "Others.")), title="N")]
    )
    merged = library.merge(base, ours, theirs)
    assert merged.snapshot is not None
    [made] = merged.snapshot.reusable_contents
    assert (made.title, [*merged.documents]) == ("N", [doc("One word, ours.", "Others.")])
    assert made.document == name_of(merged.documents[0])
    [conflict] = library.merge(base, snapshot(), theirs).conflicts
    assert conflict.sentence == "One side deleted the reusable content `Note`, and the other changed it."


def test_variables_merge_by_name() -> None:
    base = snapshot(variables={"a": "1", "b": "1", "c": "1"})
    ours = snapshot(variables={"a": "2", "b": "1", "m": "1"})
    theirs = snapshot(variables={"a": "1", "b": "3", "c": "1"})
    merged = NONE.merge(base, ours, theirs).snapshot
    assert merged is not None
    assert merged.variables == {"a": "2", "b": "3", "m": "1"}
    found = NONE.merge(base, ours, snapshot(variables={"a": "3", "b": "1", "c": "2"})).conflicts
    assert [(one.what, one.id, one.sentence) for one in found] == [
        ("variable", "a", "Both sides changed the variable `a` to different values."),
        ("variable", "c", "One side deleted the variable `c`, and the other changed it."),
    ]


def test_five_thousand_pages() -> None:
    pages = [Page(f"p{n}", title="T", slug=f"p{n}", parent=f"p{n % 50}" if n >= 50 else None) for n in range(5_000)]
    base = snapshot(pages=pages)
    ours = snapshot(pages=[replace(page, title="Ours") if n % 2 else page for n, page in enumerate(pages)])
    theirs = snapshot(pages=[replace(page, description="T") for page in reversed(pages)])
    new = [[Page(f"{who}{n}", title="N", slug=f"new-{n}") for n in range(2_000)] for who in "mt"]
    merged = NONE.merge(base, snapshot(pages=[*ours.pages, *new[0]]), snapshot(pages=[*theirs.pages, *new[1]])).snapshot
    assert merged is not None
    assert len(merged.pages) == 9_000
    assert merged.page_by_id["t7"].slug == "new-7-2"
    assert [page.id for page in merged.children[None]][:50] == [f"p{n}" for n in range(49, -1, -1)]


def test_ten_thousand_pages_added_on_either_side() -> None:
    """To look again at all pages for each of them would take minutes."""
    base = Snapshot()
    ours, theirs = (
        Snapshot([Page(f"{side}{number}", type="document", title="P", slug=f"p{number}") for number in range(10_000)])
        for side in ("a", "b")
    )
    merged = NONE.merge(base, ours, theirs).snapshot
    assert merged is not None and len(merged.pages) == len(merged.page_by_path) == 20_000
