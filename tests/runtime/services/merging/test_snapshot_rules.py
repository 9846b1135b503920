"""What holds for every merge of revisions, whatever their trees and whatever was done to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from runtime.services.merging.snapshots import Merge
from runtime.store.content.entries import File, Page, ReusableContent
from runtime.store.content.revisions import name_of
from runtime.store.content.snapshot import BrokenTree, Snapshot, in_order
from tests.runtime.services.merging.building import Library, doc, snapshot

SLUGS = st.sampled_from(["a", "b", "a-2"])
PLACES = st.integers(0, 9)
LIBRARY = Library()
PARAGRAPHS = ["one two three", "four five six", "seven eight nine"]
TEXTS = [LIBRARY.add(doc(*PARAGRAPHS))] + [
    LIBRARY.add(doc(*(f"{one}{word}" if n == place else one for n, one in enumerate(PARAGRAPHS))))
    for place in range(3)
    for word in (" more", " other")
]
Deed = tuple[str, int, int, str]
DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["put in", "put in", "move", "move", "delete", "title", "slug", "type", "text", "file"]),
        *(PLACES, PLACES, SLUGS),
    ),
    max_size=7,
)


def done(before: Snapshot, deeds: list[Deed], who: str) -> Snapshot:
    """Do one thing after the other; what would leave no tree is not done."""
    for number, deed in enumerate(deeds):
        try:
            after = _step(before, deed, f"{who}{number}")
            before = replace(after, pages=in_order(after.pages))
        except BrokenTree:
            continue
    return before


def _step(now: Snapshot, deed: Deed, new_id: str) -> Snapshot:
    what, number, other, slug = deed
    pages = list(now.pages)
    if what == "file":
        return _with_file(now, number, slug, new_id)
    if what == "put in":
        id_ = "same" if number == 9 and "same" not in now.page_by_id else new_id
        parent = pages[other % len(pages)].id if pages and other % 3 else None
        page = Page(id_, title=slug, slug=slug, parent=parent)
        return replace(now, pages=[*pages[:number], page, *pages[number:]])
    if not pages:
        return now
    page = pages.pop(number % len(pages))
    if what == "delete":
        gone = {page.id}
        for one in now.pages:
            gone |= {one.id} if one.parent in gone else set()
        return replace(now, pages=[one for one in pages if one.id not in gone])
    changes: dict[str, Callable[[], dict[str, Any]]] = {
        "move": lambda: {"parent": now.pages[other % len(now.pages)].id if other % 4 else None},
        "title": lambda: {"title": slug, "updated_at": f"2026-01-0{other}"},
        "slug": lambda: {"slug": slug} if page.slug is not None else {},
        "type": lambda: {"type": "link", "slug": None} if other % 2 else {"type": "group", "slug": slug},
        "text": lambda: {"document": TEXTS[other % len(TEXTS)]},
    }
    place = other if what == "move" else number % len(now.pages)
    return replace(now, pages=[*pages[:place], replace(page, **changes[what]()), *pages[place:]])


def _with_file(now: Snapshot, number: int, name: str, new_id: str) -> Snapshot:
    files, contents = list(now.files), list(now.reusable_contents)
    variables = {**now.variables, name: new_id}
    if number % 3 == 0 and files:
        return replace(now, files=files[1:], variables={})
    if number % 3 == 1 and files:
        return replace(now, files=[*files[1:], replace(files[0], name=name)], variables=variables)
    new = ReusableContent(new_id, title=name, document=TEXTS[number % len(TEXTS)])
    return replace(now, files=[*files, File(new_id, name=name)], reusable_contents=[new, *contents])


@st.composite
def three(draw: st.DrawFn) -> tuple[Snapshot, Snapshot, Snapshot]:
    size = draw(st.integers(1, 7))
    pages = [
        Page(
            f"p{n}",
            title=f"p{n}",
            slug=f"p{n}",
            parent=f"p{above}" if (above := draw(PLACES)) < n else None,
            document=TEXTS[0],
        )
        for n in range(size)
    ]
    base = snapshot(pages=in_order(pages), files=[File("f0", name="f")], variables={"a": "1"})
    return base, done(base, draw(DEEDS), "m"), done(base, draw(DEEDS), "t")


def merged(base: Snapshot, ours: Snapshot, theirs: Snapshot) -> Merge:
    return LIBRARY.merge(base, ours, theirs)


def ids(side: Snapshot) -> set[str]:
    return {entry.id for entries in (side.pages, side.files, side.reusable_contents) for entry in entries}


@given(three())
def test_the_result_is_a_revision_or_there_are_conflicts(sides: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, ours, theirs = sides
    merge = merged(*sides)
    assert merge == merged(*sides)
    if merge.conflicts:
        assert merge.snapshot is None
        assert not merge.documents
        assert all(one.sentence.endswith(".") and one.title in one.sentence for one in merge.conflicts)
        return
    assert merge.snapshot is not None
    assert in_order(merge.snapshot.pages) == list(merge.snapshot.pages)
    assert merge.snapshot.documents() <= LIBRARY.documents.keys() | {name_of(one) for one in merge.documents}
    assert {name_of(one) for one in merge.documents} <= merge.snapshot.documents()
    deleted = (ids(base) - ids(ours)) | (ids(base) - ids(theirs))
    assert ids(merge.snapshot) == (ids(ours) | ids(theirs)) - deleted


@given(three())
def test_merging_nothing_is_identity(sides: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, side, _ = sides
    # Tuples equal no lists, so that these go the whole way and not the short one for what is equal.
    other_base = replace(base, files=tuple(base.files), reusable_contents=tuple(base.reusable_contents))
    for merge in (
        merged(base, base, side),
        merged(base, side, base),
        merged(base, side, side),
        merged(other_base, base, side),
        merged(other_base, side, base),
        merged(other_base, side, replace(side, files=tuple(side.files))),
    ):
        assert merge.snapshot is not None
        assert replace(merge.snapshot, files=list(merge.snapshot.files)) == side
        assert not merge.documents


@given(three(), three())
def test_revisions_that_have_nothing_in_common_make_a_tree_or_conflicts(
    some: tuple[Snapshot, Snapshot, Snapshot], more: tuple[Snapshot, Snapshot, Snapshot]
) -> None:
    merge = merged(some[1], more[1], more[2])
    assert (merge.snapshot is None) == bool(merge.conflicts)
    if merge.snapshot is not None:
        assert in_order(merge.snapshot.pages) == list(merge.snapshot.pages)


@given(three())
def test_conflicts_are_the_same_from_either_side(sides: tuple[Snapshot, Snapshot, Snapshot]) -> None:
    base, ours, theirs = sides
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert {(conflict.what, conflict.id, conflict.place) for conflict in one.conflicts} == {
        (conflict.what, conflict.id, conflict.place) for conflict in other.conflicts
    }
    if one.snapshot is not None and other.snapshot is not None:
        assert {(page.id, page.parent, page.type, page.title, page.document) for page in one.snapshot.pages} == {
            (page.id, page.parent, page.type, page.title, page.document) for page in other.snapshot.pages
        }


@given(three(), st.lists(st.tuples(PLACES, st.sampled_from(["title", "slug", "text", "hidden"]), st.booleans())))
def test_changes_of_different_fields_merge_and_commute(
    sides: tuple[Snapshot, Snapshot, Snapshot], changes: list[tuple[int, str, bool]]
) -> None:
    base = sides[1]
    if not base.pages:
        return
    who = {(base.pages[number % len(base.pages)].id, what): by_ours for number, what, by_ours in changes}

    def changed(by: set[bool]) -> Snapshot:
        pages = list(base.pages)
        for (id_, what), by_ours in who.items():
            [place] = [n for n, page in enumerate(pages) if page.id == id_]
            new = {
                "title": {"title": f"new of {id_}"},
                "slug": {"slug": f"new-{id_}"} if pages[place].slug is not None else {},
                "text": {"document": TEXTS[3]},
                "hidden": {"hidden": True},
            }[what]
            if by_ours in by:
                pages[place] = replace(pages[place], **new)  # type: ignore[arg-type]
        return replace(base, pages=pages)

    both = changed({True, False})
    assert merged(base, changed({True}), changed({False})).snapshot == both
    assert merged(base, changed({False}), changed({True})).snapshot == both
