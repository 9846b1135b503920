"""Revisions share what did not change, are read back as they were written, and make whole trees."""

from __future__ import annotations

import random
import re
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from runtime.contract.documents import NotADocument, check_document
from runtime.contract.json_parts import MAX_PARTS
from runtime.store.content import revisions, sizes
from runtime.store.content.entries import File, Page, ReusableContent
from runtime.store.content.pieces import MAX_ENTRIES, pack, split, to_pieces, unpack
from runtime.store.content.revisions import SnapshotCache, snapshot_of
from runtime.store.content.snapshot import BrokenTree, Snapshot, in_order
from runtime.store.tables.content import ContentPieceRow
from runtime.store.tables.spaces import SpaceRow
from tests.runtime.contract.sized_documents import document_with
from tests.runtime.store.conftest import World, made

IDS = st.text("abcdefgh", min_size=1, max_size=4)


def pages(count: int) -> list[Page]:
    return [Page(f"page{number}", title=f"Page {number}", slug=f"page-{number}") for number in range(count)]


@given(st.lists(IDS, unique=True, max_size=400))
def test_a_list_is_cut_into_pieces_of_a_few_entries(ids: list[str]) -> None:
    entries = [Page(id_) for id_ in ids]
    pieces = list(split(entries))
    assert [entry for piece in pieces for entry in piece] == entries
    assert all(0 < len(piece) <= MAX_ENTRIES for piece in pieces)


@given(st.integers(0, 399), st.sampled_from(["change", "insert", "remove", "move"]))
def test_a_change_in_one_place_makes_few_new_pieces(place: int, way: str) -> None:
    before = pages(400)
    after = list(before)
    if way == "change":
        after[place] = replace(after[place], title="Other")
    elif way == "insert":
        after.insert(place, Page("new", slug="new"))
    else:
        moved = after.pop(place)
        if way == "move":
            after.insert(200, moved)
    _, old = to_pieces(before)
    _, new = to_pieces(after)
    assert len(new.keys() - old.keys()) <= (4 if way == "move" else 2)
    list_, _ = to_pieces(before)
    names, written = to_pieces(after, before, list_)
    assert (
        names == to_pieces(after)[0]
        and written.items() >= {name: content for name, content in new.items() if name not in old}.items()
    )


def test_what_is_packed_is_named_by_its_content_alone() -> None:
    one, other = {"b": [1, "ß힣😀"], "a": None}, {"a": None, "b": [1, "ß힣😀"]}
    assert pack(one) == pack(other) and unpack(pack(one)[1]) == one
    assert pack({"a": 1})[0] != pack({"a": True})[0] != pack({"a": "1"})[0]


@given(st.text(st.characters(categories=["Cs", "Lo", "Zs"], include_characters="ab\U0001f600")))
def test_what_was_stored_with_half_a_character_can_be_sent(text: str) -> None:
    read = unpack(pack({"text": text})[1])["text"]
    assert read.encode() == re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def test_a_document_that_was_stored_before_there_was_a_limit_is_read() -> None:
    document = document_with(2 * MAX_PARTS)
    with pytest.raises(NotADocument):
        check_document(document)
    assert unpack(pack(document)[1]) == document


def test_every_field_of_an_entry_is_kept() -> None:
    for entry in (
        Page(
            "p", {"oid": "1", "path": "a.md"}, "link", "Title", "above", target={"kind": "url", "url": "/"}, hidden=True
        ),
        Page(
            "q", slug="q", layout={"width": "wide"}, cover={"yPos": 0}, variables={"on": False, "n": 0}, no_index=True
        ),
        File("f", name="a.png", content_type="image/png", size=0, blob="b", dimensions={"width": 1, "height": 2}),
        ReusableContent("r", title="", document="d"),
    ):
        assert type(entry).from_json(unpack(pack(entry.to_json())[1])) == entry


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        ([Page("a", slug="a"), Page("a", slug="b")], "there twice"),
        ([Page("a", slug="a", parent="b")], "not there"),
        ([Page("a", slug="a", parent="b"), Page("b", slug="b", parent="a")], "inside itself"),
        ([Page("a", type="link"), Page("b", slug="b", parent="a")], "no page can be in"),
        ([Page("a", slug="same"), Page("b", slug="same")], "the slug `same`"),
        ([Page("a", slug="a"), Page("b", type="group", slug="b", parent="a")], "at the top only"),
        ([Page("a")], "have a slug"),
        ([Page("a", type="link", slug="a")], "others have none"),
    ],
)
def test_what_is_no_tree_is_refused(given_: list[Page], why: str) -> None:
    with pytest.raises(BrokenTree, match=why):
        in_order(given_)


@given(st.lists(st.integers(0, 40), max_size=60))
def test_pages_stand_before_what_is_in_them(parents: list[int]) -> None:
    tree = [
        Page(f"p{place}", slug=f"s{place}", parent=f"p{parent}" if parent < place else None)
        for place, parent in enumerate(parents)
    ]
    ordered = in_order(reversed(tree))
    assert sorted(page.id for page in ordered) == sorted(page.id for page in tree)
    seen: set[str] = set()
    for page in ordered:
        assert page.parent is None or page.parent in seen
        seen.add(page.id)
    snapshot = Snapshot(ordered)
    assert {snapshot.page_by_path[path].id for path in snapshot.path_of.values()} == seen


