"""Imports are put into content: ids stay, slugs differ, references lead where they led."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.contract import errors
from runtime.services.imported_tree import Imported, ImportedFile, ImportedPage, ImportedReusableContent
from runtime.services.importing.assembling import Assembly, Place
from runtime.services.importing.references import Ids
from runtime.store.content.entries import File, Page, ReusableContent
from runtime.store.content.snapshot import Snapshot

ADDED = Place()
MOMENT = "2026-01-01T00:00:00.000Z"


def put(imported: Imported, base: Snapshot, place: Place = ADDED, **more: Any) -> tuple[Assembly, Snapshot]:
    """Assemble, with a document for each page."""
    files = {one.key: File("-", name=one.name, blob=f"blob of {one.key}") for one in imported.files}
    assembly = Assembly(imported, base, place, files, more.pop("moment", MOMENT), **more)
    names = {page_id: f"document of {key}" for key, page_id in assembly.ids.pages.items()}
    return assembly, assembly.snapshot(names)


@st.composite
def imports(draw: st.DrawFn) -> Imported:
    """Trees of pages with few titles, so that many stand beside pages of the same title."""
    pages: list[ImportedPage] = []
    from_git = draw(st.booleans())
    for number in range(draw(st.integers(0, 12))):
        above = [page for page in pages if page.type != "link"]
        parent = draw(st.one_of(st.none(), st.sampled_from(above))) if above else None
        kind = draw(st.sampled_from(("document", "group", "link")))
        title = draw(st.sampled_from(("A", "B", "a-2", "", "?")))
        git = {"oid": "1", "path": f"{number}.md"} if from_git and kind == "document" else None
        key = parent.key if parent is not None else None
        slug = draw(st.sampled_from((None, "a", "b", "file"))) if kind != "link" and git is None else None
        target = {"kind": "url", "url": "/"}
        pages.append(
            ImportedPage(f"k{number}", title, kind, key, slug, target=target, git=git, title_slug=slug is not None)
        )
    return Imported(pages, [ImportedFile("f", "a.png", "a.png")], [ImportedReusableContent("r", "R")])


@given(imports(), imports(), st.booleans())
def test_the_same_import_again_keeps_every_id(first: Imported, other: Imported, whole: bool) -> None:
    base = put(other, Snapshot())[1]
    place = Place(replace=whole)
    before, once = put(first, base, place)
    after, twice = put(first, once, place, moment="2027-01-01T00:00:00.000Z")
    assert before.ids.to_json() == after.ids.to_json()
    assert once == twice


def test_a_page_whose_slug_came_from_its_title_is_the_same_one_now_that_its_file_names_it() -> None:
    old = Page("old", title="Install it", slug="install-it")
    file = ImportedPage("set-up.md", "Install it", slug="set-up", title_slug=True)
    other = ImportedPage("install-it.md", "Other", slug="install-it", title_slug=True)
    moved = put(Imported([file]), Snapshot([old]))[1]
    assert [(page.id, page.slug) for page in moved.pages] == [("old", "set-up")]
    # Where another file has that name, the page is that file's.
    both = put(Imported([file, other]), Snapshot([old]))[1]
    assert {page.slug: page.id == "old" for page in both.pages} == {"set-up": False, "install-it": True}
    # So it is where there is a page at the file's own name, or one of another title.
    named = Page("named", title="Install it", slug="set-up")
    beside = put(Imported([file]), Snapshot([old, named]))[1]
    assert {page.slug: page.id for page in beside.pages} == {"install-it": "old", "set-up": "named"}
    retitled = put(Imported([replace(file, title="Install")]), Snapshot([replace(old, slug="install")]))[1]
    assert len(retitled.pages) == 2


@given(imports(), imports())
def test_what_was_there_stays_unless_it_is_replaced(first: Imported, other: Imported) -> None:
    base = put(other, Snapshot())[1]
    added = put(first, base)[1]
    assert {page.id for page in base.pages} <= {page.id for page in added.pages}
    replaced = put(first, base, Place(replace=True))[1]
    assert len(replaced.pages) == len(first.pages)


@given(imports(), imports(), imports())
def test_ids_given_once_hold_though_the_content_has_moved_on(first: Imported, other: Imported, third: Imported) -> None:
    assembly, _ = put(first, put(other, Snapshot())[1])
    again, snapshot = put(first, put(third, Snapshot())[1], ids=assembly.ids)
    assert again.ids.to_json() == assembly.ids.to_json()
    assert {*again.ids.pages.values()} <= {page.id for page in snapshot.pages}


def test_an_import_goes_below_a_page_where_groups_are_pages() -> None:
    base = Snapshot([Page("above", title="Above", slug="above"), Page("beside", title="Beside", slug="beside")])
    imported = Imported([ImportedPage("g", "Group", type="group"), ImportedPage("p", "Page", parent="g")])
    _, snapshot = put(imported, base, Place("above"))
    assert [*snapshot.page_by_path] == ["above", "above/group", "above/group/page", "beside"]
    assert snapshot.page_by_path["above/group"].type == "document"


def test_a_page_that_moved_in_git_keeps_its_id() -> None:
    git = {"oid": "1", "path": "a.md"}
    first, base = put(Imported([ImportedPage("a", "A", git=git)]), Snapshot(), Place(replace=True))
    moved = [ImportedPage("b", "B"), ImportedPage("a", "Other", parent="b", git=git)]
    second, snapshot = put(Imported(moved), base, Place(replace=True))
    assert second.ids.pages["a"] == first.ids.pages["a"]
    assert [*snapshot.page_by_path] == ["b", "b/other"]


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        ([ImportedPage("a", "A", parent="b"), ImportedPage("b", "B", parent="a")], "inside itself"),
        ([ImportedPage("a", "A", parent="a")], "inside itself"),
        ([ImportedPage("a", "A"), ImportedPage("a", "B")], "there twice"),
        (
            [ImportedPage("a", "A", type="link", target={}), ImportedPage("b", "B", parent="a")],
            "A link cannot contain pages",
        ),
        (
            [ImportedPage(str(depth), "A", parent=str(depth - 1) if depth else None) for depth in range(30)],
            "at most 20 deep",
        ),
        ([ImportedPage(str(number), "A") for number in range(20_001)], "at most 20000 pages"),
    ],
)
def test_what_is_no_content_is_refused(pages: list[ImportedPage], said: str) -> None:
    with pytest.raises(errors.BadRequest, match=said):
        put(Imported(pages), Snapshot())


def test_a_page_that_is_gone_takes_no_import() -> None:
    with pytest.raises(errors.BadRequest, match="was deleted, or cannot contain pages"):
        put(Imported(), Snapshot(), Place("gone"))


@pytest.mark.parametrize(
    ("ref", "becomes"),
    [
        ({"kind": "page", "page": "k"}, {"kind": "page", "page": "ID"}),
        ({"kind": "anchor", "page": "k", "anchor": "x"}, {"kind": "anchor", "page": "ID", "anchor": "x"}),
        ({"kind": "anchor", "anchor": "x"}, {"kind": "anchor", "anchor": "x"}),
        ({"kind": "anchor", "page": "other.md", "anchor": "x"}, {"kind": "url", "url": "other.md#x"}),
        ({"kind": "page", "page": "of another space"}, {"kind": "url", "url": "of another space"}),
        ({"kind": "page", "page": "javascript:alert(1)"}, {"kind": "url", "url": "#"}),
        ({"kind": "page"}, {"kind": "url", "url": "#"}),
        ({"kind": "file", "file": "f"}, {"kind": "file", "file": "FILE"}),
        ({"kind": "url", "url": "data:text/html,x"}, {"kind": "url", "url": "#"}),
        ({"kind": "url", "url": "https://example.com"}, {"kind": "url", "url": "https://example.com"}),
        ({"kind": "reusable-content", "reusableContent": "r"}, {"kind": "reusable-content", "reusableContent": "R"}),
    ],
)
def test_references_get_ids(ref: dict[str, Any], becomes: dict[str, Any]) -> None:
    ids = Ids({"k": "ID"}, {"f": "FILE"}, {"r": "R"})
    assert ids.reference(ref) == becomes
    link = {"object": "inline", "type": "link", "data": {"ref": ref}, "nodes": []}
    table = {
        "object": "block",
        "type": "table",
        "data": {
            "definition": {"x": {"type": "content-ref"}, "y": {"type": "files"}},
            "records": {"1": {"values": {"x": ref, "y": ["f", "other"]}}},
        },
        "fragments": [{"object": "fragment", "nodes": [link]}],
    }
    document = {"object": "document", "data": {}, "nodes": [table]}
    ids.document(document)
    assert link["data"] == {"ref": becomes}
    assert table["data"]["records"]["1"]["values"] == {"x": becomes, "y": ["FILE"]}  # type: ignore[index]


def test_a_page_that_comes_again_keeps_what_the_import_does_not_say() -> None:
    page = Page("1", title="A", slug="a", emoji="1f600", created_at="then", updated_at="then", document="old")
    _, snapshot = put(Imported([ImportedPage("a", "A")]), Snapshot([page]))
    assert snapshot.pages == (replace(page, document="document of a", updated_at=MOMENT),)


def test_pages_that_name_sources_stay_where_they_are() -> None:
    source = {"type": "builtin:translation", "props": {}}
    said = Page("said", title="Said", slug="said", computed=source, computed_seed="seed")
    gone = Page("gone", title="Gone", slug="gone")
    inside = Page("inside", type="computed", title="Inside", parent="said", computed=source)
    lost = Page("lost", type="computed", title="Lost", parent="gone", computed=source)
    top = Page("top", type="computed", title="Top", computed=source)
    base = Snapshot([said, inside, top, gone, lost])
    imported = Imported([ImportedPage("new", "New"), ImportedPage("said", "Said"), ImportedPage("last", "Last")])
    assembly = Assembly(imported, base, Place(replace=True), {}, MOMENT)
    kept = assembly.snapshot({})
    assert [page.title for page in kept.pages] == ["New", "Said", "Inside", "Top", "Last"]
    assert (kept.page_by_id["said"].computed, kept.page_by_id["said"].computed_seed) == (source, "seed")
    written = assembly.snapshot({"said": "a document"}).page_by_id["said"]
    assert (written.document, written.computed) == ("a document", None)


@pytest.mark.parametrize("whole", [False, True])
def test_what_is_too_large_keeps_the_document_it_has(whole: bool) -> None:
    git = {"oid": "1", "path": "a.md"}
    pages = [ImportedPage("a.md", "A", git=git, too_large=True), ImportedPage("b.md", "B", too_large=True)]
    contents = [ImportedReusableContent("c.md", "C", None, git, too_large=True)]
    base = Snapshot(
        [Page("a", type="document", title="A", slug="a", git=git, document="kept")],
        reusable_contents=[ReusableContent("c", git, "C", "kept, too")],
    )
    assembly = Assembly(Imported(pages=pages, reusable_contents=contents), base, Place(replace=whole), {}, MOMENT)
    made = assembly.snapshot({})
    assert {page.title: page.document for page in made.pages} == {"A": "kept", "B": None}
    assert [content.document for content in made.reusable_contents] == ["kept, too"]
    later = Assembly(Imported(pages=[ImportedPage("a.md", "A", git=git)]), base, Place(replace=whole), {}, MOMENT)
    assert later.snapshot({}).page_by_id["a"].document is None
