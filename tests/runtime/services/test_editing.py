"""Whatever is changed in whatever order, what comes out is a tree, or the change is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from runtime.contract import errors
from runtime.contract.change_requests import Change
from runtime.services.editing import MAX_DEPTH, MAX_VARIABLES, Editor, too_much
from runtime.services.semantic_changes import between
from runtime.store.content.entries import File, Page
from runtime.store.content.snapshot import Snapshot, in_order

CHANGE: TypeAdapter[Change] = TypeAdapter(Change)
MOMENT = "2026-01-01T00:00:00.000Z"
IDS = st.sampled_from([f"p{number}" for number in range(6)])
POSITIONS = st.fixed_dictionaries({"parent": IDS | st.none()}, optional={"before": IDS, "after": IDS})
SLUGS = {"slug": st.sampled_from(["a", "a-2", "b"])}
CHANGES = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("insert_page"),
            "id": IDS,
            "title": st.sampled_from(["A", "a!", "B", "日本"]),
            "page": st.sampled_from(["document", "document", "group"]),
            "position": POSITIONS,
        },
        optional=SLUGS,
    ),
    st.fixed_dictionaries({"type": st.just("update_page"), "id": IDS}, optional=SLUGS),
    st.fixed_dictionaries({"type": st.just("move_page"), "id": IDS, "position": POSITIONS}),
    st.fixed_dictionaries({"type": st.just("delete_page"), "id": IDS}),
)


def address_of(file: File) -> str:
    return f"https://files.example/{file.id}"


def change(**values: Any) -> Change:
    return CHANGE.validate_python(values)


@settings(deadline=None)
@given(st.lists(CHANGES, max_size=30))
def test_what_comes_out_is_a_tree(changes: list[dict[str, Any]]) -> None:
    editor, before = Editor(Snapshot(), MOMENT), Snapshot()
    there: set[str] = set()
    for one in changes:
        try:
            editor.apply(CHANGE.validate_python(one))
        except errors.BadRequest:
            continue
        after = editor.snapshot()
        assert in_order(after.pages) == list(after.pages)
        assert Editor(after, MOMENT).snapshot() == after
        for beside in after.children.values():
            slugs = [page.slug for page in beside if page.slug is not None]
            assert len(slugs) == len(set(slugs))
        kinds = [found["type"] for found in between(before, after, address_of)]
        gone = before.page_by_id.keys() - after.page_by_id.keys()
        come = after.page_by_id.keys() - before.page_by_id.keys()
        assert (kinds.count("page_deleted"), kinds.count("page_created")) == (len(gone), len(come))
        assert between(after, after, address_of) == []
        there, before = set(after.page_by_id), after
    assert there == set(before.page_by_id)


def chain(editor: Editor, name: str, length: int) -> None:
    parent = None
    for number in range(length):
        editor.apply(change(type="insert_page", id=f"{name}{number}", title="Page", position={"parent": parent}))
        parent = f"{name}{number}"


def test_pages_are_so_deep_and_no_deeper() -> None:
    editor = Editor(Snapshot(), MOMENT)
    chain(editor, "p", MAX_DEPTH + 1)
    assert len(editor.snapshot().pages) == MAX_DEPTH + 1
    chain(editor, "q", 2)
    editor.snapshot()
    # What comes along counts as well.
    editor.apply(change(type="move_page", id="q0", position={"parent": f"p{MAX_DEPTH - 1}"}))
    with pytest.raises(errors.BadRequest, match="deep inside each other"):
        editor.snapshot()


def test_variables_are_told_apart_by_their_type() -> None:
    one, other = (Snapshot(variables={"on": value}) for value in (True, 1))
    assert [found["type"] for found in between(one, other, address_of)] == ["variables_edited"]


def test_a_space_says_so_much_and_no_more() -> None:
    editor = Editor(Snapshot(), MOMENT)
    long = {f"v{number}": "x" * 256 for number in range(200)}
    for number in range(200):
        editor.apply(change(type="insert_page", id=f"p{number}", title="Page", variables=long))
    with pytest.raises(errors.BadRequest, match="too long together"):
        editor.snapshot()
    editor = Editor(Snapshot(), MOMENT)
    for number in range(MAX_VARIABLES + 1):
        editor.apply(change(type="set_variables", variables={f"v{number}": number}))
    with pytest.raises(errors.BadRequest, match="variables"):
        editor.snapshot()


def test_paths_of_a_space_have_a_limit_that_no_honest_space_meets() -> None:
    def nested(letters: int, pages: int) -> Snapshot:
        levels = [Page(f"l{n}", slug="ж" * letters, parent=f"l{n - 1}" if n else None) for n in range(6)]
        return Snapshot([*levels, *(Page(f"p{n}", slug="ж" * letters + str(n), parent="l5") for n in range(pages))])

    assert too_much(nested(60, 19_900)) is None
    assert "paths of the pages are too long together" in str(too_much(nested(115, 19_900)))


def test_looks_of_a_page_are_kept_as_they_are_said() -> None:
    editor = Editor(Snapshot(), MOMENT)
    cover = {"ref": {"kind": "url", "url": "https://example.com/a.png"}, "yPos": 2}
    editor.apply(change(type="insert_page", title="Page", layout={"width": "wide", "coverSize": "hero"}, cover=cover))
    (page,) = editor.snapshot().pages
    assert page.layout == {"width": "wide", "coverSize": "hero"} and page.cover == cover


def test_a_slug_is_free_again_when_its_page_has_gone_elsewhere() -> None:
    editor = Editor(Snapshot(), MOMENT)
    for page_id, title in (("p0", "Guide"), ("p1", "Guide"), ("p2", "Other")):
        editor.apply(change(type="insert_page", id=page_id, title=title))
    with pytest.raises(errors.BadRequest, match="already has the slug `guide`"):
        editor.apply(change(type="update_page", id="p2", slug="guide"))
    with pytest.raises(errors.BadRequest, match="cannot be inside itself"):
        editor.apply(change(type="move_page", id="p0", position={"parent": "p0"}))
    with pytest.raises(errors.BadRequest, match="already has the slug `guide`"):
        editor.apply(change(type="update_page", id="p2", slug="guide"))
    editor.apply(change(type="move_page", id="p0", position={"parent": "p2"}))
    editor.apply(change(type="update_page", id="p1", slug="guide"))
    editor.apply(change(type="delete_page", id="p1"))
    editor.apply(change(type="update_page", id="p2", slug="guide"))
    assert [(page.id, page.slug) for page in editor.snapshot().pages] == [("p2", "guide"), ("p0", "guide")]