def test_revisions_share_what_did_not_change(world: World) -> None:
    document: dict[str, Any] = {"object": "document", "data": {}, "nodes": []}
    with world.database.transaction(writes=True) as session:
        session.add(space := made(SpaceRow, "here"))  # type: ignore[arg-type]
        space.id = "many"
        session.flush()
        several = pages(2000)
        name = revisions.name_of(document)
        several[7] = replace(several[7], document=name)
        last = revisions.write(session, space.id, Snapshot(several), [document], user_id=None)
        count = select(func.count(), func.sum(func.length(ContentPieceRow.content))).where(
            ContentPieceRow.space_id == space.id
        )
        first_pieces, first_bytes = session.execute(count).one()
        for edit in range(50):
            several[edit * 31] = replace(several[edit * 31], title=f"Edited {edit}")
            last = revisions.write(session, space.id, Snapshot(several), before=last, parents=[last.id])
        pieces, written = session.execute(count).one()
        assert pieces - first_pieces == 50 and written - first_bytes < 50 * 20_000
        assert len(last.pages) < 10_000
        read = snapshot_of(session, last)
        assert list(read.pages) == several and read == Snapshot(several)
        assert revisions.documents(session, space.id, [name, "none", "00"]) == {name: document}
        copy = revisions.copy(session, last, made_space(session))
        assert list(snapshot_of(session, copy).pages) == several
        assert revisions.documents(session, copy.space_id, [name]) == {name: document}
        assert revisions.documents(session, "somebody else's", [name]) == {}
        session.rollback()


def test_a_copy_takes_no_memory_for_what_is_copied(world: World) -> None:
    sign = random.Random(1)
    documents: list[Any] = [
        {"object": "document", "data": {"said": sign.randbytes(1 << 20).hex()}, "nodes": []} for _ in range(12)
    ]
    several = [Page(f"p{n}", document=revisions.name_of(document)) for n, document in enumerate(documents)]
    with world.database.transaction(writes=True) as session:
        session.add(space := made(SpaceRow, "here"))  # type: ignore[arg-type]
        space.id = "large"
        session.flush()
        written = revisions.write(session, space.id, Snapshot(several), documents, user_id=None)
        size = sizes.size_of(session, space.id)
        assert size > 12 << 20 and revisions.packed_size(session, written) == size
        to = made_space(session)
        session.expire_all()
        tracemalloc.start()
        copy = revisions.copy(session, written, to)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 4 << 20
        assert sizes.size_of(session, to) == size
        assert revisions.documents(session, copy.space_id, [several[3].document or ""])
        session.rollback()


def made_space(session: Any) -> str:
    space: Any = made(SpaceRow, "there")
    space.id = "copied"
    session.add(space)
    session.flush()
    return "copied"


def test_the_cache_lets_go_of_what_was_not_used_for_longest() -> None:
    cache = SnapshotCache(heaviest=35_000)
    snapshots = {str(number): Snapshot(pages(9)) for number in range(4)}
    for name in ("0", "1", "2"):
        cache.put(name, snapshots[name], "one")
    assert cache.get("0") is snapshots["0"]
    cache.put("3", snapshots["3"], "one")
    assert cache.get("1") is None and cache.get("0") is not None and cache.get("3") is not None
    cache.put("large", Snapshot(pages(100)), "one")
    assert cache.get("large") is None and cache.get("0") is None


def test_one_organization_cannot_empty_the_cache_for_all() -> None:
    cache = SnapshotCache(heaviest=110_000)
    cache.put("modest", Snapshot(pages(9)), "modest")
    for number in range(50):
        cache.put(str(number), Snapshot(pages(9)), "greedy")
    assert cache.get("modest") is not None and cache.get("49") is not None and cache.get("0") is None
    cache.put("large", Snapshot(pages(200)), "greedy")
    assert cache.get("modest") is not None and cache.get("large") is None


@pytest.mark.parametrize(
    "long",
    [
        Snapshot(variables={f"name_{number}": "v" * 250 for number in range(100)}),
        Snapshot([Page("a", title="A", slug="a", variables={f"name_{number}": "v" * 250 for number in range(100)})]),
        Snapshot([Page("a", title="A", slug="a", former_paths=["x" * 250] * 100)]),
        Snapshot([Page("a", title="A" * 25_000, slug="a")]),
        Snapshot([Page("a", title="A", slug="a", git={"path": "a" * 25_000, "oid": "a" * 40})]),
        Snapshot([Page(f"{n}", title="A", slug="a" * 1000, parent=str(n - 1) if n else None) for n in range(8)]),
    ],
    ids=["variables of a space", "variables of a page", "former paths", "title", "path in Git", "paths"],
)
def test_the_cache_counts_what_its_snapshots_weigh(long: Snapshot) -> None:
    cache = SnapshotCache(heaviest=200_000)
    for number in range(10):
        cache.put(str(number), long, "one")
    assert 0 < sum(cache.get(str(number)) is not None for number in range(10)) <= 200_000 // 25_000


def test_former_paths_lead_to_pages_that_have_a_path() -> None:
    snapshot = Snapshot(
        [
            Page("a", title="A", slug="a", former_paths=["old", "b", "both"]),
            Page("b", title="B", slug="b", former_paths=["both"]),
            Page("c", title="C", type="link", former_paths=["gone"]),
        ]
    )
    assert {path: page.id for path, page in snapshot.page_by_former_path.items()} == {"old": "a", "both": "a"}
