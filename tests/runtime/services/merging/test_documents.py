"""Documents that merge, case by case; `test_document_rules.py` says what holds for all of them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from runtime.services.merging import edits
from runtime.services.merging.documents import MAX_LEVELS, BlockConflict, merge_documents
from tests.runtime.services.merging.building import Node, box, bullets, doc, text, words

LEAD, BODY, END = "the lead of it all", "a body to read", "an end at last"
HINT = box("hint", text("mind the gap"), text("and the step"), style="info")
EXPANDABLE = {"object": "block", "type": "expandable", "isVoid": True, "data": {}}


def expandable(title: str, *body: str) -> dict[str, Any]:
    parts = {"expandable-title": [text(title)], "expandable-body": [text(one) for one in body]}
    fragments = [{"object": "fragment", "fragment": name, "nodes": nodes} for name, nodes in parts.items()]
    return {**EXPANDABLE, "fragments": fragments}


MERGES: dict[str, tuple[Node | None, Node | None, Node | None, Node | None]] = {
    "edits of blocks beside each other": (
        doc(LEAD, BODY),
        doc(LEAD + " ours", BODY),
        doc(LEAD, BODY + " theirs"),
        doc(LEAD + " ours", BODY + " theirs"),
    ),
    "the same edit is one": (
        doc(LEAD, BODY),
        doc("changed lead of it all", BODY),
        doc("changed lead of it all", END),
        doc("changed lead of it all", END),
    ),
    "what both put in at one place, ours first": (
        doc(LEAD, END),
        doc(LEAD, "mine", END),
        doc(LEAD, "yours", END),
        doc(LEAD, "mine", "yours", END),
    ),
    "the same put in by both is one": (
        doc(LEAD),
        doc(LEAD, "new", "newer"),
        doc(LEAD, "new", "newer"),
        doc(LEAD, "new", "newer"),
    ),
    "an edit beside what the other deleted": (
        doc(LEAD, BODY, END),
        doc(LEAD, END),
        doc(LEAD, BODY, END + " theirs"),
        doc(LEAD, END + " theirs"),
    ),
    "what both deleted": (doc(LEAD, BODY, END), doc(LEAD, END), doc(END), doc(END)),
    "put in where the other deleted": (
        doc(LEAD, BODY, END),
        doc(LEAD),
        doc(LEAD, BODY, "new", END),
        doc(LEAD, "new"),
    ),
    "one moved, the other edited elsewhere": (
        doc(LEAD, BODY, END),
        doc(END, LEAD, BODY),
        doc(LEAD + " theirs", BODY, END),
        doc(END, LEAD + " theirs", BODY),
    ),
    "items of a list": (
        doc(bullets("one", "two", "three")),
        doc(bullets("one ours", "two", "three")),
        doc(bullets("one", "two", "three theirs", "four")),
        doc(bullets("one ours", "two", "three theirs", "four")),
    ),
    "paragraphs of one item": (
        doc(box("list-unordered", box("list-item", text(LEAD), text(BODY)))),
        doc(box("list-unordered", box("list-item", text(LEAD + " ours"), text(BODY)))),
        doc(box("list-unordered", box("list-item", text(LEAD), text(BODY + " theirs")))),
        doc(box("list-unordered", box("list-item", text(LEAD + " ours"), text(BODY + " theirs")))),
    ),
    "the style of a hint and its text": (
        doc(HINT),
        doc({**HINT, "data": {"style": "danger"}}),
        doc({**HINT, "nodes": [text("mind the gap, please"), text("and the step")]}),
        doc(box("hint", text("mind the gap, please"), text("and the step"), style="danger")),
    ),
    "tabs, steps and columns": (
        doc(*(box(kind, box(item, text(LEAD)), box(item, text(END))) for kind, item in (("tabs", "tabs-item"),))),
        doc(box("tabs", box("tabs-item", text(LEAD + " ours")), box("tabs-item", text(END)))),
        doc(box("tabs", box("tabs-item", text(LEAD)), box("tabs-item", text(END), title="Theirs"))),
        doc(box("tabs", box("tabs-item", text(LEAD + " ours")), box("tabs-item", text(END), title="Theirs"))),
    ),
    "title and body of an expandable": (
        doc(expandable("More", LEAD, END)),
        doc(expandable("Much more", LEAD, END)),
        doc(expandable("More", LEAD, END + " theirs")),
        doc(expandable("Much more", LEAD, END + " theirs")),
    ),
    "another type on one side": (
        doc(LEAD, BODY),
        doc(text(LEAD, "heading-1"), BODY),
        doc(LEAD, BODY + " theirs"),
        doc(text(LEAD, "heading-1"), BODY + " theirs"),
    ),
    "other keys are no change": (
        doc(text(LEAD, key="a"), BODY),
        doc(text(LEAD, key="b"), BODY + " ours"),
        doc(text(LEAD + " theirs", key="c"), BODY),
        doc(text(LEAD + " theirs", key="c"), BODY + " ours"),
    ),
    "only theirs has other keys": (
        doc(text(LEAD, key="a"), BODY),
        doc(text(LEAD, key="a"), BODY + " ours"),
        doc(text(LEAD, key="b"), BODY),
        doc(text(LEAD, key="b"), BODY + " ours"),
    ),
    "all have other keys: ours": (
        {**doc(LEAD, END), "key": "a"},
        {**doc(LEAD + " ours", END), "key": "b"},
        {**doc(LEAD, END + " theirs"), "key": "c"},
        {**doc(LEAD + " ours", END + " theirs"), "key": "b"},
    ),
    "both wrote the first text": (None, doc(LEAD), doc(END), doc(LEAD, END)),
    "one deleted the document, the other gave it new keys": (
        doc(text(LEAD, key="a")),
        None,
        doc(text(LEAD, key="b")),
        None,
    ),
    "data of the document": (
        {**doc(LEAD), "data": {"schemaVersion": 1}},
        {**doc(LEAD), "data": {"schemaVersion": 2}},
        doc(LEAD, END),
        {**doc(LEAD, END), "data": {"schemaVersion": 2}},
    ),
    "one of several equal blocks": (
        doc("", LEAD, "", BODY, "", END),
        doc("", LEAD + " ours", "", BODY, "", END),
        doc("", LEAD, "", BODY, END),
        doc("", LEAD + " ours", "", BODY, END),
    ),
}


@pytest.mark.parametrize("case", MERGES)
def test_what_merges(case: str) -> None:
    base, ours, theirs, expected = MERGES[case]
    merged = merge_documents(base, ours, theirs)
    assert not merged.conflicts
    assert merged.document == expected


def changed(place: str, *path: int | str) -> BlockConflict:
    return BlockConflict(place, path, "changed")


def deleted(place: str, *path: int | str) -> BlockConflict:
    return BlockConflict(place, path, "deleted")


ITEMS = box("list-unordered", *(box("list-item", text(one)) for one in (LEAD, BODY)))
CODE = box("code", text("one()", "code-line"), text("two()", "code-line"), syntax="python")
CONFLICTS: dict[str, tuple[Node | None, Node | None, Node | None, list[BlockConflict]]] = {
    "two edits of one paragraph": (
        doc(LEAD, BODY),
        doc(LEAD, BODY + " ours"),
        doc(LEAD, BODY + " theirs"),
        [changed("the second paragraph", 1)],
    ),
    "an edit of what ours deleted": (
        doc(text("Title", "heading-1"), LEAD),
        doc(text("Title", "heading-1")),
        doc(text("Title", "heading-1"), LEAD + " theirs"),
        [deleted("the first paragraph", 1)],
    ),
    "an edit of what theirs deleted": (
        doc(LEAD, BODY),
        doc(LEAD + " ours", BODY),
        doc(BODY),
        [deleted("the first paragraph", 0)],
    ),
    "written anew, and deleted": (
        doc(LEAD, BODY),
        doc("nothing alike", BODY),
        doc(BODY),
        [deleted("the first paragraph", 0)],
    ),
    "two edits of one item": (
        doc(LEAD, bullets("one", "two")),
        doc(LEAD, bullets("one", "two ours")),
        doc(LEAD, bullets("one", "two theirs")),
        [changed("the first paragraph in the second list item in the first bulleted list", 1, 1, 0)],
    ),
    "two styles of one hint": (
        doc(HINT),
        doc({**HINT, "data": {"style": "danger"}}),
        doc({**HINT, "data": {"style": "success"}}),
        [changed("the `style` of the first hint", 0, "style")],
    ),
    "two types of one block": (
        doc(HINT),
        doc({**HINT, "type": "blockquote"}),
        doc({**HINT, "nodes": [text("mind the gap, please"), text("and the step")]}),
        [changed("the first hint", 0)],
    ),
    "lines of one piece of code": (
        doc(CODE),
        doc({**CODE, "nodes": [text("one(1)", "code-line"), text("two()", "code-line")]}),
        doc({**CODE, "nodes": [text("one()", "code-line"), text("two(2)", "code-line")]}),
        [changed("the first code block", 0)],
    ),
    "title of an expandable": (
        doc(expandable("More", LEAD)),
        doc(expandable("Much more", LEAD)),
        doc(expandable("Less", LEAD)),
        [changed("the first paragraph in the first expandable", 0, "expandable-title", 0)],
    ),
    "each deleted the half of a list": (
        doc(ITEMS),
        doc({**ITEMS, "nodes": ITEMS["nodes"][1:]}),
        doc({**ITEMS, "nodes": ITEMS["nodes"][:1]}),
        [BlockConflict("the first bulleted list", (0,), "emptied")],
    ),
    "the whole document": (doc(LEAD), None, doc(END), [deleted("the text")]),
    "several": (
        doc(*(f"paragraph number {n}" for n in range(12))),
        doc(*(f"paragraph number {n}" + " ours" * (n in (1, 10, 11)) for n in range(12))),
        doc(*(f"paragraph number {n}" + " theirs" * (n in (1, 10, 11)) for n in range(12))),
        [
            changed("the second paragraph", 1),
            changed("the 11th paragraph", 10),
            changed("the 12th paragraph", 11),
        ],
    ),
}


@pytest.mark.parametrize("case", CONFLICTS)
def test_what_is_a_conflict(case: str) -> None:
    base, ours, theirs, expected = CONFLICTS[case]
    merged = merge_documents(base, ours, theirs)
    assert list(merged.conflicts) == expected
    assert merged.document is None
    turned = merge_documents(base, theirs, ours)
    assert list(turned.conflicts) == expected


def test_what_is_nested_too_deep_is_taken_whole() -> None:
    def nested(levels: int, *paragraphs: str) -> Node:
        inside: list[Node] = [text(one) for one in paragraphs]
        for _ in range(levels):
            inside = [box("blockquote", *inside)]
        return doc(*inside)

    for levels, merges in ((MAX_LEVELS, True), (MAX_LEVELS + 1, False)):
        base, ours, theirs = (
            nested(levels, LEAD, END),
            nested(levels, LEAD + " o", END),
            nested(levels, LEAD, END + " t"),
        )
        merged = merge_documents(base, ours, theirs)
        assert bool(merged.conflicts) is not merges
        assert merged.document == (nested(levels, LEAD + " o", END + " t") if merges else None)


@pytest.mark.parametrize("kinds", [1, 3, 10_000])
def test_ten_thousand_blocks(kinds: int) -> None:
    base = [f"words of number {n % kinds}" for n in range(10_000)]
    merged = merge_documents(doc(*base), doc(*base[:5_000], "mine", *base[5_000:]), doc("yours", *base[:-1]))
    assert merged.document is not None
    assert sorted(words(merged.document)) == sorted(["yours", "mine", *base[:-1]])


def test_ten_thousand_blocks_that_nobody_recognizes() -> None:
    base = [f"words of number {n % 50}" for n in range(10_000)]
    shuffled = random.Random(1).sample(base, len(base))
    merged = merge_documents(doc(*base), doc(*shuffled), doc(*base[5_000:], *base[:4_999]))
    assert merged.document is None
    assert all(conflict.why in ("changed", "deleted") for conflict in merged.conflicts)


def test_blocks_of_large_parts_are_not_compared_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(edits, "likeness", lambda *of: asked.append(of) or 1)
    for size, times in ((50, 2_500), (51, 0)):
        asked.clear()
        edits.edits(*(edits.blocks_of([text(f"{who} {n}") for n in range(size)]) for who in "ab"))
        assert len(asked) == times


def test_lists_made_to_be_slow() -> None:
    inside_out = [f"n{min(n, 7_999 - n)}" for n in range(8_000)]
    long = [" ".join(f"{n}w{m}" for m in range(80)) for n in range(3_000)]
    parts = [block for n, one in enumerate(long) for block in ((one, f"fixed {n}") if n % 48 == 0 else (one,))]
    anew = [one if one.startswith("fixed") else one.replace("w", "v") for one in parts]
    for base, ours in ((inside_out, inside_out[1::2] + inside_out[::2]), (parts, anew)):
        merged = merge_documents(doc(*base), doc(*ours), doc(*base, "more"))
        assert merged.document is not None
        assert words(merged.document) == [*ours, "more"]
