"""What holds for every merge of documents, whatever the edits."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.services.merging.blocks import inner
from runtime.services.merging.documents import merge_documents
from runtime.services.merging.edits import blocks_of, edits
from tests.runtime.services.merging.building import Node, box, bullets, doc, text, words

KEEP, EDIT, DELETE, PUT = "keep", "edit", "delete", "put in behind it"
ANY = st.sampled_from([KEEP, KEEP, KEEP, EDIT, DELETE, PUT])


@dataclass
class Case:
    """A base, and what each side does to each of its texts; the texts are all different."""

    base: Node
    by_ours: list[str]
    by_theirs: list[str]


@st.composite
def cases(draw: st.DrawFn, *, disjoint: bool) -> Case:
    blocks: list[Node] = []
    count = 0
    for size in draw(st.lists(st.integers(1, 4), max_size=6)):
        names = [f"t{count + n} u{count + n} v{count + n}" for n in range(size)]
        blocks.append(text(names[0]) if size == 1 else bullets(*names))
        count += size
    ours = draw(st.lists(ANY, min_size=count, max_size=count))
    theirs = draw(st.lists(ANY, min_size=count, max_size=count))
    if disjoint:
        theirs = [KEEP if mine != KEEP else other for mine, other in zip(ours, theirs, strict=True)]
    return Case(doc(*blocks), ours, theirs)


def changed(base: Node, deeds: list[str], by: str) -> Node:
    """Do to each text what is said; what is left empty goes with the last text in it."""
    todo = iter(deeds)

    def of(node: Node) -> list[Node]:
        if node["type"] != "paragraph":
            inside = [one for child in node["nodes"] for one in of(child)]
            return [{**node, "nodes": inside}] if inside else []
        deed, name = next(todo), words(node)[0]
        if deed == DELETE:
            return []
        own = text(f"{name} {by}") if deed == EDIT else node
        return [own, text(f"new {by} {name.split()[0]}x")] if deed == PUT else [own]

    return {**base, "nodes": [one for block in base["nodes"] for one in of(block)]}


def sides(case: Case) -> tuple[Node, Node]:
    return changed(case.base, case.by_ours, "ours"), changed(case.base, case.by_theirs, "theirs")


def tokens(document: Node) -> Counter[str]:
    return Counter(name.split()[0] for name in words(document) if not name.startswith("new"))


def put_in(document: Node) -> Counter[str]:
    return Counter(name for name in words(document) if name.startswith("new"))


@given(cases(disjoint=False))
def test_merging_nothing_is_identity(case: Case) -> None:
    base, side = case.base, sides(case)[0]
    for merged in (
        merge_documents(base, base, side),
        merge_documents(base, side, base),
        merge_documents(base, side, copy.deepcopy(side)),
        merge_documents(None, None, side),
    ):
        assert merged.document == side
        assert not merged.conflicts


def other_keys(node: Any, key: str) -> Any:
    """Give every node another key, so that no two documents are equal as they are written."""
    if isinstance(node, list):
        return [other_keys(one, key) for one in node]
    if not isinstance(node, dict) or "object" not in node:
        return node
    return {**{name: other_keys(value, key) for name, value in node.items() if name != "key"}, "key": key}


@given(cases(disjoint=False))
def test_keys_change_nothing_but_keys(case: Case) -> None:
    ours, theirs = sides(case)
    plain = merge_documents(case.base, ours, theirs)
    keyed = merge_documents(other_keys(case.base, "a"), other_keys(ours, "b"), other_keys(theirs, "c"))
    assert keyed.conflicts == plain.conflicts
    assert words(keyed.document) == words(plain.document)
    only_keys = merge_documents(other_keys(case.base, "a"), other_keys(case.base, "b"), other_keys(ours, "c"))
    assert words(only_keys.document) == words(ours)


@given(cases(disjoint=False))
def test_nothing_is_lost_and_nothing_comes_back(case: Case) -> None:
    ours, theirs = sides(case)
    merged = merge_documents(case.base, ours, theirs)
    assert merged == merge_documents(case.base, ours, theirs)
    if merged.conflicts:
        assert merged.document is None
        return
    assert merged.document is not None
    left = tokens(merged.document)
    assert left == tokens(ours) & tokens(theirs)
    assert put_in(merged.document) == put_in(ours) | put_in(theirs)
    for name in words(merged.document):
        assert name in words(ours) or name in words(theirs)
    for side in (ours, theirs):
        names = words(merged.document)
        own = [name for name in words(side) if name in names]
        assert [name for name in names if name in own] == own


@given(cases(disjoint=True))
def test_disjoint_edits_merge_and_commute(case: Case) -> None:
    ours, theirs = sides(case)
    one, other = merge_documents(case.base, ours, theirs), merge_documents(case.base, theirs, ours)
    assert one.conflicts == other.conflicts
    if one.document is None or other.document is None:
        return
    assert Counter(words(one.document)) == Counter(words(other.document))
    assume(not meet(case.base, ours, theirs))
    assert one.document == other.document


def meet(base: Node, ours: Node, theirs: Node) -> bool:
    """Tell whether both sides put something in at one place, where ours come first."""
    former = blocks_of(inner(base))
    mine, other = edits(former, blocks_of(inner(ours))), edits(former, blocks_of(inner(theirs)))
    return any(a and b for a, b in zip(mine.put_in, other.put_in, strict=True)) or any(
        a is not None and b is not None and meet(one.node, a.node, b.node)
        for one, a, b in zip(former, mine.became, other.became, strict=True)
        if one.node["type"] != "paragraph"
    )


@given(st.lists(st.sampled_from([KEEP, EDIT]), max_size=12), st.data())
def test_edits_of_different_blocks_are_no_conflict(by_ours: list[str], data: st.DataObject) -> None:
    base = doc(box("hint", *(text(f"t{n} u{n} v{n}") for n in range(len(by_ours))), style="info"))
    choices = [st.just(KEEP) if mine == EDIT else st.sampled_from([KEEP, EDIT]) for mine in by_ours]
    by_theirs = [data.draw(choice) for choice in choices]
    merged = merge_documents(base, changed(base, by_ours, "ours"), changed(base, by_theirs, "theirs"))
    assert words(merged.document) == [
        f"t{n} u{n} v{n}" + " ours" * (mine == EDIT) + " theirs" * (other == EDIT)
        for n, (mine, other) in enumerate(zip(by_ours, by_theirs, strict=True))
    ]
